// A thread whose assertion fails ends the launch, with its place and its
// number; what it would have done next is not done.
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_ASSERT

// RUN: kernel
// ERROR: ...
// ERROR: kernel_assert.mlir:[[@LINE+9]]:5: kernel 'main_kernel', block {{[01]}},0,0: thread 33,0,0: assertion failed: thread ids are below 33
func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c40, %sy = %c2, %sz = %c1) {
    %c33 = arith.constant 33 : index
    %low = arith.cmpi ult, %tx, %c33 : index
    cf.assert %low, "thread ids are below 33"
    %same = arith.cmpi ne, %tx, %c33 : index
    scf.if %same {
    } else {
      gpu.printf "not reached\n"
    }
    gpu.terminator
  }
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}
