// Async functions become coroutines; awaits suspend only when they must.
// RUN: async-gpu-opt %s --async-gpu-coroutines | FileCheck %s

// A host region starts on the executor, as soon as what it awaits first is
// ready. An await asks first, suspends if it must, and goes on with the payload.
// CHECK-LABEL: func.func private @host(
// CHECK-SAME: %[[T:.*]]: !async.token, %[[V:.*]]: !async.value<f32>) -> (!async.token, !async.value<f32>)
// CHECK-NOT: async_gpu.kind
// CHECK: %[[TOKEN:.*]] = async.runtime.create {async_gpu.result, async_gpu.task} : !async.token
// CHECK-NEXT: %[[VALUE:.*]] = async.runtime.create {async_gpu.result} : !async.value<f32>
// CHECK-NEXT: %[[ID:.*]] = async.coro.id
// CHECK-NEXT: %[[HANDLE:.*]] = async.coro.begin %[[ID]]
// CHECK-NEXT: %[[STATE:.*]] = async.coro.save %[[HANDLE]]
// CHECK-NEXT: "agpu.resume_after"(%[[T]], %[[HANDLE]])
// CHECK-NEXT: async.coro.suspend %[[STATE]], ^[[SUSPEND:bb[0-9]+]], ^[[BODY:bb[0-9]+]], ^[[CLEANUP:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK-NEXT: %[[READY:.*]] = "agpu.is_ready"(%[[T]])
// CHECK-NEXT: cf.cond_br %[[READY]], ^[[GO:bb[0-9]+]], ^[[WAIT:bb[0-9]+]]
// CHECK: ^[[WAIT]]:
// CHECK-NEXT: %[[S1:.*]] = async.coro.save %[[HANDLE]]
// CHECK-NEXT: async.runtime.await_and_resume %[[T]], %[[HANDLE]]
// CHECK-NEXT: async.coro.suspend %[[S1]], ^[[SUSPEND]], ^[[GO]], ^[[CLEANUP]]
// An error ends the coroutine; the values get it before the token.
// CHECK: ^[[GO]]:
// CHECK-NEXT: %[[FAILED:.*]] = "agpu.has_failed"(%[[T]])
// CHECK-NEXT: cf.cond_br %[[FAILED]], ^[[ERROR:bb[0-9]+]], ^[[REST:bb[0-9]+]]
// CHECK: ^[[ERROR]]:
// CHECK-NEXT: "agpu.forward_error"(%[[VALUE]], %[[T]])
// CHECK-NEXT: "agpu.forward_error"(%[[TOKEN]], %[[T]])
// CHECK-NEXT: cf.br ^[[CLEANUP]]
// CHECK: ^[[REST]]:
// CHECK: "agpu.is_ready"(%[[V]])
// CHECK: %[[X:.*]] = async.runtime.load %[[V]]
// CHECK-NEXT: async.runtime.store %[[X]], %[[VALUE]]
// CHECK-NEXT: "agpu.set_available_last"(%[[VALUE]])
// CHECK-NEXT: "agpu.set_available_last"(%[[TOKEN]])
// CHECK-NEXT: cf.br ^[[CLEANUP]]
// CHECK: ^[[CLEANUP]]:
// CHECK-NEXT: async.coro.free %[[ID]], %[[HANDLE]]
// CHECK-NEXT: cf.br ^[[SUSPEND]]
// CHECK: ^[[SUSPEND]]:
// CHECK-NEXT: async.coro.end %[[HANDLE]]
// CHECK-NEXT: return %[[TOKEN]], %[[VALUE]]
async.func private @host(%t: !async.token, %v: !async.value<f32>) -> (!async.token, !async.value<f32>) attributes {async_gpu.kind = "host"} {
  await %t : !async.token
  %x = await %v : !async.value<f32>
  return %x : f32
}

// Without a dependency it is put there at once.
// CHECK-LABEL: func.func private @independent(
// CHECK: async.runtime.resume
// CHECK-NOT: set_available_unshared
// CHECK: return
async.func private @independent() -> !async.token attributes {async_gpu.kind = "host"} {
  return
}

