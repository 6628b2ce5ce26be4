// Pieces are independent, keep the line numbers of the file, and a piece that
// fails does not keep the others from being looked at.

// RUN: not async-gpu-opt %s --split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not test -e %t
// RUN: sed /BAD/d %s | async-gpu-opt --split-input-file | FileCheck %s
// RUN: sed /BAD/d %s | async-gpu-opt --split-input-file --mlir-print-debuginfo | FileCheck %s --check-prefix=LINES

// LINES: loc("<stdin>":17:1)
// LINES: // -----
// LINES: loc("<stdin>":20:1)

// CHECK-LABEL: func.func @same
// CHECK:       // -----
// CHECK-LABEL: func.func @same
// CHECK-NOT:   // -----

// ERROR: opt_split_input_file.mlir:[[#@LINE+2]]:1: error: {{.*}}
// ERROR-NEXT: this is BAD
this is BAD
func.func @same() { return }

// -----
func.func @same() { return }
// ERROR: opt_split_input_file.mlir:[[#@LINE+1]]:1: error:
nor is this, BAD
