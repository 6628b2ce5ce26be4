// A null pointer to copy from.

func.func @main() {
  %zero = llvm.mlir.zero : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %null = builtin.unrealized_conversion_cast %zero
    : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<4xi32>
  %d = gpu.alloc () : memref<4xi32>
  gpu.memcpy %d, %null : memref<4xi32>, memref<4xi32>
  gpu.dealloc %d : memref<4xi32>
  return
}
