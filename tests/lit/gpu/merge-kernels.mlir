// All kernels move into one gpu.module; names that collide change, with what
// refers to them.
// RUN: async-gpu-opt %s --async-gpu-merge-kernels | FileCheck %s
// RUN: async-gpu-opt %s --gpu-kernel-outlining --async-gpu-merge-kernels | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: gpu.launch_func @a::@k blocks
// CHECK: gpu.launch_func @a::@k_0 blocks
// CHECK: gpu.launch_func @a::@other blocks
// CHECK: gpu.launch_func @apart::@k blocks

// Copies that outlining has made of one global are one.
// CHECK: gpu.module @a {
// CHECK: memref.global "private" @state
// CHECK: memref.global "private" @own
// CHECK: func.func @helper
// CHECK: gpu.func @k(
// CHECK: call @helper(
// CHECK-NOT: @state_0
// CHECK: memref.global "private" @own_0
// CHECK: func.func @helper_0
// CHECK: gpu.func @k_0(
// CHECK: call @helper_0(
// CHECK: gpu.func @other(
// CHECK: memref.get_global @state :
// CHECK: memref.get_global @own_0 :
// CHECK-NOT: gpu.module @b
// A module with a target of its own stays.
// CHECK: gpu.module @apart [#nvvm.target
module attributes {gpu.container_module} {
  memref.global "private" @state : memref<4xf32> = dense<0.0>
  func.func @main(%x: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @a::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    gpu.launch_func @b::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    gpu.launch_func @b::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @apart::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @a {
    memref.global "private" @state : memref<4xf32> = dense<0.0>
    memref.global "private" @own : memref<4xf32> = dense<0.0>
    func.func @helper(%x: f32) -> f32 {
      return %x : f32
    }
    gpu.func @k(%x: f32) kernel {
      %y = func.call @helper(%x) : (f32) -> f32
      gpu.return
    }
  }
  gpu.module @b {
    memref.global "private" @state : memref<4xf32> = dense<0.0>
    memref.global "private" @own : memref<4xf32> = dense<0.0>
    func.func @helper(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }
    gpu.func @k(%x: f32) kernel {
      %y = func.call @helper(%x) : (f32) -> f32
      gpu.return
    }
    gpu.func @other() kernel {
      %s = memref.get_global @state : memref<4xf32>
      %o = memref.get_global @own : memref<4xf32>
      gpu.return
    }
  }
  gpu.module @apart [#nvvm.target<chip = "sm_80">] {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
