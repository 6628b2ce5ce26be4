// A function that takes and gives memory of the host, and scales it on the
// device.
func.func @scale(%factor: f32, %x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = memref.alloc(%n) : memref<?xf32>
  %d = gpu.alloc(%n) : memref<?xf32>
  gpu.memcpy %d, %x : memref<?xf32>, memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %n, %ny = %c1, %nz = %c1) {
    %u = memref.load %d[%tx] : memref<?xf32>
    %v = arith.mulf %factor, %u : f32
    memref.store %v, %d[%tx] : memref<?xf32>
    gpu.terminator
  }
  gpu.memcpy %y, %d : memref<?xf32>, memref<?xf32>
  gpu.dealloc %d : memref<?xf32>
  return %y : memref<?xf32>
}
