// More memory than there is: what depends on it does not run.
// CARD-ERROR: CUDA_ERROR_OUT_OF_MEMORY

// RUN: device
// ERROR: device_out_of_memory.mlir:[[@LINE+5]]:10: error: allocation of 8000000000000000 bytes of device memory: CUDA_ERROR_OUT_OF_MEMORY
func.func @main() {
  %n = arith.constant 1000000000000000 : index
  %one = arith.constant 1 : i64
  %t = async.execute {
    %d = gpu.alloc (%n) : memref<?xi64>
    gpu.memset %d, %one : memref<?xi64>, i64
    gpu.dealloc %d : memref<?xi64>
    async.yield
  }
  %u = async.execute [%t] {
    vector.print %one : i64
    async.yield
  }
  async.await %u : !async.token
  return
}
