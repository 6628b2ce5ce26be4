// A run that fails leaves an output file as it was.

// RUN: rm -rf %t && mkdir %t && echo kept > %t/out
// RUN: not async-gpu-opt %s -o %t/out 2> %t.err
// RUN: FileCheck %s --check-prefix=KEPT < %t/out
// RUN: FileCheck %s < %t.err
// RUN: ls %t | count 1
// KEPT: kept

// CHECK: [[FILE:.*]]opt_output_kept_on_failure.mlir:[[#@LINE+4]]:3: error: 'func.return' op has 1 operands
// CHECK-NEXT: return %x : i32
// CHECK-NEXT: ^
func.func @f(%x: i32) {
  return %x : i32
}
