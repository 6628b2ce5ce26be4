// Tokens inside a region cost nothing: what is left of six GPU ops with tokens
// between them is six calls and the one object that leaves the region.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-coroutines --async-gpu-reference-counts --async-gpu-stream-calls --async-gpu-runtime-calls | FileCheck %s

// CHECK-LABEL: func.func private @main_region_1(
// CHECK-COUNT-1: call @mlirAsyncRuntimeCreateToken(
// CHECK-NOT: call @mlirAsyncRuntimeCreateToken(
// CHECK-NOT: call @agpu_stream_record(
// CHECK-COUNT-6: call @agpu_memset(
// CHECK-NOT: call @agpu_stream_record(
// CHECK-COUNT-1: call @agpu_object_set_enqueued(
// CHECK-NOT: call @agpu_object_set_enqueued(
// CHECK-NOT: call @agpu_stream_record(
// CHECK: call @agpu_stream_release(
func.func @main(%m: memref<4xf32>, %n: memref<4xf32>, %x: f32) -> !async.token {
  %t = async.execute {
    %a = gpu.memset async %m, %x : memref<4xf32>, f32
    %b = gpu.memset async %n, %x : memref<4xf32>, f32
    %c = gpu.memset async [%a, %b] %m, %x : memref<4xf32>, f32
    %d = gpu.memset async [%c] %n, %x : memref<4xf32>, f32
    %e = gpu.wait async [%c, %d]
    %f = gpu.memset async [%e, %a] %m, %x : memref<4xf32>, f32
    gpu.memset %n, %x : memref<4xf32>, f32
    gpu.wait [%f]
    async.yield
  }
  return %t : !async.token
}
