// Kernels that were compiled before: PTX is embedded, for the kernels that are
// launched. Of several objects all are taken, one per chip.
// RUN: split-file %s %t
// RUN: async-gpu-opt %t/ptx.mlir --async-gpu-regions --async-gpu-kernels | FileCheck %s
// RUN: not async-gpu-runner --device=emu %t/ptx.mlir 2>&1 | FileCheck %s --check-prefix=EMU
// RUN: async-gpu-opt %t/errors.mlir --async-gpu-lower --split-input-file --verify-diagnostics

//--- ptx.mlir
// CHECK-NOT: gpu.binary
// CHECK: llvm.mlir.global internal constant @agpu_ptx.kernels.sm_80(".version 7.0\0A.target sm_80, debug\0A;\00")
// CHECK: llvm.mlir.global internal constant @agpu_ptx.kernels.sm_75(".version 6.3\0A.target sm_75\0A;\00")
// CHECK: @agpu_images.kernels() {{.*}}!llvm.array<2 x struct<(i32, i32, i32, i32, ptr, i64)>>
// CHECK: llvm.mlir.constant(80 : i32)
// CHECK: llvm.mlir.constant(75 : i32)
// CHECK: @agpu_kernel.kernels.first()
// CHECK: @agpu_kernel.kernels.second()
// CHECK-NOT: @agpu_kernel.kernels.first()
// CHECK-NOT: gpu.binary
// EMU: ptx.mlir:{{[0-9]+}}:5: error: module 'kernels' has no image for the emu device: it needs native code, and there is PTX for sm_80, PTX for sm_75
module attributes {gpu.container_module} {
  gpu.binary @kernels [
    #gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 7.0\0A.target sm_80, debug\0A;">,
    #gpu.object<#nvvm.target<chip = "sm_75">, assembly = ".version 6.3\0A.target sm_75\0A;">,
    #gpu.object<#nvvm.target<chip = "sm_75">, bin = "\7FELF">
  ]
  gpu.binary @unused [#gpu.object<#nvvm.target, assembly = "\0A.target sm_90a\0A">]
  func.func @main() {
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    %d = gpu.alloc () : memref<f32>
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    gpu.launch_func @kernels::@second clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<f32>)
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    return
  }
}

//--- errors.mlir
// expected-error@+1 {{gpu.binary @a has no PTX: make it with --gpu-module-to-binary=format=isa, or leave its gpu.module to this pipeline}}
gpu.binary @a [#gpu.object<#nvvm.target, bin = "\7FELF">]
// expected-error@+1 {{gpu.binary @b has no PTX}}
gpu.binary @b [#gpu.object<#rocdl.target, assembly = ".amdgcn_target">]
// expected-error@+1 {{gpu.binary @c has no PTX}}
gpu.binary @c [#gpu.object<#nvvm.target, assembly = ".version 7.0\0A.target sm_12345\0A">]
