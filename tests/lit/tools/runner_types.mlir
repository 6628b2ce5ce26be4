// Functions that cannot be called with arrays: no array is of their types.

// RUN: not async-gpu-runner %s -e vectors --input=1 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: runner_types.mlir:[[#@LINE+13]]:1: error: 'vectors' cannot be called from outside: argument 0, of type vector<4xf32>, is neither a number, a memref, a token nor a value
// RUN: not async-gpu-runner %s -e spaces --input=1 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: error: 'spaces' cannot be called from outside: argument 0, of type memref<4xf32, 1>, has a memory space
// RUN: not async-gpu-runner %s -e layouts --input=1 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: error: 'layouts' cannot be called from outside: argument 0, of type memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>, has a layout without strides
// RUN: not async-gpu-runner %s -e odd 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: 'odd' cannot be called from outside: result 0, of type memref<4xi7>, has elements that are neither
// RUN: not async-gpu-runner %s --print-signature -e spaces 2>&1 | FileCheck %s --check-prefix=SPACE
// What has pointers for memrefs was lowered too early.
// RUN: sed '/@layouts(/,/^}/d' %s | async-gpu-opt --async-gpu-lower -o %t.mlir
// RUN: not async-gpu-runner %t.mlir -e spaces 2>&1 | FileCheck %s --check-prefix=LOWERED
// LOWERED: error: 'spaces' cannot be called from outside: argument 0, of type !llvm.ptr, is neither

func.func @vectors(%x: vector<4xf32>) {
  return
}
func.func @spaces(%x: memref<4xf32, 1>) {
  return
}
func.func @layouts(%x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  return
}
func.func @odd() -> memref<4xi7> {
  %m = memref.alloc() : memref<4xi7>
  return %m : memref<4xi7>
}
