// A thread that writes behind the buffer is found where memory is checked.

func.func @main() {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc(%c40) : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %seven = arith.constant 7 : i32
    gpu.barrier
    memref.store %seven, %d[%tx] : memref<?xi32>
    gpu.terminator
  }
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}
