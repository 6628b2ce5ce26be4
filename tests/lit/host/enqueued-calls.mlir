// A region with a stream that waits for its operands, and first for them, is a call
// of its body once they are ENQUEUED. All others are coroutines.
// RUN: async-gpu-opt %s --async-gpu-coroutines | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-coroutines --async-gpu-reference-counts | FileCheck %s --check-prefix=COUNTS
// RUN: async-gpu-opt %s --async-gpu-coroutines --async-gpu-reference-counts --async-gpu-stream-calls --async-gpu-runtime-calls | FileCheck %s --check-prefix=CALLS

// CHECK-LABEL: func.func @device(
// CHECK-SAME: %[[V:.*]]: !async.value<f32>, %[[T:.*]]: !async.token, %[[X:.*]]: f32) ->
// CHECK-NEXT: %[[TOKEN:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: %[[VALUE:.*]] = async.runtime.create : !async.value<f32>
// CHECK-NEXT: call @agpu_enqueued.device(%[[TOKEN]], %[[VALUE]], %[[V]], %[[T]], %[[X]]) {async_gpu.awaited = 2 : i64, async_gpu.results = 2 : i64}
// CHECK-NEXT: return %[[TOKEN]], %[[VALUE]]

// How a stream comes to be behind an operand stays with what is left of the wait;
// where nothing is to be done, nothing is left. Values come before the token, and
// the stream goes back in the end.
// CHECK-LABEL: func.func private @agpu_enqueued.device(
// CHECK-SAME: %[[TOKEN:.*]]: !async.token, %[[VALUE:.*]]: !async.value<f32>, %[[V:.*]]: !async.value<f32>, %[[T:.*]]: !async.token, %[[X:.*]]: f32)
// CHECK-SAME: async_gpu.results = 2
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.stream_depend"(%[[S]], %[[V]]) {how = "last"}
// CHECK-NEXT: %[[LOADED:.*]] = async.runtime.load %[[V]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[LOADED]], %[[X]]
// CHECK-NEXT: async.runtime.store %[[SUM]], %[[VALUE]]
// CHECK-NEXT: "agpu.set_enqueued"(%[[VALUE]], %[[S]])
// CHECK-NEXT: "agpu.set_enqueued"(%[[TOKEN]], %[[S]])
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
// CHECK-NEXT: cf.br ^[[EXIT:bb[0-9]+]]
// CHECK: return{{$}}

// The call takes references of its operands but for the results.
// COUNTS-LABEL: func.func @device(
// COUNTS-NOT: _ref
// COUNTS-LABEL: func.func private @agpu_enqueued.device(
// COUNTS-SAME: %[[TOKEN:.*]]: !async.token, %[[VALUE:.*]]: !async.value<f32>, %[[V:.*]]: !async.value<f32>, %[[T:.*]]: !async.token, %[[X:.*]]: f32)
// COUNTS: async.runtime.drop_ref %[[T]] {count = 1 : i64}
// COUNTS: async.runtime.load %[[V]]
// COUNTS-NEXT: async.runtime.drop_ref %[[V]] {count = 1 : i64}
// COUNTS-NOT: _ref
// COUNTS: return

// CALLS-LABEL: func.func @device(
// CALLS: %[[TOKEN:.*]] = call @mlirAsyncRuntimeCreateToken
// CALLS: %[[VALUE:.*]] = call @mlirAsyncRuntimeCreateValue
// CALLS: %[[FRAME:.*]] = call @agpu_frame_alloc(
// CALLS: llvm.getelementptr %[[FRAME]][0, 3] {{.*}}, !llvm.struct<(ptr, i64, i64, ptr, ptr, ptr, ptr, f32)>
// CALLS-NEXT: llvm.store %[[TOKEN]],
// CALLS: llvm.getelementptr %[[FRAME]][0, 7]
// CALLS: %[[BODY:.*]] = constant @agpu_enqueued.device : (!llvm.ptr) -> ()
// CALLS: %[[RESULTS:.*]] = llvm.mlir.constant(2 : i32)
// CALLS: %[[AWAITED:.*]] = llvm.mlir.constant(2 : i32)
// CALLS: %[[OBJECTS:.*]] = llvm.mlir.constant(4 : i32)
// CALLS: call @agpu_call_enqueued(%[[FRAME]], %{{.*}}, %[[RESULTS]], %[[AWAITED]], %[[OBJECTS]])
// CALLS: return %[[TOKEN]], %[[VALUE]]
// CALLS-LABEL: func.func private @agpu_enqueued.device(
// CALLS-SAME: %[[FRAME:.*]]: !llvm.ptr)
// CALLS-NOT: async_gpu.results
// CALLS: llvm.getelementptr %[[FRAME]][0, 3]
// What it drops is not asked for first: LLVM would find out nothing.
// CALLS-NOT: agpu_ready_token
// CALLS: call @mlirAsyncRuntimeDropRef
// CALLS: return
async.func @device(%v: !async.value<f32>, %t: !async.token, %x: f32) -> (!async.token, !async.value<f32>) attributes {async_gpu.kind = "device"} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  %p = "agpu.stream_wait"(%s, %v) {how = "last"} : (!agpu.stream, !async.value<f32>) -> f32
  "agpu.stream_wait"(%s, %t) {how = "none"} : (!agpu.stream, !async.token) -> ()
  %y = arith.addf %p, %x : f32
  return %y : f32
}

