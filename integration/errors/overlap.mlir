// A copy of three elements to the place one further on.

// RUN: device
// ERROR: overlap.mlir:[[@LINE+5]]:3: error: copy between memrefs that overlap
func.func @main() {
  %d = gpu.alloc () : memref<4xi32>
  %from = memref.subview %d[0] [3] [1] : memref<4xi32> to memref<3xi32, strided<[1]>>
  %to = memref.subview %d[1] [3] [1] : memref<4xi32> to memref<3xi32, strided<[1], offset: 1>>
  gpu.memcpy %to, %from : memref<3xi32, strided<[1], offset: 1>>, memref<3xi32, strided<[1]>>
  gpu.dealloc %d : memref<4xi32>
  return
}
