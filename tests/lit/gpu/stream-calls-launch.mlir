// Launches with parameters of the same types go through one function, which puts
// them into memory: a memref's descriptor part by part.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-kernels=targets=native --async-gpu-stream-calls | FileCheck %s

// CHECK-LABEL: func.func @launch(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[Y:[a-z0-9]+]]: memref<8xf32>, {{.*}}, %[[V:[a-z0-9]+]]: f32, %[[BYTES:[a-z0-9]+]]: i32
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @agpu_kernel.m.k
// CHECK: %[[SHARED:.*]] = arith.extui %[[BYTES]] : i32 to i64
// CHECK: %[[PARTS:.*]] = builtin.unrealized_conversion_cast %[[X]]
// CHECK: call @agpu_launch.0(%{{.*}}, %[[KERNEL]], {{.*}}, %[[SHARED]], %[[PARTS]], %[[V]], %{{.*}})
// Of a memref whose type says the rest, the pointers alone.
// CHECK: %[[OTHER:.*]] = llvm.mlir.addressof @agpu_kernel.m.other
// CHECK: %[[PARTS:.*]] = builtin.unrealized_conversion_cast %[[Y]]
// CHECK: %[[ALLOCATED:.*]] = llvm.extractvalue %[[PARTS]][0]
// CHECK: %[[ALIGNED:.*]] = llvm.extractvalue %[[PARTS]][1]
// CHECK: call @agpu_launch.1(%{{.*}}, %[[OTHER]], {{.*}}, %[[ALLOCATED]], %[[ALIGNED]], %[[V]], %{{.*}})
// The same types as of the first to LLVM, but parameters of their own.
// CHECK: call @agpu_launch.2(
// The same types as of the second to LLVM, but another shape.
// CHECK: call @agpu_launch.3(
// CHECK: call @agpu_launch.1(
// CHECK: func.func private @agpu_launch.0(%[[S:.*]]: !agpu.stream, %[[KERNEL:[a-z0-9]+]]: !llvm.ptr,
// CHECK-SAME: noinline
// CHECK: %[[DESCRIPTOR:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 0]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 1]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 2]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 3, 0]
// CHECK: llvm.getelementptr %[[DESCRIPTOR]][0, 4, 0]
// CHECK: llvm.alloca %{{.*}} x f32
// CHECK: %[[PARAMS:.*]] = llvm.alloca %{{.*}} x !llvm.array<6 x ptr>
// CHECK: call @agpu_launch(%{{.*}}, %[[KERNEL]], {{.*}}, %[[PARAMS]], %{{.*}})
// CHECK: func.func private @agpu_launch.1(
// CHECK: %[[FIRST:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[SECOND:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[SHAPE:.*]] = llvm.mlir.addressof @agpu_shape.0.8.1
// CHECK: llvm.getelementptr %[[SHAPE]][16]
// CHECK: llvm.alloca %{{.*}} x !llvm.array<6 x ptr>
// CHECK: llvm.mlir.global private constant @agpu_shape.0.8.1(dense<[0, 8, 1]> : tensor<3xi64>)
// CHECK: func.func private @agpu_launch.2(
// CHECK: llvm.alloca %{{.*}} x !llvm.array<2 x ptr>
// CHECK: func.func private @agpu_launch.3(
// CHECK: llvm.mlir.addressof @agpu_shape.5.8.2
// CHECK: llvm.mlir.global private constant @agpu_shape.5.8.2(dense<[5, 8, 2]> : tensor<3xi64>)
// CHECK-NOT: func.func private @agpu_launch.
// CHECK-NOT: @agpu_shape
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<?xf32>, %v: f32) kernel {
      gpu.return
    }
    gpu.func @other(%x: memref<8xf32>, %v: f32) kernel {
      gpu.return
    }
    gpu.func @strided(%x: memref<8xf32, strided<[2], offset: 5>>, %v: f32) kernel {
      gpu.return
    }
    gpu.func @whole(%x: !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, %v: f32) kernel {
      gpu.return
    }
  }
  func.func @launch(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<8xf32, strided<[2], offset: 5>>, %v: f32, %shared: i32, %whole: !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        dynamic_shared_memory_size %shared args(%x : memref<?xf32>, %v : f32)
    gpu.launch_func @m::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<8xf32>, %v : f32)
    gpu.launch_func @m::@whole blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%whole : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, %v : f32)
    gpu.launch_func @m::@strided blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<8xf32, strided<[2], offset: 5>>, %v : f32)
    gpu.launch_func @m::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<8xf32>, %v : f32)
    return
  }
}
