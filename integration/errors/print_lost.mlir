// Each line takes 24 bytes of the buffer: a call's 16, and the argument's 8. Room
// for 100 bytes keeps the last four.

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
