// Two regions write a buffer, and neither waits for the other.
func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %d = gpu.alloc() : memref<64xf32>
  %a = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
      memref.store %one, %d[%tx] : memref<64xf32>
      gpu.terminator
    }
    async.yield
  }
  %b = async.execute {
    gpu.memset %d, %two : memref<64xf32>, f32
    async.yield
  }
  async.await %a : !async.token
  async.await %b : !async.token
  gpu.dealloc %d : memref<64xf32>
  return
}
