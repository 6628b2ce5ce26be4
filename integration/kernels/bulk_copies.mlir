// Copies in bulk: from global memory to both blocks of a cluster at once, and back
// in groups; beside them copies of cp.async that an mbarrier counts.
// CHIPS: sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %y: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%a: memref<1024xi32, #gpu.address_space<workgroup>>, %b: memref<1024xi32, #gpu.address_space<workgroup>>, %m: memref<2xi64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %all = arith.constant 1024 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i16
      %bytes = arith.constant 4096 : i32
      %half = arith.constant 2048 : i32
      %ticks = arith.constant 10000000 : i32
      %four = arith.constant 4 : i64
      %eight = arith.constant 8 : i64
      %half64 = arith.constant 2048 : i64
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %block = gpu.block_id x
      %cluster = gpu.cluster_id x
      %is_first = arith.cmpi eq, %t, %c0 : index
      %n32 = arith.index_cast %n : index to i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %sends = arith.cmpi eq, %rank, %zero : i32
      %ai = memref.extract_aligned_pointer_as_index %a : memref<1024xi32, #gpu.address_space<workgroup>> -> index
      %bi = memref.extract_aligned_pointer_as_index %b : memref<1024xi32, #gpu.address_space<workgroup>> -> index
      %mi = memref.extract_aligned_pointer_as_index %m : memref<2xi64, #gpu.address_space<workgroup>> -> index
      %a64 = arith.index_cast %ai : index to i64
      %b64 = arith.index_cast %bi : index to i64
      %m64 = arith.index_cast %mi : index to i64
      %o64 = arith.addi %m64, %eight : i64
      %pa = llvm.inttoptr %a64 : i64 to !llvm.ptr<3>
      %full = llvm.inttoptr %m64 : i64 to !llvm.ptr<3>
      %other = llvm.inttoptr %o64 : i64 to !llvm.ptr<3>
      %xi = memref.extract_aligned_pointer_as_index %x : memref<?xi32> -> index
      %yi = memref.extract_aligned_pointer_as_index %y : memref<?xi32> -> index
      %oi = memref.extract_aligned_pointer_as_index %out : memref<?xi32> -> index
      %x64 = arith.index_cast %xi : index to i64
      %y64 = arith.index_cast %yi : index to i64
      %out64 = arith.index_cast %oi : index to i64
      scf.if %is_first {
        nvvm.mbarrier.init %full, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %other, %n32 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
        nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32
      }
      nvvm.cluster.arrive
      nvvm.cluster.wait
      // The first block of a cluster brings its part of %x to both.
      %begins = arith.andi %is_first, %sends : i1
      scf.if %begins {
        %c4096 = arith.constant 4096 : i64
        %cl = arith.index_cast %cluster : index to i64
        %skip = arith.muli %cl, %c4096 : i64
        %from = arith.addi %x64, %skip : i64
        %source = llvm.inttoptr %from : i64 to !llvm.ptr<1>
        %target = nvvm.mapa %pa, %zero : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.cp.async.bulk.shared.cluster.global %target, %source, %full, %bytes multicast_mask = %three : !llvm.ptr<7>, !llvm.ptr<1>
      }
      // Each thread brings its elements of %y, of this block's part.
      %skipped = arith.muli %block, %all : index
      scf.for %e = %t to %all step %n {
        %i = arith.addi %skipped, %e : index
        %i64 = arith.index_cast %i : index to i64
        %e64 = arith.index_cast %e : index to i64
        %ib = arith.muli %i64, %four : i64
        %eb = arith.muli %e64, %four : i64
        %f = arith.addi %y64, %ib : i64
        %g = arith.addi %b64, %eb : i64
        %pf = llvm.inttoptr %f : i64 to !llvm.ptr<1>
        %pg = llvm.inttoptr %g : i64 to !llvm.ptr<3>
        nvvm.cp.async.shared.global %pg, %pf, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
      }
      nvvm.cp.async.mbarrier.arrive %other {noinc = true} : !llvm.ptr<3>
      nvvm.mbarrier.try_wait.parity %full, %zero, %ticks : !llvm.ptr<3>, i32, i32
      nvvm.mbarrier.try_wait.parity %other, %zero, %ticks : !llvm.ptr<3>, i32, i32
      gpu.barrier
      scf.for %e = %t to %all step %n {
        %u = memref.load %a[%e] : memref<1024xi32, #gpu.address_space<workgroup>>
        %v = memref.load %b[%e] : memref<1024xi32, #gpu.address_space<workgroup>>
        %s = arith.subi %u, %v : i32
        memref.store %s, %a[%e] : memref<1024xi32, #gpu.address_space<workgroup>>
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      scf.if %is_first {
        %place = arith.index_cast %skipped : index to i64
        %offset = arith.muli %place, %four : i64
        %to = arith.addi %out64, %offset : i64
        %to2 = arith.addi %to, %half64 : i64
        %from2 = arith.addi %a64, %half64 : i64
        %pto = llvm.inttoptr %to : i64 to !llvm.ptr<1>
        %pto2 = llvm.inttoptr %to2 : i64 to !llvm.ptr<1>
        %pfrom2 = llvm.inttoptr %from2 : i64 to !llvm.ptr<3>
        nvvm.cp.async.bulk.global.shared.cta %pto, %pa, %half : !llvm.ptr<1>, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.global.shared.cta %pto2, %pfrom2, %half : !llvm.ptr<1>, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }
      nvvm.cluster.arrive
      nvvm.cluster.wait
      gpu.return
    }
  }

  // How many of 6144 elements are wrong, for blocks of so many threads.
  func.func @check(%threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %all = arith.constant 1024 : index
    %n = arith.constant 6144 : index
    %zero = arith.constant 0 : i32
    %p = arith.constant 7919 : i32
    %q = arith.constant 104729 : i32
    %x = memref.alloc(%n) : memref<?xi32>
    %y = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %u = arith.muli %k, %p : i32
      %v = arith.muli %k, %q : i32
      memref.store %u, %x[%i] : memref<?xi32>
      memref.store %v, %y[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dy = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dy, %y : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k clusters in (%c2, %c1, %c1)
        blocks in (%c6, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dy : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %b = arith.divui %i, %all : index
      %e = arith.remui %i, %all : index
      %c = arith.divui %b, %c2 : index
      %j0 = arith.muli %c, %all : index
      %j = arith.addi %j0, %e : index
      %u = memref.load %x[%j] : memref<?xi32>
      %v = memref.load %y[%i] : memref<?xi32>
      %want = arith.subi %u, %v : i32
      %is = memref.load %out[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %is, %want : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dy : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %y : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c1) : (index) -> ()
    func.call @check(%c33) : (index) -> ()
    func.call @check(%c256) : (index) -> ()
    func.call @check(%c1024) : (index) -> ()
    return
  }
}
