// A block's place in its cluster that nobody uses is not asked for: outlining
// reads all of it, and only some chips can say.
// RUN: async-gpu-opt %s --async-gpu-merge-kernels | FileCheck %s

// CHECK-LABEL: gpu.func @places(
// CHECK-NOT: gpu.cluster_id x
// CHECK: gpu.cluster_id y
// CHECK-NOT: gpu.cluster_dim
// CHECK: gpu.return
gpu.module @m {
  gpu.func @places(%m: memref<4xindex>) kernel {
    %x = gpu.cluster_id x
    %y = gpu.cluster_id y
    %n = gpu.cluster_dim x
    memref.store %y, %m[%y] : memref<4xindex>
    gpu.return
  }
}
