// Calls that enqueue are GPU ops: they cause no wait and find the stream.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s --check-prefix=CALLS

// CHECK: async.execute attributes {async_gpu.kind = "device"
// CHECK: %[[S:.*]] = "agpu.stream_acquire"
// CHECK: "agpu.memset"(%[[S]]
// CHECK-NEXT: %[[O:.*]] = "agpu.stream_enter"(%[[S]]) : (!agpu.stream) -> !agpu.stream
// CHECK-NEXT: func.call @enqueue(%arg0)
// CHECK-NEXT: "agpu.stream_leave"(%[[S]], %[[O]]) : (!agpu.stream, !agpu.stream) -> ()
// CHECK-NEXT: "agpu.memset"(%[[S]]
// CHECK-NEXT: async.yield

// CALLS-NOT: async_gpu.enqueue
// CALLS: %[[P:.*]] = llvm.call @agpu_stream_enter(%[[L:.*]]) : (!llvm.ptr) -> !llvm.ptr
// CALLS: llvm.call @enqueue(
// CALLS: llvm.call @agpu_stream_leave(%[[L]], %[[P]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
func.func private @enqueue(memref<f32>)
func.func @main(%d: memref<f32>, %x: f32) {
  %t = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    func.call @enqueue(%d) {async_gpu.enqueue} : (memref<f32>) -> ()
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  async.await %t : !async.token
  return
}
