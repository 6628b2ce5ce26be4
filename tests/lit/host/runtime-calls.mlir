// Ops of async and agpu become runtime calls, their types pointers.
// RUN: async-gpu-opt %s --async-gpu-runtime-calls | FileCheck %s

// CHECK-NOT: !async
// CHECK-NOT: !agpu

// Each kind of object has its function, as upstream spells them.
// CHECK-LABEL: func.func @kinds(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr, %[[V:.*]]: !llvm.ptr, %[[G:.*]]: !llvm.ptr)
// CHECK: call @mlirAsyncRuntimeAwaitToken(%[[T]])
// CHECK: call @mlirAsyncRuntimeAwaitValue(%[[V]])
// CHECK: call @mlirAsyncRuntimeAwaitAllInGroup(%[[G]])
// CHECK: call @mlirAsyncRuntimeIsTokenError(%[[T]])
// CHECK: call @mlirAsyncRuntimeIsValueError(%[[V]])
// CHECK: call @mlirAsyncRuntimeIsGroupError(%[[G]])
// CHECK: call @mlirAsyncRuntimeEmplaceToken(%[[T]])
// CHECK: call @mlirAsyncRuntimeSetValueError(%[[V]])
func.func @kinds(%t: !async.token, %v: !async.value<f32>, %g: !async.group) {
  async.runtime.await %t : !async.token
  async.runtime.await %v : !async.value<f32>
  async.runtime.await %g : !async.group
  %0 = async.runtime.is_error %t : !async.token
  %1 = async.runtime.is_error %v : !async.value<f32>
  %2 = async.runtime.is_error %g : !async.group
  async.runtime.set_available %t : !async.token
  async.runtime.set_error %v : !async.value<f32>
  return
}

// A value is as large as its payload's LLVM type.
// CHECK-LABEL: func.func @value(
// CHECK: llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[SIZE:.*]] = llvm.ptrtoint
// CHECK: %[[V:.*]] = call @mlirAsyncRuntimeCreateValue(%[[SIZE]]) : (i64) -> !llvm.ptr
// CHECK: %[[P:.*]] = llvm.getelementptr %[[V]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 64 : i64} : !llvm.struct
// CHECK: %[[Q:.*]] = llvm.getelementptr %[[V]][64]
// CHECK: llvm.load %[[Q]] {alignment = 64 : i64} : !llvm.ptr -> !llvm.struct
func.func @value(%m: memref<?xf32>) -> memref<?xf32> {
  %v = async.runtime.create : !async.value<memref<?xf32>>
  async.runtime.store %m, %v : !async.value<memref<?xf32>>
  %n = async.runtime.load %v : !async.value<memref<?xf32>>
  return %n : memref<?xf32>
}

// CHECK-LABEL: func.func @groups(
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: call @mlirAsyncRuntimeCreateGroup(%[[N]]) : (i64) -> !llvm.ptr
// CHECK: call @agpu_group_add
// CHECK: call @mlirAsyncRuntimGetNumWorkerThreads() : () -> i64
// CHECK: call @mlirAsyncRuntimeAddRef(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// A token may be the one that is always ready, which is not counted.
// CHECK: %[[READY:.*]] = llvm.mlir.addressof @agpu_ready_token
// CHECK: %[[IS:.*]] = llvm.icmp "eq" %{{.*}}, %[[READY]]
// CHECK: cf.cond_br %[[IS]], ^[[REST:bb[0-9]+]], ^[[DROP:bb[0-9]+]]
// CHECK: ^[[DROP]]:
// CHECK: call @mlirAsyncRuntimeDropRef(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK: ^[[REST]]:
func.func @groups(%n: index, %t: !async.token) {
  %g = async.runtime.create_group %n : !async.group
  %i = async.runtime.add_to_group %t, %g : !async.token
  %w = async.runtime.num_worker_threads : index
  async.runtime.add_ref %t {count = 1 : i64} : !async.token
  async.runtime.drop_ref %t {count = 2 : i64} : !async.token
  return
}

