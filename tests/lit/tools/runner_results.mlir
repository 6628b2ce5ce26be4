// The entry point's result is printed as its type is, or as it is asked for.

// RUN: async-gpu-runner %s | FileCheck %s --check-prefix=VOID --allow-empty
// RUN: async-gpu-runner %s --entry-point-result=void | FileCheck %s --check-prefix=VOID --allow-empty
// VOID-NOT: {{.}}
// RUN: async-gpu-runner %s -e i32 | FileCheck %s --check-prefix=I32 --match-full-lines
// RUN: async-gpu-runner %s -e i32 --entry-point-result=i32 -O0 | FileCheck %s --check-prefix=I32 --match-full-lines
// I32: -42
// RUN: async-gpu-runner %s --entry-point=i64 | FileCheck %s --check-prefix=I64 --match-full-lines
// RUN: async-gpu-runner -e=i64 --entry-point-result i64 -O3 < %s | FileCheck %s --check-prefix=I64 --match-full-lines
// I64: 4611686018427387904
// RUN: async-gpu-runner %s -e index -O1 | FileCheck %s --check-prefix=INDEX --match-full-lines
// INDEX: 7
// RUN: async-gpu-runner - -e f32 < %s | FileCheck %s --check-prefix=FLOAT --match-full-lines
// RUN: async-gpu-runner %s -e f64 --entry-point-result=f64 | FileCheck %s --check-prefix=FLOAT --match-full-lines
// FLOAT: 4.250000e+01

// The text of an f32 is mlir-runner's own.
// RUN: async-gpu-opt %s --async-gpu-lower -o %t.mlir
// RUN: env JITDUMPDIR=%t.jit mlir-runner %t.mlir -e f32 --entry-point-result=f32 | FileCheck %s --check-prefix=FLOAT --match-full-lines

// What is lowered already runs as it is.
// RUN: async-gpu-runner %t.mlir -e i32 | FileCheck %s --check-prefix=I32 --match-full-lines

// A private function can be the entry point, before and after lowering.
// RUN: async-gpu-runner %s -e private | FileCheck %s --check-prefix=I32 --match-full-lines
// RUN: async-gpu-runner %t.mlir -e private | FileCheck %s --check-prefix=I32 --match-full-lines

// RUN: not async-gpu-runner %s -e nonesuch 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: runner_results.mlir:1:1: error: no function 'nonesuch' to begin with; there are {{.*}}; --entry-point names another one
// RUN: not async-gpu-runner %s -e i32 --entry-point-result=i64 2>&1 | FileCheck %s --check-prefix=MISMATCH
// MISMATCH:      runner_results.mlir:[[#@LINE+19]]:1: error: the entry point 'i32' has the result type i32, not i64 as --entry-point-result says
// MISMATCH-NEXT: {{^}}func.func @i32() -> i32 {
// RUN: not async-gpu-runner %s --entry-point-result=f64 2>&1 | FileCheck %s --check-prefix=NOTVOID
// NOTVOID: error: the entry point 'main' has the result type void, not f64
// RUN: not async-gpu-runner %s -e arguments 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: runner_results.mlir:[[#@LINE+34]]:1: error: 'arguments' takes 1 argument, and --input gives 0: it is arguments(i32) -> i32
// RUN: async-gpu-runner %s -e i8 -e two | FileCheck %s --check-prefix=EACH --match-full-lines
// EACH:      1
// EACH-NEXT: 1
// EACH-NEXT: 1
// EACH-NOT:  {{.}}
// RUN: not async-gpu-runner %s -e declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: runner_results.mlir:[[#@LINE+42]]:1: error: the entry point 'declared' has no body
// RUN: not async-gpu-runner %s -e variable 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: runner_results.mlir:[[#@LINE+41]]:1: error: the entry point 'variable' is not a function

func.func @main() {
  return
}
func.func @i32() -> i32 {
  %0 = arith.constant -42 : i32
  return %0 : i32
}
func.func @i64() -> i64 {
  %0 = arith.constant 4611686018427387904 : i64
  return %0 : i64
}
func.func @index() -> index {
  %0 = arith.constant 7 : index
  return %0 : index
}
func.func @f32() -> f32 {
  %0 = arith.constant 42.5 : f32
  return %0 : f32
}
func.func @f64() -> f64 {
  %0 = arith.constant 42.5 : f64
  return %0 : f64
}
func.func @arguments(%x: i32) -> i32 {
  return %x : i32
}
func.func @i8() -> i8 {
  %0 = arith.constant 1 : i8
  return %0 : i8
}
func.func @two() -> (i32, i32) {
  %0 = arith.constant 1 : i32
  return %0, %0 : i32, i32
}
func.func private @private() -> i32 {
  %0 = func.call @i32() : () -> i32
  return %0 : i32
}
func.func private @declared()
memref.global @variable : memref<i32> = dense<1>
