// --mlir-print-ir-*: around every pass, or around those named, ours and
// upstream's, nested or not.

// RUN: async-gpu-opt %s --cse --async-gpu-regions -o /dev/null --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTERALL
// AFTERALL: IR Dump After {{.*}}cse
// AFTERALL: IR Dump After {{.*}}async-gpu-regions

// RUN: async-gpu-opt %s --cse --async-gpu-regions -o /dev/null --mlir-print-ir-before-all 2>&1 | FileCheck %s --check-prefix=BEFOREALL
// BEFOREALL: IR Dump Before {{.*}}cse
// BEFOREALL: IR Dump Before {{.*}}async-gpu-regions

// RUN: async-gpu-opt %s --cse --canonicalize --async-gpu-regions -o /dev/null --mlir-print-ir-before=canonicalize --mlir-print-ir-after=async-gpu-regions,cse 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED-NOT: IR Dump Before cse
// NAMED:     // -----// IR Dump After cse //----- //
// NAMED:     arith.addi
// NAMED:     // -----// IR Dump Before canonicalize //----- //
// NAMED:     arith.addi
// NAMED-NOT: IR Dump After canonicalize
// NAMED:     // -----// IR Dump After async-gpu-regions //----- //
// NAMED-NOT: arith.addi

// RUN: async-gpu-opt %s -o /dev/null --mlir-print-ir-after=canonicalize --pass-pipeline='builtin.module(func.func(canonicalize))' 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED:      // -----// IR Dump After canonicalize //----- //
// NESTED-NEXT: {{^}}func.func @main

// RUN: async-gpu-opt %s -o /dev/null --mlir-print-ir-after=canonicalize --mlir-print-ir-module-scope --pass-pipeline='builtin.module(func.func(canonicalize))' 2>&1 | FileCheck %s --check-prefix=SCOPE
// SCOPE:      // -----// IR Dump After canonicalize //----- //
// SCOPE-NEXT: module {

// RUN: not async-gpu-opt %s --cse --mlir-print-ir-before=cse,nonesuch 2>&1 | FileCheck %s --check-prefix=NONESUCH
// RUN: not async-gpu-opt %s --cse --mlir-print-ir-after=nonesuch 2>&1 | FileCheck %s --check-prefix=NONESUCH
// NONESUCH: error: option '--mlir-print-ir-{{before|after}}': no pass is called 'nonesuch'

// RUN: async-gpu-opt %s --cse --canonicalize -o /dev/null --mlir-print-ir-after-change 2>&1 | FileCheck %s --check-prefix=CHANGE
// CHANGE-NOT: IR Dump After {{.*}}cse
// CHANGE:     IR Dump After {{.*}}canonicalize

// A file of the tree that cannot be written is an error, although upstream goes on:
// here a file is where a folder has to be, and a folder where a file has to be.
// RUN: rm -rf %t && mkdir %t && touch %t/builtin_module_no-symbol-name
// RUN: not async-gpu-opt %s --cse -o /dev/null --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: not async-gpu-runner %s --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: rm -rf %t && mkdir -p %t/builtin_module_no-symbol-name/0_cse.mlir
// RUN: not async-gpu-opt %s --cse -o /dev/null --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t 2>&1 | FileCheck %s --check-prefix=TREE
// TREE: Error {{while creating directory|opening output file}}
// TREE: async-gpu-{{opt|runner}}: error: some files of --mlir-print-ir-tree-dir could not be written
// TREE-NOT: {{^}}42
// RUN: rm -rf %t && async-gpu-opt %s --cse -o /dev/null --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=TREEFILE < %t/builtin_module_no-symbol-name/0_cse.mlir
// TREEFILE: arith.addi

// Upstream's passes that ours run.
// RUN: async-gpu-opt %s --async-gpu-to-llvm -o /dev/null --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: IR Dump After {{.*}}convert-to-llvm
// INSIDE: IR Dump After {{.*}}async-gpu-to-llvm
// RUN: async-gpu-opt %s --async-gpu-to-llvm -o /dev/null --mlir-print-ir-before=convert-to-llvm 2>&1 | FileCheck %s --check-prefix=INSIDENAMED
// INSIDENAMED: IR Dump Before convert-to-llvm //
// INSIDENAMED: {{^}}module
// RUN: async-gpu-opt %S/../../../integration/diamond.mlir --async-gpu-lower -o /dev/null --mlir-print-ir-after=convert-gpu-to-nvvm 2>&1 | FileCheck %s --check-prefix=INSIDEKERNELS
// INSIDEKERNELS: IR Dump After convert-gpu-to-nvvm //
// INSIDEKERNELS-NEXT: {{^}}gpu.module
// RUN: async-gpu-opt %s --async-gpu-to-llvm -o /dev/null --mlir-timing 2>&1 | FileCheck %s --check-prefix=INSIDETIME
// INSIDETIME: ConvertToLLVM

// RUN: async-gpu-opt %s --canonicalize --async-gpu-regions -o /dev/null --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: Execution time report
// TIMING: Canonicalizer
// TIMING: async-gpu-regions

func.func @main() -> i64 {
  %a = arith.constant 20 : i64
  %b = arith.constant 22 : i64
  %c = arith.addi %a, %b : i64
  return %c : i64
}
