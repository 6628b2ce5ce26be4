// More shared memory than the emulated device has; no device has that much.
// CARD-ERROR: CUDA_ERROR_INVALID_VALUE

// RUN: device
// ERROR: shared_memory.mlir:[[@LINE+5]]:5: error: asking for 100000000 bytes of shared memory for kernel 'main_kernel': CUDA_ERROR_INVALID_VALUE
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
