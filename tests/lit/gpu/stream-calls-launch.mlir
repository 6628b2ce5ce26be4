// All launches of a kernel go through one function, which puts the kernel's
// arguments into memory: a memref's descriptor part by part.
// RUN: async-gpu-opt %s --async-gpu-streams --async-gpu-kernels=targets=native --async-gpu-stream-calls | FileCheck %s

// CHECK-LABEL: func.func @launch(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[V:.*]]: f32, %[[BYTES:.*]]: i32
// CHECK: %[[SHARED:.*]] = arith.extui %[[BYTES]] : i32 to i64
// CHECK: call @agpu_launch.agpu_kernel.m.k(%{{.*}}, %[[SHARED]], %[[X]], %[[V]], %{{.*}})
// CHECK: call @agpu_launch.agpu_kernel.m.k(
// CHECK-NOT: func.func private @agpu_launch.agpu_kernel.m.k_
// CHECK: func.func private @agpu_launch.agpu_kernel.m.k(
// CHECK-SAME: noinline
// CHECK: %[[DESCRIPTOR:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 0]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 1]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 2]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 3, 0]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 4, 0]
// CHECK: llvm.alloca %{{.*}} x f32
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @agpu_kernel.m.k
// CHECK: %[[PARAMS:.*]] = llvm.alloca %{{.*}} x !llvm.array<6 x ptr>
// CHECK: call @agpu_launch(%{{.*}}, %[[KERNEL]], {{.*}}, %[[PARAMS]], %{{.*}})
// CHECK-NOT: agpu.launch
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<?xf32>, %v: f32) kernel {
      gpu.return
    }
  }
  func.func @launch(%x: memref<?xf32>, %v: f32, %shared: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        dynamic_shared_memory_size %shared args(%x : memref<?xf32>, %v : f32)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xf32>, %v : f32)
    return
  }
}
