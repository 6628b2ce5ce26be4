// Calls that enqueue and that graphs may have.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s --check-prefix=CALLS

// With async_gpu.capture, on the call or, for all that say nothing, on the function,
// graphs may have it: a stub puts the arguments into memory, and the runtime says
// whether they are to be given to the function.
// CHECK-LABEL: func.func @captured
// CHECK: %[[S:.*]] = "agpu.stream_acquire"
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %arg0, %arg1 : memref<4xf32>, i32 to !agpu.arguments
// CHECK-NEXT: "agpu.call"(%[[S]], %[[A]]) {callee = @gemm, mode = 1 : i64}
// CHECK: "agpu.call"(%[[S]], %{{.*}}) {callee = @gemm, mode = 2 : i64}
// CHECK: "agpu.stream_enter"
// CHECK-NEXT: call @gemm
// CALLS-LABEL: llvm.func @captured
// CALLS: llvm.call @agpu_call.gemm.1(
// CALLS: llvm.call @agpu_call.gemm.2(
// CALLS: llvm.call @agpu_stream_enter
// CALLS: llvm.call @gemm(
// CALLS-LABEL: llvm.func internal @agpu_call.gemm.1(
// CALLS: %[[BEGINS:.*]] = llvm.call @agpu_graph_call_begin(%{{.*}}, %[[C:.*]]) : (!llvm.ptr, !llvm.ptr) -> i1
// CALLS-NEXT: llvm.cond_br %[[BEGINS]], ^[[CALL:.*]], ^[[END:.*]]
// CALLS-NEXT: ^[[CALL]]:
// CALLS: llvm.call @gemm(
// CALLS-NEXT: %[[AGAIN:.*]] = llvm.call @agpu_graph_call_end(%{{.*}}, %[[C]]) : (!llvm.ptr, !llvm.ptr) -> i1
// CALLS-NEXT: llvm.cond_br %[[AGAIN]], ^[[CALL]], ^[[END]]
// CALLS-NEXT: ^[[END]]:
// CALLS-NEXT: llvm.return
func.func private @gemm(memref<4xf32>, i32) attributes {async_gpu.capture = "thread_local"}
func.func @captured(%d: memref<4xf32>, %n: i32) {
  func.call @gemm(%d, %n) {async_gpu.enqueue} : (memref<4xf32>, i32) -> ()
  func.call @gemm(%d, %n) {async_gpu.enqueue, async_gpu.capture = "relaxed"} : (memref<4xf32>, i32) -> ()
  func.call @gemm(%d, %n) {async_gpu.enqueue, async_gpu.capture = "never"} : (memref<4xf32>, i32) -> ()
  return
}
