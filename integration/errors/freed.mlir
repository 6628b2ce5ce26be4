// Memory that was freed, read by a copy.
// CARD: never, it is undefined

// RUN: @main
// ERROR: freed.mlir:[[@LINE+6]]:3: error: copy of 16 bytes from {{.*}}: device memory that is freed: 16 bytes at 0x{{[0-9a-f]+}}
func.func @main() {
  %h = memref.alloc() : memref<4xi32>
  %d = gpu.alloc () : memref<4xi32>
  gpu.dealloc %d : memref<4xi32>
  gpu.wait
  gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}