// A region that may start in its spawner asks the runtime. Unless it has been
// suspended, nobody has seen its results, which become available without
// atomic operations. A spawner whose region is suspended may be held up.
// CHECK-LABEL: func.func private @either(
// CHECK: %[[SHARED:.*]] = llvm.alloca %{{.*}} x i1
// CHECK-NEXT: %[[NO:.*]] = llvm.mlir.constant(false)
// CHECK-NEXT: llvm.store %[[NO]], %[[SHARED]]
// CHECK: %[[TOKEN:.*]] = async.runtime.create
// CHECK: %[[HANDLE:.*]] = async.coro.begin
// CHECK-NEXT: %[[HERE:.*]] = "agpu.start_here"()
// CHECK-NEXT: cf.cond_br %[[HERE]], ^[[BODY:bb[0-9]+]], ^[[SUBMIT:bb[0-9]+]]
// CHECK: ^[[SUBMIT]]:
// CHECK: async.runtime.resume %[[HANDLE]]
// CHECK-NEXT: async.coro.suspend %{{.*}}, ^[[SUBMITTED:bb[0-9]+]], ^[[RESUMED:bb[0-9]+]], ^[[CLEANUP:bb[0-9]+]]
// CHECK: ^[[RESUMED]]:
// CHECK-NEXT: %[[YES:.*]] = llvm.mlir.constant(true)
// CHECK-NEXT: llvm.store %[[YES]], %[[SHARED]]
// CHECK-NEXT: cf.br ^[[BODY]]
// CHECK: ^[[BODY]]:
// CHECK: async.coro.suspend %{{.*}}, ^[[SUSPENDED:bb[0-9]+]], ^{{bb[0-9]+}}, ^[[CLEANUP]]
// CHECK: %[[SEEN:.*]] = llvm.load %[[SHARED]]
// CHECK-NEXT: cf.cond_br %[[SEEN]], ^[[OTHERS:bb[0-9]+]], ^[[ALONE:bb[0-9]+]]
// CHECK: ^[[ALONE]]:
// CHECK-NEXT: "agpu.set_available_unshared"(%[[TOKEN]])
// CHECK: ^[[OTHERS]]:
// CHECK-NEXT: "agpu.set_available_last"(%[[TOKEN]])
// CHECK: ^[[CLEANUP]]:
// CHECK: %[[T1:.*]] = llvm.mlir.constant(true)
// CHECK: %[[F1:.*]] = llvm.mlir.constant(false)
// CHECK: cf.br ^[[END:bb[0-9]+]](%[[T1]], %[[F1]] : i1, i1)
// CHECK: ^[[SUSPENDED]]:
// CHECK: %[[T2:.*]] = llvm.mlir.constant(true)
// CHECK: %[[T3:.*]] = llvm.mlir.constant(true)
// CHECK: cf.br ^[[END]](%[[T2]], %[[T3]] : i1, i1)
// CHECK: ^[[SUBMITTED]]:
// CHECK: %[[F2:.*]] = llvm.mlir.constant(false)
// CHECK: %[[F3:.*]] = llvm.mlir.constant(false)
// CHECK: cf.br ^[[END]](%[[F2]], %[[F3]] : i1, i1)
// CHECK: ^[[END]](%[[STARTED:.*]]: i1, %[[IS_SUSPENDED:.*]]: i1):
// CHECK-NEXT: async.coro.end
// CHECK-NEXT: cf.cond_br %[[STARTED]], ^[[SAY:bb[0-9]+]], ^[[BACK:bb[0-9]+]]
// CHECK: ^[[SAY]]:
// CHECK-NEXT: "agpu.started_here"(%[[IS_SUSPENDED]])
// CHECK: ^[[BACK]]:
// CHECK-NEXT: return %[[TOKEN]]
async.func private @either(%t: !async.token) -> !async.token attributes {async_gpu.kind = "host", async_gpu.start = "either"} {
  %u = async.call @written() : () -> !async.token
  await %u : !async.token
  return
}

// Or it does so without asking.
// CHECK-LABEL: func.func private @spawner(
// CHECK-NOT: async.runtime.resume
// CHECK-NOT: start_here
// CHECK: "agpu.throttle"()
async.func private @spawner(%t: !async.token) -> !async.token attributes {async_gpu.kind = "host", async_gpu.start = "spawner"} {
  await %t : !async.token
  return
}

// A function of the program starts in its caller; one that waits for nothing is
// no coroutine.
// CHECK-LABEL: func.func @written(
// CHECK-NEXT: %[[TOKEN:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: "agpu.set_available_unshared"(%[[TOKEN]])
// CHECK-NEXT: cf.br ^[[EXIT:bb[0-9]+]]
// CHECK-NEXT: ^[[EXIT]]:
// CHECK-NEXT: return %[[TOKEN]]
async.func @written() -> !async.token {
  return
}

// CHECK-LABEL: func.func @waits(
// CHECK-NOT: async.runtime.resume
// CHECK: async.coro.begin
// CHECK-NEXT: cf.br
// CHECK: return
async.func @waits(%t: !async.token) -> !async.token {
  await %t : !async.token
  return
}

