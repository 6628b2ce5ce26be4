// A program of which LLVM makes no code, as all that it does is undefined.

// RUN: not async-gpu-runner %s 2>&1 | FileCheck %s
// CHECK: runner_undefined.mlir:1:1: error: cannot compile: it has no code, as all that it does is undefined
func.func @main() {
  %null = llvm.mlir.zero : !llvm.ptr
  %one = arith.constant 1 : i32
  llvm.store %one, %null : i32, !llvm.ptr
  return
}
