// Sizes that differ when the program runs.

// RUN: device
// ERROR: shapes.mlir:[[@LINE+7]]:5: error: copy between memrefs of different shapes: dimension 0 has 3 elements in the target and 4 in the source
func.func @main() {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %h = memref.alloc(%c4) : memref<?xi32>
  %t = async.execute {
    %d = gpu.alloc (%c3) : memref<?xi32>
    gpu.memcpy %d, %h : memref<?xi32>, memref<?xi32>
    async.yield
  }
  async.await %t : !async.token
  return
}
