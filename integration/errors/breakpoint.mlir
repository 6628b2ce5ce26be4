// A breakpoint without a debugger ends the launch as a trap does.
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_LAUNCH_FAILED

// RUN: kernel
// ERROR: breakpoint.mlir:[[@LINE+10]]:7: kernel 'main_kernel', block 0,0,0: thread 2,0,0 ran into a trap
func.func @main() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %two = arith.constant 2 : index
    gpu.barrier
    %bad = arith.cmpi eq, %tx, %two : index
    scf.if %bad {
      nvvm.breakpoint
    }
    gpu.barrier
    gpu.terminator
  }
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}
