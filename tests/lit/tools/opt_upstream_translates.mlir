// Upstream's passes that translate to LLVM IR run by themselves.

// RUN: async-gpu-opt %s --gpu-module-to-binary=format=isa | FileCheck %s
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(gpu-module-to-binary{format=llvm})' \
// RUN:   | FileCheck %s --check-prefix=BITCODE
// RUN: async-gpu-opt %s --gpu-lower-to-nvvm-pipeline='cubin-format=isa cubin-chip=sm_90 cubin-features=+ptx80' \
// RUN:   | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK: gpu.binary @k
  // CHECK-SAME: .visible .entry f()
  // BITCODE: gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_75">
  gpu.module @k [#nvvm.target<chip = "sm_75">] {
    llvm.func @f() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
}
