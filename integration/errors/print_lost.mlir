// Each line takes 24 bytes of the buffer: a call's 16, and the argument's 8. Room
// for 100 bytes keeps the last four.

// RUN: @print EMU_PRINT_BYTES=100
// CHECK: line 5
// CHECK: line 6
// CHECK: line 7
// CHECK: line 8
// ERROR: error: kernel 'print_kernel' prints more than the 100 bytes that a device keeps until the host waits for it: the oldest lines are lost, as on a GPU
func.func @print() {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c9, %sy = %c1, %sz = %c1) {
    %t = arith.index_cast %tx : index to i32
    gpu.printf "line %d\n", %t : i32
    gpu.terminator
  }
  return
}
