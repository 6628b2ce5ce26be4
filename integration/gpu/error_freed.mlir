// Memory that was freed, read by a copy.

func.func @main() {
  %h = memref.alloc() : memref<4xi32>
  %d = gpu.alloc () : memref<4xi32>
  gpu.dealloc %d : memref<4xi32>
  gpu.wait
  gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}
