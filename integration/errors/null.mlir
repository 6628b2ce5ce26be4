// A null pointer to copy from.
// CARD-ERROR: CUDA_ERROR_INVALID_VALUE

// RUN: device
// ERROR: null.mlir:[[@LINE+6]]:3: error: copy of 16 bytes from (nil) to 0x{{[0-9a-f]+}}: CUDA_ERROR_INVALID_VALUE
func.func @main() {
  %zero = llvm.mlir.zero : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %null = builtin.unrealized_conversion_cast %zero
    : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<4xi32>
  %d = gpu.alloc () : memref<4xi32>
  gpu.memcpy %d, %null : memref<4xi32>, memref<4xi32>
  gpu.dealloc %d : memref<4xi32>
  return
}
