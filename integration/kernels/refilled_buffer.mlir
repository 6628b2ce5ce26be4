// A buffer that one thread fills again and again while a warp adds up what comes: copies in
// bulk, an mbarrier for each direction, and no other barrier between the rounds.
// CHIPS: sm_90

module attributes {gpu.container_module} {
gpu.module @kernels {
  // Thread 0 fills it, of %x; warp 1 takes it, and says that it may be filled again.
  gpu.func @ring(%x: memref<256xi32>, %out: memref<32xi32>)
      workgroup(%w: memref<32xi32, #gpu.address_space<workgroup>>, %m: memref<2xi64, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %bytes32 = arith.constant 128 : i32
    %bytes = arith.constant 128 : index
    %one = arith.constant 1 : i32
    %first = arith.cmpi eq, %t, %c0 : index
    %consumer = arith.cmpi uge, %t, %c32 : index
    %m0 = memref.extract_aligned_pointer_as_index %m : memref<2xi64, #gpu.address_space<workgroup>> -> index
    %m1 = arith.index_cast %m0 : index to i64
    %f = llvm.inttoptr %m1 : i64 to !llvm.ptr<3>
    %e = llvm.getelementptr %f[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %lanes = arith.constant 32 : i32
    %ticks = arith.constant 10000000 : i32
    scf.if %first {
      nvvm.mbarrier.init %f, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %e, %lanes : !llvm.ptr<3>, i32
    }
    nvvm.fence.mbarrier.init
    gpu.barrier
    %i0 = memref.extract_aligned_pointer_as_index %w : memref<32xi32, #gpu.address_space<workgroup>> -> index
    %i1 = arith.index_cast %i0 : index to i64
    %to3 = llvm.inttoptr %i1 : i64 to !llvm.ptr<3>
    %to = llvm.addrspacecast %to3 : !llvm.ptr<3> to !llvm.ptr<7>
    %j0 = memref.extract_aligned_pointer_as_index %x : memref<256xi32> -> index
    scf.if %first {
      scf.for %i = %c0 to %c8 step %c1 {
        %i32 = arith.index_cast %i : index to i32
        %p = arith.andi %i32, %one : i32
        %past = arith.cmpi ne, %i, %c0 : index
        scf.if %past {
          %q = arith.xori %p, %one : i32
          nvvm.mbarrier.try_wait.parity %e, %q, %ticks : !llvm.ptr<3>, i32, i32
        }
        nvvm.mbarrier.arrive.expect_tx %f, %bytes32 : !llvm.ptr<3>, i32
        %o = arith.muli %i, %bytes : index
        %a = arith.addi %j0, %o : index
        %a64 = arith.index_cast %a : index to i64
        %g = llvm.inttoptr %a64 : i64 to !llvm.ptr<1>
        nvvm.cp.async.bulk.shared.cluster.global %to, %g, %f, %bytes32 : !llvm.ptr<7>, !llvm.ptr<1>
      }
    }
    scf.if %consumer {
      %s = arith.subi %t, %c32 : index
      %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> i32 {
        %i32 = arith.index_cast %i : index to i32
        %p = arith.andi %i32, %one : i32
        nvvm.mbarrier.try_wait.parity %f, %p, %ticks : !llvm.ptr<3>, i32, i32
        %v = memref.load %w[%s] : memref<32xi32, #gpu.address_space<workgroup>>
        %n = arith.addi %acc, %v : i32
        %tok = nvvm.mbarrier.arrive %e : !llvm.ptr<3> -> i64
        scf.yield %n : i32
      }
      memref.store %sum, %out[%s] : memref<32xi32>
    }
    gpu.return
  }
}
// Element s is the sum of s + 32 i for i below 8.
// RUN: kernel schedules=40
// CHECK: ( 896, 904, 912, 920 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %h = memref.alloc() : memref<256xi32>
  %r = memref.alloc() : memref<32xi32>
  scf.for %i = %c0 to %c256 step %c1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %h[%i] : memref<256xi32>
  }
  %d = gpu.alloc() : memref<256xi32>
  %o = gpu.alloc() : memref<32xi32>
  gpu.memcpy %d, %h : memref<256xi32>, memref<256xi32>
  gpu.launch_func @kernels::@ring blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%d : memref<256xi32>, %o : memref<32xi32>)
  gpu.memcpy %r, %o : memref<32xi32>, memref<32xi32>
  %v = vector.load %r[%c0] : memref<32xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  memref.dealloc %h : memref<256xi32>
  memref.dealloc %r : memref<32xi32>
  gpu.dealloc %d : memref<256xi32>
  gpu.dealloc %o : memref<32xi32>
  return
}
}
