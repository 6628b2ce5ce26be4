// Priorities of regions.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions=remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-coroutines \
// RUN:   --async-gpu-stream-calls | FileCheck %s --check-prefix=CALLS

// Streams go on within a priority, and no further. What is inside has the priority of
// what is around it, unless it has its own; what says 0 has the default.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = async.execute attributes {{.*}}async_gpu.priority = -3
// CHECK: "agpu.stream_acquire"() {async_gpu.priority = -3 : i32}
// CHECK: %[[B:.*]] = async.execute attributes {{.*}}async_gpu.priority = -3
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[A]]) {how = "last"}
// CHECK: %[[C:.*]] = async.execute attributes
// CHECK: "agpu.stream_acquire"() : () -> !agpu.stream
// CHECK-NEXT: "agpu.stream_wait"(%{{.*}}, %[[B]]) : (
// CHECK: async.execute attributes
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[C]]) {how = "last"}
// CHECK-LABEL: func.func @inner(
// CHECK: "agpu.stream_acquire"() {async_gpu.priority = -1 : i32}
// CHECK: "agpu.stream_acquire"() {async_gpu.priority = -1 : i32}
// CHECK: "agpu.stream_acquire"() {async_gpu.priority = -2 : i32}
// CHECK: "agpu.stream_acquire"() : () -> !agpu.stream

// REMARK: [[@LINE+8]]:8: remark: region {{.*}}: device, stream
// REMARK: [[@LINE+7]]:8: remark: region {{.*}}: its device work has priority -3
// REMARK-NOT: priority 0

// CALLS: call @agpu_stream_acquire(
// CALLS: %[[P:.*]] = llvm.mlir.constant(-3 : i32)
// CALLS: call @agpu_stream_set_priority(%{{.*}}, %[[P]])
func.func @chain(%d: memref<f32>, %x: f32) {
  %a = async.execute attributes {async_gpu.priority = -3 : i32} {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %b = async.execute [%a] attributes {async_gpu.priority = -3 : i32} {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %c = async.execute [%b] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %e = async.execute [%c] attributes {async_gpu.priority = 0 : i32} {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  return
}

func.func @inner(%d: memref<f32>, %x: f32) {
  %a = async.execute attributes {async_gpu.priority = -1 : i32} {
    gpu.memset %d, %x : memref<f32>, f32
    %b = async.execute {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
    %c = async.execute attributes {async_gpu.priority = -2 : i32} {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
    %e = async.execute attributes {async_gpu.priority = 0 : i32} {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
    async.yield
  }
  return
}
