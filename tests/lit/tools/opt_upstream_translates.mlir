// Upstream's passes that translate to LLVM IR run by themselves. They ask for a
// toolkit's libdevice, even where nothing of it is used: an empty one does.

// RUN: rm -rf %t && mkdir -p %t/nvvm/libdevice
// RUN: llvm-as /dev/null -o %t/nvvm/libdevice/libdevice.10.bc
// RUN: env CUDA_ROOT=%t async-gpu-opt %s --gpu-module-to-binary=format=isa | FileCheck %s
// RUN: env CUDA_ROOT=%t async-gpu-opt %s --pass-pipeline='builtin.module(gpu-module-to-binary{format=llvm})' \
// RUN:   | FileCheck %s --check-prefix=BITCODE
// RUN: env CUDA_ROOT=%t async-gpu-opt %s --gpu-lower-to-nvvm-pipeline='cubin-format=isa cubin-chip=sm_90 cubin-features=+ptx80' \
// RUN:   | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK: gpu.binary @k
  // CHECK-SAME: .visible .entry f()
  // BITCODE: gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_75">
  gpu.module @k [#nvvm.target<chip = "sm_75">] {
    llvm.func @f() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
}
