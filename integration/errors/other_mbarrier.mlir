// A thread waits for one copy's mbarrier, and reads what another copy brings: which of them
// ends first nobody knows.
// CHIPS: sm_90
// CARD: never, a card does not say
// FAULTS: brief, all runs make the same calls

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @other(%x: memref<32xi32>, %out: memref<32xi32>)
        workgroup(%a: memref<32xi32, #gpu.address_space<workgroup>>, %b: memref<32xi32, #gpu.address_space<workgroup>>, %m: memref<2xi64, #gpu.address_space<workgroup>>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 128 : i32
      %ticks = arith.constant 10000000 : i32
      %first = arith.cmpi eq, %t, %c0 : index
      %m0 = memref.extract_aligned_pointer_as_index %m : memref<2xi64, #gpu.address_space<workgroup>> -> index
      %m1 = arith.index_cast %m0 : index to i64
      %f = llvm.inttoptr %m1 : i64 to !llvm.ptr<3>
      %g = llvm.getelementptr %f[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
      %a0 = memref.extract_aligned_pointer_as_index %a : memref<32xi32, #gpu.address_space<workgroup>> -> index
      %a1 = arith.index_cast %a0 : index to i64
      %a2 = llvm.inttoptr %a1 : i64 to !llvm.ptr<3>
      %to = llvm.addrspacecast %a2 : !llvm.ptr<3> to !llvm.ptr<7>
      %b0 = memref.extract_aligned_pointer_as_index %b : memref<32xi32, #gpu.address_space<workgroup>> -> index
      %b1 = arith.index_cast %b0 : index to i64
      %b2 = llvm.inttoptr %b1 : i64 to !llvm.ptr<3>
      %other = llvm.addrspacecast %b2 : !llvm.ptr<3> to !llvm.ptr<7>
      %x0 = memref.extract_aligned_pointer_as_index %x : memref<32xi32> -> index
      %x1 = arith.index_cast %x0 : index to i64
      %from = llvm.inttoptr %x1 : i64 to !llvm.ptr<1>
      scf.if %first {
        nvvm.mbarrier.init %f, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %g, %one : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
      gpu.barrier
      scf.if %first {
        nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
        nvvm.mbarrier.arrive.expect_tx %g, %bytes : !llvm.ptr<3>, i32
        nvvm.cp.async.bulk.shared.cluster.global %to, %from, %f, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
        nvvm.cp.async.bulk.shared.cluster.global %other, %from, %g, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
      }
      nvvm.mbarrier.try_wait.parity %g, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %v = memref.load %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
      memref.store %v, %out[%t] : memref<32xi32>
      nvvm.mbarrier.try_wait.parity %f, %zero, %ticks : !llvm.ptr<3>, i32, i32
      gpu.return
    }
  }

  // The copy to %a is over, or it is not.
  // RUN: EMU_CHECK=races
  // ERROR: other_mbarrier.mlir:[[@LINE-9]]:12: error: race: kernel 'other', block 0,0,0: thread {{[0-9]+}},0,0 reads 4 bytes at byte {{[0-9]+}} of workgroup memory, which an asynchronous copy writes at {{.*}}[[@LINE-13]]:9; no barrier stands between them
  // RUN: EMU_CHECK=races EMU_SEED=3
  // ERROR: other_mbarrier.mlir:[[@LINE-11]]:12: error: kernel 'other', block 0,0,0: thread {{[0-9]+}},0,0 reads 4 bytes at byte {{[0-9]+}} of workgroup memory, which the asynchronous copy that thread 0,0,0 has begun at {{.*}}[[@LINE-15]]:9 is about to write: wait for the phase of its mbarrier
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %x = gpu.alloc() : memref<32xi32>
    %out = gpu.alloc() : memref<32xi32>
    gpu.memset %x, %zero : memref<32xi32>, i32
    gpu.launch_func @kernels::@other blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x : memref<32xi32>, %out : memref<32xi32>)
    gpu.dealloc %x : memref<32xi32>
    gpu.dealloc %out : memref<32xi32>
    return
  }
}
