// A product of sizes that does not fit: 2^62 + 1 elements of four bytes are not
// four bytes, and neither are two sizes whose product is one.
// RUN: device
// ERROR: device_sizes.mlir:[[@LINE+5]]:10: error: allocation larger than the address space
func.func @main() {
  %n = arith.constant 0x4000000000000001 : index
  %x = arith.constant 1.0 : f32
  %t = async.execute {
    %d = gpu.alloc(%n) : memref<?xf32>
    gpu.memset %d, %x : memref<?xf32>, f32
    gpu.dealloc %d : memref<?xf32>
    async.yield
  }
  async.await %t : !async.token
  return
}
