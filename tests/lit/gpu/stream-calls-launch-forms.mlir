// Launches with clusters or a stream of the program's own have a function of
// their own; a memref without a rank is its rank and a copy of its descriptor
// that the device can read, freed behind the launch.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-kernels=targets=native --async-gpu-stream-calls | FileCheck %s

// CHECK-LABEL: func.func @launch(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<*xf32>, %[[OWN:[a-z0-9]+]]: !llvm.ptr
// CHECK: %[[P1:.*]] = builtin.unrealized_conversion_cast %[[X]]
// CHECK: call @agpu_launch.0({{.*}}, %[[P1]], %{{.*}})
// CHECK: %[[P2:.*]] = builtin.unrealized_conversion_cast %[[X]]
// CHECK: call @agpu_launch_with.1({{.*}}, %[[OWN]], %[[P2]], %{{.*}})

// CHECK: func.func private @agpu_launch.0(%[[S:.*]]: !agpu.stream,
// CHECK: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, ptr)>
// CHECK: %[[RANK:.*]] = llvm.extractvalue %[[PAIR:.*]][0]
// CHECK: %[[HOST:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: %[[COPY:.*]] = call @agpu_descriptor_copy(%{{.*}}, %[[RANK]], %[[HOST]], %{{.*}})
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[MEMORY]][0, 1]
// CHECK: llvm.store %[[COPY]], %[[PLACE]]
// CHECK: call @agpu_launch(
// CHECK: call @agpu_dealloc(%{{.*}}, %[[COPY]], %{{.*}})
// CHECK: return

// CHECK: func.func private @agpu_launch_with.1(
// CHECK: call @agpu_launch_with(
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<*xf32>) kernel {
      gpu.return
    }
  }
  func.func @launch(%x: memref<*xf32>, %own: !llvm.ptr, %n: index) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<*xf32>)
    gpu.launch_func <%own : !llvm.ptr> @m::@k clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<*xf32>)
    return
  }
}
