// A range that no process can have is no memory that could be registered.

// RUN: device
// ERROR: register_range.mlir:[[@LINE+8]]:3: error: registering 9223372036854775804 bytes of host memory at {{.*}}CUDA_ERROR_INVALID_VALUE
func.func @main() {
  %h = memref.alloc() : memref<4xi32>
  %n = arith.constant 2305843009213693951 : index
  %r = memref.reinterpret_cast %h to offset: [0], sizes: [%n], strides: [1]
      : memref<4xi32> to memref<?xi32, strided<[1]>>
  %m = memref.cast %r : memref<?xi32, strided<[1]>> to memref<?xi32>
  %u = memref.cast %m : memref<?xi32> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  memref.dealloc %h : memref<4xi32>
  return
}