// A failed assertion is the error of the results.
// CHECK-LABEL: func.func @assertion(
// CHECK-SAME: %[[C:.*]]: i1
// CHECK: %[[TOKEN:.*]] = async.runtime.create
// CHECK: cf.cond_br %[[C]], ^[[FINE:bb[0-9]+]], ^[[BAD:bb[0-9]+]]
// CHECK: ^[[BAD]]:
// CHECK-NEXT: "agpu.set_error"(%[[TOKEN]]) {message = "why"}
async.func @assertion(%c: i1) -> !async.token {
  cf.assert %c, "why"
  return
}

// With values there are several, which share one error.
// CHECK-LABEL: func.func @assertion_with_value(
// CHECK: %[[TOKEN:.*]] = async.runtime.create : !async.token
// CHECK: %[[VALUE:.*]] = async.runtime.create : !async.value<f32>
// CHECK: %[[E:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: "agpu.set_error"(%[[E]]) {message = "why"}
// CHECK-NEXT: "agpu.forward_error"(%[[VALUE]], %[[E]])
// CHECK-NEXT: "agpu.forward_error"(%[[TOKEN]], %[[E]])
async.func @assertion_with_value(%c: i1, %x: f32) -> (!async.token, !async.value<f32>) {
  cf.assert %c, "why"
  return %x : f32
}

// So is an allocation that fails: the sizes do not fit, or there is no memory. In
// plain functions async-gpu-check-sizes ends the program.
// CHECK-LABEL: func.func @allocation(
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[TOKEN:.*]] = async.runtime.create : !async.token
// CHECK: %[[VALUE:.*]] = async.runtime.create : !async.value<memref<?xf32>>
// CHECK: %[[FITS:.*]] = llvm.icmp "ne" %[[BYTES:.*]], %{{.*}} : i64
// CHECK-NEXT: %[[M:.*]] = memref.alloc(%[[N]]) {async_gpu.checked}
// CHECK: %[[OK:.*]] = llvm.and %[[FITS]]
// CHECK-NEXT: cf.cond_br %[[OK]], ^[[FINE:bb[0-9]+]], ^[[BAD:bb[0-9]+]]
// CHECK-NEXT: ^[[BAD]]:
// CHECK-NEXT: %[[E:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: "agpu.set_out_of_memory"(%[[E]], %[[BYTES]])
// CHECK-NEXT: "agpu.forward_error"(%[[VALUE]], %[[E]])
// CHECK-NEXT: "agpu.forward_error"(%[[TOKEN]], %[[E]])
// CHECK: ^[[FINE]]:
// CHECK-NEXT: async.runtime.store %[[M]], %[[VALUE]]
async.func @allocation(%n: index) -> (!async.token, !async.value<memref<?xf32>>) {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}
// CHECK-LABEL: func.func @plain_allocation(
// CHECK-NEXT: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: return
func.func @plain_allocation(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}

// Plain functions wait, and end the program on an error.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[V:.*]]: !async.value<f32>, %[[C:.*]]: i1
// CHECK-NEXT: "agpu.await"(%[[V]])
// CHECK-NEXT: %[[X:.*]] = async.runtime.load %[[V]]
// CHECK-NEXT: cf.cond_br %[[C]], ^[[FINE:bb[0-9]+]], ^[[BAD:bb[0-9]+]]
// CHECK-NEXT: ^[[BAD]]:
// CHECK-NEXT: %[[E:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: "agpu.set_error"(%[[E]]) {message = "why"}
// CHECK-NEXT: "agpu.check"(%[[E]])
// CHECK-NEXT: cf.br ^[[FINE]]
// CHECK-NEXT: ^[[FINE]]:
// CHECK-NEXT: return %[[X]]
func.func @plain(%v: !async.value<f32>, %c: i1) -> f32 {
  %x = async.await %v : !async.value<f32>
  cf.assert %c, "why"
  return %x : f32
}

// Groups, and waits of a stream in a plain function.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[N:.*]]: index, %[[T:.*]]: !async.token
// CHECK: %[[G:.*]] = async.runtime.create_group %[[N]] : !async.group
// CHECK-NEXT: async.runtime.add_to_group %[[T]], %[[G]]
// CHECK-NEXT: "agpu.await"(%[[G]])
// CHECK-NEXT: "agpu.await_enqueued"(%[[T]])
// CHECK-NEXT: "agpu.check"(%[[T]])
// CHECK-NEXT: "agpu.stream_depend"(%{{.*}}, %[[T]])
// CHECK-NEXT: call @declared(%[[T]])
func.func @groups(%n: index, %t: !async.token) {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  %g = async.create_group %n : !async.group
  %i = async.add_to_group %t, %g : !async.token
  async.await_all %g
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  %u = async.call @declared(%t) : (!async.token) -> !async.token
  return
}

// A declaration is one of a function.
// CHECK: func.func private @declared(!async.token) -> !async.token
async.func private @declared(%t: !async.token) -> !async.token
