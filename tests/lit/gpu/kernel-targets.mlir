// Each target gets a module of its own, and the pipelines run on those.
// RUN: async-gpu-opt %s --async-gpu-kernel-targets=chip=sm_75,sm_90 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernel-targets=targets=native | FileCheck %s --check-prefix=NATIVE
// RUN: async-gpu-opt %s --async-gpu-kernel-targets --async-gpu-native --async-gpu-embed-kernels -o %t.steps.mlir
// RUN: async-gpu-opt %s --async-gpu-kernels -o %t.whole.mlir
// RUN: diff %t.steps.mlir %t.whole.mlir
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-kernel-targets,gpu.module(async-gpu-native-legalize,async-gpu-native-shared-memory))' --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-native-legalize)' 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not async-gpu-opt %s --async-gpu-embed-kernels 2>&1 | FileCheck %s --check-prefix=EMBED
// RUN: not async-gpu-opt %s --async-gpu-kernel-targets --async-gpu-embed-kernels 2>&1 | FileCheck %s --check-prefix=BLOCK

// What is known of the launches holds for PTX alone.
// CHECK: gpu.module @m attributes {agpu.chips = ["sm_75", "sm_90"], agpu.module = "m", agpu.ptx_versions = array<i32: 63, 78>, agpu.target = "ptx", agpu.toolkit = ""}
// CHECK-NEXT: llvm.func @a_$2db(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.align = 256 : i64}, {{.*}}) attributes {agpu.image_name = "a_$2db", agpu.name = "a-b", agpu.pointers = array<i64: 1, 0, 1, 4, 4, 0>
// CHECK: gpu.module @m_native attributes {agpu.module = "m", agpu.target = "native"}
// CHECK-NEXT: llvm.func @a_$2db(
// CHECK-NOT: llvm.align
// CHECK-SAME: agpu.image_name = "a_$2db", agpu.most_shared_bytes = 232448 : i64, agpu.name = "a-b"
// NATIVE: gpu.module @m attributes {agpu.module = "m", agpu.target = "native"}
// NATIVE-NOT: gpu.module
// PRINT: IR Dump After async-gpu-kernel-targets
// PRINT: IR Dump After async-gpu-native-legalize
// PRINT-NEXT: gpu.module @m attributes
// PRINT: IR Dump After async-gpu-native-legalize
// PRINT-NEXT: gpu.module @m_native attributes
// NEST: 'async-gpu-native-legalize' runs on 'gpu.module', but stands inside 'builtin.module(...)'
// EMBED: kernel-targets.mlir:[[#@LINE+3]]:1: error: has no valid attribute 'agpu.target', which async-gpu-kernel-targets leaves: run that pass before
// BLOCK: error: has no valid attribute 'agpu.param_sizes', which async-gpu-native-block leaves: run that pass before

gpu.module @m {
  gpu.func @"a-b"(%x: memref<?xf32>) kernel attributes {agpu.fresh = array<i32: 0>} {
    gpu.return
  }
}
