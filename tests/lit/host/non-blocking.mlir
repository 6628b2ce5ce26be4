// Functions that await get an asynchronous twin, on request.
// RUN: async-gpu-opt %s --async-gpu-non-blocking | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-non-blocking=all | FileCheck %s --check-prefix=ALL
// RUN: async-gpu-runner %s | FileCheck %s --check-prefix=PRINTS

// The body moves into the twin; what stays calls it, for callers that block.
// CHECK-LABEL: func.func @step(
// CHECK-NOT: non_blocking
// CHECK: %[[R:.*]]:2 = async.call @step.async(%{{.*}}) : (i64) -> (!async.token, !async.value<i64>)
// CHECK: async.await %[[R]]#0
// CHECK: %[[V:.*]] = async.await %[[R]]#1
// CHECK: return %[[V]]
// CHECK-LABEL: async.func private @step.async(
// CHECK: execute
// CHECK: await
// CHECK: return
func.func @step(%n: i64) -> i64 attributes {async_gpu.non_blocking} {
  %c = arith.constant 1 : i64
  %t, %v = async.execute -> !async.value<i64> {
    %r = arith.addi %n, %c : i64
    async.yield %r : i64
  }
  %x = async.await %v : !async.value<i64>
  return %x : i64
}

// So does its caller.
// CHECK-LABEL: func.func @twice(
// CHECK: async.call @twice.async
// CHECK-LABEL: async.func private @twice.async(
// CHECK-COUNT-2: call @step.async
func.func @twice(%n: i64) -> i64 {
  %a = func.call @step(%n) : (i64) -> i64
  %b = func.call @step(%a) : (i64) -> i64
  return %b : i64
}

// Not asked for: stays as it is, unless all are.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: async.call
// CHECK: async.await
// ALL-LABEL: func.func @apart(
// ALL: async.call @apart.async
func.func @apart(%t: !async.token) {
  async.await %t : !async.token
  return
}

// A call in a region becomes a call of the twin and an await that suspends.
// CHECK-LABEL: func.func @main()
// CHECK: async.execute
// CHECK: scf.for
// CHECK: %[[C:.*]]:2 = async.call @twice.async
// CHECK: async.await %[[C]]#0
// CHECK: async.await %[[C]]#1
// CHECK: scf.yield
// PRINTS: 200
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0 : i64
  %t, %s = async.execute -> !async.value<i64> {
    %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%a = %zero) -> i64 {
      %b = func.call @twice(%a) : (i64) -> i64
      scf.yield %b : i64
    }
    async.yield %sum : i64
  }
  func.call @apart(%t) : (!async.token) -> ()
  %r = async.await %s : !async.value<i64>
  vector.print %r : i64
  return
}
