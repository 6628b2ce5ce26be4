// 64 threads write into a buffer for 40.
func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %d = gpu.alloc() : memref<40xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    memref.store %one, %d[%tx] : memref<40xf32>
    gpu.terminator
  }
  gpu.dealloc %d : memref<40xf32>
  return
}
