// Blocks of a cluster that read each other's workgroup memory, between barriers of
// the cluster; and that arrive at an mbarrier of another block.
// CHIPS: sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>, %m: memref<1xi64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : i64
      %one = arith.constant 1 : i32
      %six = arith.constant 6 : i32
      %zero = arith.constant 0 : i32
      %ticks = arith.constant 10000000 : i32
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %gx = gpu.grid_dim x
      %row = arith.muli %by, %gx : index
      %block = arith.addi %row, %bx : index
      %first = arith.muli %block, %n : index
      %g = arith.addi %first, %t : index
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
      // One arrival from each block is expected at the mbarrier of each.
      %maddress = memref.extract_aligned_pointer_as_index %m : memref<1xi64, #gpu.address_space<workgroup>> -> index
      %mi = arith.index_cast %maddress : index to i64
      %mbarrier = llvm.inttoptr %mi : i64 to !llvm.ptr<3>
      %is_first = arith.cmpi eq, %t, %c0 : index
      scf.if %is_first {
        nvvm.mbarrier.init %mbarrier, %size : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      %v = memref.load %x[%g] : memref<?xi32>
      memref.store %v, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      // The sum over the cluster of what threads of this number have written.
      %waddress = memref.extract_aligned_pointer_as_index %w : memref<1024xi32, #gpu.address_space<workgroup>> -> index
      %wi = arith.index_cast %waddress : index to i64
      %t64 = arith.index_cast %t : index to i64
      %offset = arith.muli %t64, %c4 : i64
      %own = arith.addi %wi, %offset : i64
      %pointer = llvm.inttoptr %own : i64 to !llvm.ptr<3>
      %sum = scf.for %i = %zero to %size step %one iter_args(%s = %zero) -> (i32) : i32 {
        %peer = nvvm.mapa %pointer, %i : !llvm.ptr<3> -> !llvm.ptr<7>
        %u = llvm.load %peer : !llvm.ptr<7> -> i32
        %s1 = arith.addi %s, %u : i32
        scf.yield %s1 : i32
      }
      // What has been read may be overwritten once all blocks have arrived here.
      gpu.barrier
      scf.if %is_first {
        scf.for %i = %zero to %size step %one : i32 {
          %there = nvvm.mapa %mbarrier, %i : !llvm.ptr<3> -> !llvm.ptr<7>
          nvvm.mbarrier.arrive %there {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
        }
      }
      nvvm.mbarrier.try_wait.parity %mbarrier, %zero, %ticks : !llvm.ptr<3>, i32, i32
      memref.store %sum, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = arith.subi %n, %c1 : index
      %j = arith.subi %last, %t : index
      %a = memref.load %w[%j] : memref<1024xi32, #gpu.address_space<workgroup>>
      %r = arith.addi %a, %rank : i32
      memref.store %r, %out[%g] : memref<?xi32>
      // No block ends while another may arrive at its mbarrier.
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i32
    %all = memref.dim %x, %c0 : memref<?xi32>
    %threads = arith.subi %to, %from : index
    %blocks = arith.divui %all, %threads : index
    %gx = arith.divui %blocks, %c3 : index
    %bx = arith.remui %b, %gx : index
    %y = arith.divui %b, %gx : index
    %cx = arith.divui %bx, %c2 : index
    %ix = arith.remui %bx, %c2 : index
    %r0 = arith.muli %y, %c2 : index
    %r1 = arith.addi %r0, %ix : index
    %rank = arith.index_cast %r1 : index to i32
    %x0 = arith.muli %cx, %c2 : index
    %last = arith.subi %threads, %c1 : index
    scf.for %t = %c0 to %threads step %c1 {
      %j = arith.subi %last, %t : index
      %sum = scf.for %py = %c0 to %c3 step %c1 iter_args(%s = %rank) -> i32 {
        %row = arith.muli %py, %gx : index
        %s2 = scf.for %px = %c0 to %c2 step %c1 iter_args(%q = %s) -> i32 {
          %p0 = arith.addi %row, %x0 : index
          %p1 = arith.addi %p0, %px : index
          %p2 = arith.muli %p1, %threads : index
          %p3 = arith.addi %p2, %j : index
          %v = memref.load %x[%p3] : memref<?xi32>
          %q1 = arith.addi %q, %v : i32
          scf.yield %q1 : i32
        }
        scf.yield %s2 : i32
      }
      %i = arith.addi %from, %t : index
      memref.store %sum, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%clusters: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    // In clusters of two by three; there is one row of them.
    %gx = arith.muli %clusters, %c2 : index
    %blocks = arith.muli %gx, %c3 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    %want = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
      memref.store %zero, %want[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k
        clusters in (%c2, %c3, %c1)
        blocks in (%gx, %c3, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    scf.for %b = %c0 to %blocks step %c1 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      func.call @expect(%x, %want, %b, %from, %to)
          : (memref<?xi32>, memref<?xi32>, index, index, index) -> ()
    }
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %a = memref.load %out[%i] : memref<?xi32>
      %e = memref.load %want[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %a, %e : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    memref.dealloc %want : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c2, %c1) : (index, index) -> ()
    func.call @check(%c3, %c31) : (index, index) -> ()
    func.call @check(%c2, %c32) : (index, index) -> ()
    func.call @check(%c1, %c33) : (index, index) -> ()
    func.call @check(%c2, %c256) : (index, index) -> ()
    func.call @check(%c1, %c1024) : (index, index) -> ()
    return
  }
}
