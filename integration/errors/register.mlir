// Every second element of a buffer is no memory that could be registered.

// RUN: device
// ERROR: register.mlir:[[@LINE+5]]:3: error: gpu.host_register of a memref whose elements are not contiguous
func.func @main() {
  %h = memref.alloc() : memref<8xi32>
  %even = memref.subview %h[0] [4] [2] : memref<8xi32> to memref<4xi32, strided<[2]>>
  %u = memref.cast %even : memref<4xi32, strided<[2]>> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  memref.dealloc %h : memref<8xi32>
  return
}
