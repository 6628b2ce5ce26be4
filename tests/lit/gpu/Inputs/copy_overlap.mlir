// The even columns onto odd ones is fine; three onto the next three is not.
func.func @main() {
  %d = gpu.alloc() : memref<8xf32>
  %even = memref.subview %d[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  %odd = memref.subview %d[1] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: 1>>
  gpu.memcpy %odd, %even : memref<4xf32, strided<[2], offset: 1>>, memref<4xf32, strided<[2]>>
  gpu.memcpy %even, %even : memref<4xf32, strided<[2]>>, memref<4xf32, strided<[2]>>
  %low = memref.subview %d[0] [3] [2] : memref<8xf32> to memref<3xf32, strided<[2]>>
  %high = memref.subview %d[2] [3] [2] : memref<8xf32> to memref<3xf32, strided<[2], offset: 2>>

  gpu.memcpy %high, %low : memref<3xf32, strided<[2], offset: 2>>, memref<3xf32, strided<[2]>>
  return
}