// Errors carry what failed and where.
// CHECK-LABEL: func.func @errors(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr, %[[U:.*]]: !llvm.ptr)
// CHECK: %[[MESSAGE:.*]] = llvm.mlir.addressof
// CHECK: %[[PLACE:.*]] = llvm.mlir.addressof
// CHECK: call @agpu_object_set_error(%[[T]], %[[MESSAGE]], %[[PLACE]])
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: call @agpu_object_set_out_of_memory(%[[T]], %[[BYTES]], %{{.*}})
// CHECK: call @agpu_object_forward_error(%[[T]], %[[U]])
// CHECK: call @agpu_object_check(%[[T]], %{{.*}})
// CHECK: call @agpu_object_is_enqueued(%[[T]]) : (!llvm.ptr) -> i1
// CHECK: call @agpu_object_await_enqueued(%[[T]])
// CHECK: call @agpu_object_await_either(%[[T]], %{{.*}})
func.func @errors(%t: !async.token, %u: !async.token) {
  "agpu.set_error"(%t) {message = "why"} : (!async.token) -> ()
  %bytes = llvm.mlir.constant(8 : i64) : i64
  "agpu.set_out_of_memory"(%t, %bytes) : (!async.token, i64) -> ()
  "agpu.forward_error"(%t, %u) : (!async.token, !async.token) -> ()
  "agpu.check"(%t) : (!async.token) -> ()
  %1 = "agpu.is_enqueued"(%t) : (!async.token) -> i1
  "agpu.await_enqueued"(%t) : (!async.token) -> ()
  "agpu.await_either"(%t) : (!async.token) -> ()
  return
}

// The state of an object is looked at in place; that of a group's members is
// not in its own.
// CHECK-LABEL: func.func @questions(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr, %[[G:.*]]: !llvm.ptr)
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[T]][8] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[STATE:.*]] = llvm.load %[[AT]] atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: %[[PHASE:.*]] = llvm.and %[[STATE]], %[[MASK]]
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.icmp "uge" %[[PHASE]], %[[TWO]]
// CHECK: llvm.load {{.*}} atomic acquire
// CHECK: %[[FAILED:.*]] = llvm.and
// CHECK-NEXT: %[[THREE:.*]] = llvm.mlir.constant(3 : i64)
// CHECK-NEXT: llvm.icmp "eq" %[[FAILED]], %[[THREE]]
// CHECK: llvm.load {{.*}} atomic acquire
// CHECK: llvm.mlir.constant(2 : i64)
// CHECK: llvm.icmp "eq"
// CHECK: llvm.getelementptr %[[G]][8]
// CHECK: llvm.icmp "uge"
// CHECK: call @agpu_object_has_failed(%[[G]])
func.func @questions(%t: !async.token, %g: !async.group) {
  %0 = "agpu.is_ready"(%t) : (!async.token) -> i1
  %1 = "agpu.has_failed"(%t) : (!async.token) -> i1
  %2 = "agpu.has_succeeded"(%t) : (!async.token) -> i1
  %3 = "agpu.is_ready"(%g) : (!async.group) -> i1
  %4 = "agpu.has_failed"(%g) : (!async.group) -> i1
  return
}

// What nobody else has seen becomes available by two stores: READY, and one
// reference.
// CHECK-LABEL: func.func @unshared(
// CHECK: %[[V:.*]] = call @mlirAsyncRuntimeCreateValue
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[V]][8]
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.store %[[TWO]], %[[AT]]
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: llvm.store %[[ONE]], %[[V]]
// CHECK: %[[READY:.*]] = llvm.mlir.addressof @agpu_ready_token
// CHECK: return %[[V]], %[[READY]]
func.func @unshared() -> (!async.value<f32>, !async.token) {
  %v = async.runtime.create : !async.value<f32>
  "agpu.set_available_unshared"(%v) : (!async.value<f32>) -> ()
  %t = "agpu.ready_token"() : () -> !async.token
  return %v, %t : !async.value<f32>, !async.token
}

// Where a coroutine starts.
// CHECK-LABEL: func.func @starts(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr, %[[H:.*]]: !llvm.ptr)
// CHECK: %[[HERE:.*]] = call @agpu_start_here() : () -> i1
// CHECK: call @agpu_started_here(%[[HERE]]) : (i1) -> ()
// CHECK: %[[BRIEF:.*]] = llvm.mlir.constant(true)
// CHECK: call @agpu_execute_after(%[[T]], %[[H]], %{{.*}}, %[[BRIEF]], %{{.*}})
// CHECK: call @agpu_throttle() : () -> ()
// CHECK: call @agpu_object_emplace_last(%[[T]])
func.func @starts(%t: !async.token, %h: !async.coro.handle) {
  %here = "agpu.start_here"() : () -> i1
  "agpu.started_here"(%here) : (i1) -> ()
  "agpu.resume_after"(%t, %h) {brief} : (!async.token, !async.coro.handle) -> ()
  "agpu.throttle"() : () -> ()
  "agpu.set_available_last"(%t) : (!async.token) -> ()
  return
}

