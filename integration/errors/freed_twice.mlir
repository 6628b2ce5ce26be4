// Memory that is freed twice.
// CARD: unpacked, it may go unnoticed
// CARD-ERROR: CUDA_ERROR_INVALID_VALUE
// RUN: failing
// ERROR: freed_twice.mlir:[[@LINE+5]]:5: error: deallocation: {{.*}}: device memory freed twice:
func.func @main() {
  %t = async.execute {
    %d = gpu.alloc() : memref<4xi32>
    gpu.dealloc %d : memref<4xi32>
    gpu.dealloc %d : memref<4xi32>
    async.yield
  }
  async.await %t : !async.token
  return
}