// One that waits for nothing does it all at once.
// CHECK-LABEL: func.func @alone(
// CHECK-NEXT: %[[TOKEN:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.set_enqueued"(%[[TOKEN]], %[[S]])
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
// CHECK: return %[[TOKEN]]
async.func @alone() -> !async.token attributes {async_gpu.kind = "device"} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  return
}

// What captures objects gives the frame's references of them back; a failed
// assertion is the error of the results.
// CHECK-LABEL: func.func private @agpu_enqueued.captures(
// CHECK-SAME: %[[TOKEN:.*]]: !async.token, %[[T:.*]]: !async.token, %[[C:.*]]: i1, %[[U:.*]]: !async.token)
// CHECK: cf.cond_br %[[C]], ^[[FINE:bb[0-9]+]], ^[[BAD:bb[0-9]+]]
// CHECK: ^[[BAD]]:
// CHECK-NEXT: "agpu.set_error"(%[[TOKEN]]) {message = "why"}
// CHECK-NEXT: "agpu.stream_release"
// COUNTS-LABEL: func.func private @agpu_enqueued.captures(
// COUNTS-SAME: %[[U:[a-z0-9]+]]: !async.token) attributes
// COUNTS: async.runtime.drop_ref %[[U]]
async.func @captures(%t: !async.token, %c: i1, %u: !async.token) -> !async.token attributes {async_gpu.kind = "device"} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  cf.assert %c, "why"
  return
}

// Something is done before the wait.
// CHECK-LABEL: func.func @late(
// CHECK-SAME: %[[T:.*]]: !async.token
// CHECK: async.coro.begin
// CHECK: %[[S:.*]] = "agpu.stream_acquire"
// CHECK: call @work
// CHECK-NEXT: %[[SAVED:.*]] = async.coro.save %[[HANDLE:.*]]
// CHECK-NEXT: %[[THERE:.*]] = "agpu.await_enqueued_and_resume"(%[[T]], %[[HANDLE]])
// CHECK-NEXT: cf.cond_br %[[THERE]], ^[[GO:bb[0-9]+]], ^[[WAIT:bb[0-9]+]]
// CHECK: ^[[WAIT]]:
// CHECK-NEXT: async.coro.suspend %[[SAVED]], ^{{bb[0-9]+}}, ^[[GO]], ^{{bb[0-9]+}}
// CHECK: ^[[GO]]:
// CHECK: "agpu.has_failed"(%[[T]])
// CHECK: "agpu.forward_error"(%{{.*}}, %[[T]])
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
// CHECK: "agpu.stream_depend"(%[[S]], %[[T]])
func.func private @work()
async.func @late(%t: !async.token) -> !async.token attributes {async_gpu.kind = "device"} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  func.call @work() : () -> ()
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  return
}

// So it is before the second.
// CHECK-LABEL: func.func @between(
// CHECK: async.coro.begin
async.func @between(%t: !async.token, %u: !async.token) -> !async.token attributes {async_gpu.kind = "device"} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  func.call @work() : () -> ()
  "agpu.stream_wait"(%s, %u) : (!agpu.stream, !async.token) -> ()
  return
}

// The host waits for more than that.
// CHECK-LABEL: func.func @mixed(
// CHECK: async.coro.begin
async.func @mixed(%t: !async.token) -> !async.token attributes {async_gpu.kind = "mixed"} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  return
}
