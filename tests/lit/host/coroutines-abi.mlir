// For upstream's runtime: no question before a suspension, errors without a
// message, and an assertion behind a blocking await.
// RUN: async-gpu-opt %s --async-gpu-coroutines=abi=upstream | FileCheck %s

// CHECK-NOT: agpu.
// CHECK-LABEL: func.func @coroutine(
// CHECK: cf.br ^[[BODY:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK-NEXT: %[[S:.*]] = async.coro.save
// CHECK-NEXT: async.runtime.await_and_resume
// CHECK-NEXT: async.coro.suspend %[[S]]
// CHECK: async.runtime.set_error
// CHECK: async.runtime.set_available
// CHECK-NOT: agpu.
async.func @coroutine(%t: !async.token) -> !async.token {
  await %t : !async.token
  return
}

// CHECK-LABEL: func.func @plain(
// CHECK: async.runtime.await %[[T:.*]] : !async.token
// CHECK-NEXT: %[[E:.*]] = async.runtime.is_error %[[T]]
// CHECK: %[[FINE:.*]] = arith.xori %[[E]]
// CHECK-NEXT: cf.assert %[[FINE]], "an awaited async object is in error"
// CHECK-NOT: agpu.
func.func @plain(%t: !async.token) {
  async.await %t : !async.token
  return
}
