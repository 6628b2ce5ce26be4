// Half of a block waits at one barrier and half at another: an error with both
// places, not a hang.
// CARD: never, warps may meet at two barriers there
// FAULTS: brief, all kernels make the same calls

// RUN: kernel
// ERROR: divergent_barrier.mlir:[[@LINE+10]]:7: kernel 'main_kernel', block 0,0,0: thread 0,0,0 waits at a barrier that thread 32,0,0 does not reach{{.*}}at {{.*}}divergent_barrier.mlir:[[@LINE+14]]:7
func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc() : memref<64xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %c32 = arith.constant 32 : index
    %low = arith.cmpi ult, %tx, %c32 : index
    scf.if %low {
      gpu.barrier
    } else {
      %t = arith.index_cast %tx : index to i32
      memref.store %t, %d[%tx] : memref<64xi32>
      gpu.barrier
    }
    gpu.terminator
  }
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}
