// More shared memory than the emulated device has; no device has that much.

func.func @main() {
  %c1 = arith.constant 1 : index
  %bytes = arith.constant 100000000 : i32
  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
               dynamic_shared_memory_size %bytes {
      gpu.terminator
    }
    async.yield
  }
  async.await %t : !async.token
  return
}
