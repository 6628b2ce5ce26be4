// Calls that enqueue are GPU ops: they cause no wait and find the stream.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s --check-prefix=REGIONS
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-streams | FileCheck %s --check-prefix=STREAMS
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s --check-prefix=CALLS

// REGIONS: async.execute attributes {async_gpu.kind = "device"}
// REGIONS-NEXT: gpu.memset %
// REGIONS-NEXT: func.call @enqueue(%arg0) {async_gpu.enqueue}
// REGIONS-NEXT: gpu.memset %
// REGIONS-NEXT: async.yield

// STREAMS: async.func private @main_region_0
// STREAMS: %[[S:.*]] = "agpu.stream_acquire"
// STREAMS: "agpu.memset"(%[[S]]
// STREAMS-NEXT: %[[O:.*]] = "agpu.stream_enter"(%[[S]]) : (!agpu.stream) -> !agpu.stream
// STREAMS-NEXT: call @enqueue(%{{.*}}) : (memref<f32>) -> ()
// STREAMS-NEXT: "agpu.stream_leave"(%[[S]], %[[O]]) : (!agpu.stream, !agpu.stream) -> ()
// STREAMS-NEXT: "agpu.memset"(%[[S]]

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