// A coroutine: frames come from the runtime; of a suspension, -1 goes to the
// caller, 0 on, 1 to the end.
// CHECK-LABEL: func.func @coroutine(
// CHECK-SAME: presplitcoroutine
// CHECK: %[[ID:.*]] = llvm.intr.coro.id
// CHECK: %[[SIZE:.*]] = llvm.intr.coro.size
// CHECK: %[[ALIGN:.*]] = llvm.intr.coro.align
// CHECK: %[[FRAME:.*]] = call @agpu_frame_alloc(%[[SIZE]], %[[ALIGN]])
// CHECK: %[[H:.*]] = llvm.intr.coro.begin %[[ID]], %[[FRAME]]
// CHECK: %[[STATE:.*]] = llvm.intr.coro.save %[[H]]
// CHECK: %[[RESUME:.*]] = llvm.mlir.addressof @agpu_coro_resume
// CHECK: call @mlirAsyncRuntimeExecute(%[[H]], %[[RESUME]])
// CHECK: %[[RESULTS:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: call @agpu_execute(%[[H]], %{{.*}}, %[[RESULTS]])
// CHECK: %[[HOW:.*]] = llvm.intr.coro.suspend %[[STATE]]
// CHECK: cf.switch %[[HOW]] : i8, [
// CHECK: default: ^[[SUSPEND:bb[0-9]+]]
// CHECK: 0: ^[[GO:bb[0-9]+]]
// CHECK: 1: ^[[CLEANUP:bb[0-9]+]]
// CHECK: ^[[GO]]:
// CHECK: call @agpu_object_await_and_execute(
// CHECK: call @agpu_object_enqueued_or_execute(
// CHECK: ^[[CLEANUP]]:
// CHECK: %[[MEMORY:.*]] = llvm.intr.coro.free %[[ID]]
// CHECK: call @agpu_frame_free(%[[MEMORY]])
// CHECK: ^[[SUSPEND]]:
// CHECK: llvm.intr.coro.end %[[H]]
func.func @coroutine(%t: !async.token) {
  %id = async.coro.id
  %h = async.coro.begin %id
  %s = async.coro.save %h
  async.runtime.resume %h
  async.runtime.resume %h {async_gpu.results = 2 : i64}
  async.coro.suspend %s, ^suspend, ^go, ^cleanup
^go:
  async.runtime.await_and_resume %t, %h : !async.token
  %e = "agpu.await_enqueued_and_resume"(%t, %h) : (!async.token, !async.coro.handle) -> i1
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %h
  cf.br ^suspend
^suspend:
  async.coro.end %h
  return
}

// One that always begins on the executor has its frame together with its first
// result, and so what it waits for is noted there.
// CHECK-LABEL: func.func @task(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr)
// CHECK: %[[PAYLOAD:.*]] = llvm.ptrtoint
// CHECK: %[[SIZE:.*]] = llvm.intr.coro.size
// CHECK: %[[ALIGN:.*]] = llvm.intr.coro.align
// CHECK: %[[TASK:.*]] = call @agpu_task_create_value(%[[PAYLOAD]], %[[SIZE]], %[[ALIGN]])
// CHECK: call @mlirAsyncRuntimeCreateToken
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[TASK]][40]
// CHECK: %[[FRAME:.*]] = llvm.load %[[AT]]
// CHECK: %[[H:.*]] = llvm.intr.coro.begin %{{.*}}, %[[FRAME]]
// CHECK: call @agpu_task_start_after(%[[TASK]], %[[T]], %[[H]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: call @agpu_task_await(%[[TASK]], %[[T]], %[[H]], %{{.*}}, %{{.*}})
// CHECK: llvm.intr.coro.free
// CHECK: call @agpu_task_free_frame(%[[TASK]])
func.func @task(%t: !async.token) {
  %v = async.runtime.create {async_gpu.result, async_gpu.task} : !async.value<f32>
  %u = async.runtime.create {async_gpu.result} : !async.token
  %id = async.coro.id
  %h = async.coro.begin %id
  %s = async.coro.save %h
  "agpu.resume_after"(%t, %h) : (!async.token, !async.coro.handle) -> ()
  async.coro.suspend %s, ^suspend, ^go, ^cleanup
^go:
  async.runtime.await_and_resume %t, %h : !async.token
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %h
  cf.br ^suspend
^suspend:
  async.coro.end %h
  return
}

// CHECK-LABEL: func.func @ordinary(
// CHECK: @agpu_ready_token
// CHECK: call @mlirAsyncRuntimeDropRef(
func.func @ordinary(%t: !async.token) {
  async.runtime.drop_ref %t {count = 1 : i64} : !async.token
  return
}

// Types are converted wherever they stand.
// CHECK-LABEL: func.func private @types(!llvm.ptr, (!llvm.ptr) -> !llvm.ptr, tuple<!llvm.ptr, i32>) -> !llvm.ptr
func.func private @types(!async.token, (!async.group) -> !async.value<f32>, tuple<!async.token, i32>) -> !gpu.async.token
