// What upstream's translation works out of sizes is right for the target.
// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm -O0 | FileCheck %s

// CHECK-LABEL: define {{.*}} @integers(
// CHECK: call ptr @malloc(i64 48)
func.func @integers() -> memref<3xi72> {
  %m = memref.alloc() : memref<3xi72>
  return %m : memref<3xi72>
}

// CHECK-LABEL: define {{.*}} @pairs(
// CHECK: ret i64 16
func.func @pairs() -> i64 {
  %null = llvm.mlir.zero : !llvm.ptr
  %end = llvm.getelementptr %null[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i8)>
  %size = llvm.ptrtoint %end : !llvm.ptr to i64
  return %size : i64
}

// CHECK-LABEL: define {{.*}} @value(
// CHECK: call ptr @mlirAsyncRuntimeCreateValue(i64 16)
func.func @value() -> !async.value<!llvm.struct<(i64, i8)>> {
  %v = async.runtime.create : !async.value<!llvm.struct<(i64, i8)>>
  return %v : !async.value<!llvm.struct<(i64, i8)>>
}
