// Our passes, our named pipelines and upstream's passes, mixed in one pipeline.

// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(canonicalize{max-iterations=2 region-simplify=disabled},func.func(cse, canonicalize),async-gpu-regions{remarks=false},any(cse),async-gpu-lower)' \
// RUN:   | FileCheck %s --check-prefix=LLVM
// RUN: async-gpu-opt %s --pass-pipeline=' builtin.module( async-gpu-lower ) ' | FileCheck %s --check-prefix=LLVM
// RUN: async-gpu-opt %s --pass-pipeline='any(async-gpu-lower)' | FileCheck %s --check-prefix=LLVM
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module()' | FileCheck %s --check-prefix=SAME

// Flags run in the order given, ours between upstream's.
// RUN: async-gpu-opt %s --cse --async-gpu-regions --canonicalize --async-gpu-regions --cse -o /dev/null --mlir-print-ir-after-all 2>&1 | grep Dump | FileCheck %s --check-prefix=ORDER

// All ways to give options, for upstream's passes and for ours.
// RUN: async-gpu-opt %s --canonicalize='max-iterations=1 test-convergence=false' | FileCheck %s --check-prefix=SAME
// RUN: async-gpu-opt %s --canonicalize={max-iterations=1} --async-gpu-regions={remarks=false} --async-gpu-regions='remarks=0' | FileCheck %s --check-prefix=SAME
// RUN: async-gpu-opt %s "--canonicalize{max-iterations=1 test-convergence=false}" "-async-gpu-regions{remarks=false}" | FileCheck %s --check-prefix=SAME

// A flag of a pass that runs on another op than the module is nested there.
// RUN: async-gpu-opt %s --gpu-async-region --llvm-request-c-wrappers | FileCheck %s --check-prefix=WRAP

// LLVM-LABEL: llvm.func @main() -> i64
// LLVM:         llvm.return

// SAME-LABEL: func.func @main() -> i64

// ORDER:      (cse)
// ORDER-NEXT: (async-gpu-regions)
// ORDER-NEXT: (canonicalize)
// ORDER-NEXT: (async-gpu-regions)
// ORDER-NEXT: (cse)

// WRAP: func.func @main() -> i64 attributes {llvm.emit_c_interface}
func.func @main() -> i64 {
  %a = arith.constant 20 : i64
  %b = arith.constant 22 : i64
  %c = arith.addi %a, %b : i64
  return %c : i64
}
