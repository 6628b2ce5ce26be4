// Kernels of linalg that are alike but for constants have one body on their way
// to native code, before anything is lowered. Those that name constants of one
// number, or what can be written, or that assert, have their own; so have all
// that are for CUDA, too, there.
// RUN: async-gpu-opt %s --async-gpu-kernel-targets='targets=native' | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernel-targets='targets=native share=false' | FileCheck %s --check-prefix=APART
// RUN: async-gpu-opt %s --async-gpu-kernel-targets='targets=ptx,native' | FileCheck %s --check-prefix=BOTH
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-kernel-targets{targets=native},gpu.module(async-gpu-native))' | FileCheck %s --check-prefix=NATIVE

// CHECK: llvm.func @first({{.*}}agpu.constants = [@w, @v], {{.*}}agpu.name = "first"
// CHECK: llvm.mlir.addressof @w
// CHECK: llvm.func @second({{.*}}agpu.alike = "first", agpu.constants = [@v, @w], {{.*}}agpu.name = "second"
// CHECK-NEXT: llvm.return
// CHECK-NEXT: }
// CHECK: llvm.func @twice(
// CHECK: llvm.mlir.addressof @w
// CHECK: llvm.func @ones(
// CHECK: llvm.mlir.addressof @s
// CHECK: llvm.func @twos(
// CHECK: llvm.mlir.addressof @t
// CHECK: llvm.func @written(
// CHECK: llvm.mlir.addressof @x

// APART-NOT: agpu.alike
// APART: llvm.func @second(
// APART: llvm.mlir.addressof @v

// BOTH: gpu.module @k attributes
// BOTH-NOT: agpu.alike
// BOTH: gpu.module @k_native
// BOTH: llvm.func @first(
// BOTH: llvm.mlir.addressof @w
// BOTH: llvm.func @second({{.*}}agpu.alike = "first", agpu.constants = [@v, @w]
// BOTH-NEXT: llvm.return

// NATIVE: llvm.func internal @agpu_body.k.first({{.*}}!llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.readonly})
// NATIVE: llvm.func internal @agpu_native.k.first(
// NATIVE: %[[W:.*]] = llvm.mlir.addressof @agpu_global.k.w
// NATIVE-NEXT: %[[V:.*]] = llvm.mlir.addressof @agpu_global.k.v
// NATIVE-NEXT: llvm.call @agpu_body.k.first({{.*}}, %[[W]], %[[V]])
// NATIVE-NOT: @agpu_body.k.second(
// NATIVE: llvm.func internal @agpu_native.k.second({{.*}}agpu.name = "second"
// NATIVE: %[[V:.*]] = llvm.mlir.addressof @agpu_global.k.v
// NATIVE-NEXT: %[[W:.*]] = llvm.mlir.addressof @agpu_global.k.w
// NATIVE-NEXT: llvm.call @agpu_body.k.first({{.*}}, %[[V]], %[[W]])
module attributes {async_gpu.alike_kernels, gpu.container_module} {
  gpu.module @k {
    memref.global "private" constant @w : memref<2xf32> = dense<[1.0, 2.0]> {alignment = 64 : i64}
    memref.global "private" constant @v : memref<2xf32> = dense<[3.0, 4.0]> {alignment = 64 : i64}
    memref.global "private" constant @s : memref<2xf32> = dense<1.0> {alignment = 64 : i64}
    memref.global "private" constant @t : memref<2xf32> = dense<2.0> {alignment = 64 : i64}
    memref.global "private" @x : memref<2xf32> = dense<[5.0, 6.0]> {alignment = 64 : i64}
    gpu.func @first(%m: memref<2xf32>) kernel {
      %i = gpu.thread_id x
      %w = memref.get_global @w : memref<2xf32>
      %v = memref.get_global @v : memref<2xf32>
      %a = memref.load %w[%i] : memref<2xf32>
      %b = memref.load %v[%i] : memref<2xf32>
      %c = arith.subf %a, %b : f32
      memref.store %c, %m[%i] : memref<2xf32>
      gpu.return
    }
    gpu.func @second(%m: memref<2xf32>) kernel {
      %i = gpu.thread_id x
      %w = memref.get_global @v : memref<2xf32>
      %v = memref.get_global @w : memref<2xf32>
      %a = memref.load %w[%i] : memref<2xf32>
      %b = memref.load %v[%i] : memref<2xf32>
      %c = arith.subf %a, %b : f32
      memref.store %c, %m[%i] : memref<2xf32>
      gpu.return
    }
    gpu.func @twice(%m: memref<2xf32>) kernel {
      %i = gpu.thread_id x
      %w = memref.get_global @w : memref<2xf32>
      %v = memref.get_global @w : memref<2xf32>
      %a = memref.load %w[%i] : memref<2xf32>
      %b = memref.load %v[%i] : memref<2xf32>
      %c = arith.subf %a, %b : f32
      memref.store %c, %m[%i] : memref<2xf32>
      gpu.return
    }
    gpu.func @ones(%m: memref<2xf32>) kernel {
      %i = gpu.thread_id x
      %w = memref.get_global @s : memref<2xf32>
      %a = memref.load %w[%i] : memref<2xf32>
      memref.store %a, %m[%i] : memref<2xf32>
      gpu.return
    }
    gpu.func @twos(%m: memref<2xf32>) kernel {
      %i = gpu.thread_id x
      %w = memref.get_global @t : memref<2xf32>
      %a = memref.load %w[%i] : memref<2xf32>
      memref.store %a, %m[%i] : memref<2xf32>
      gpu.return
    }
    gpu.func @written(%m: memref<2xf32>) kernel {
      %i = gpu.thread_id x
      %w = memref.get_global @x : memref<2xf32>
      %a = memref.load %w[%i] : memref<2xf32>
      memref.store %a, %m[%i] : memref<2xf32>
      gpu.return
    }
  }
}
