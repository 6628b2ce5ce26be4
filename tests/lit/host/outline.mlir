// async.execute regions become async functions.
// RUN: async-gpu-opt %s --allow-unregistered-dialect --async-gpu-outline --split-input-file | FileCheck %s

// Dependencies and value operands are awaited at the start, captures are
// arguments behind them, constants are cloned, and the call takes the op's
// place.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[T:.*]]: !async.token, %[[V:.*]]: !async.value<f32>, %[[M:.*]]: memref<f32>
// CHECK: %[[R:.*]]:2 = async.call @main_region_0(%[[T]], %[[V]], %[[M]])
// CHECK-SAME: : (!async.token, !async.value<f32>, memref<f32>) -> (!async.token, !async.value<f32>)
// CHECK-NEXT: async.await %[[R]]#0
// CHECK-NEXT: async.await %[[R]]#1
// CHECK: async.func private @main_region_0(%[[A:.*]]: !async.token, %[[B:.*]]: !async.value<f32>, %[[C:.*]]: memref<f32>)
// CHECK-SAME: -> (!async.token, !async.value<f32>)
// CHECK-SAME: async_gpu.kind = "host"
// CHECK-NEXT: await %[[A]] : !async.token
// CHECK-NEXT: %[[X:.*]] = await %[[B]] : !async.value<f32>
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[ONE]]
// CHECK-NEXT: memref.store %[[S]], %[[C]]
// CHECK-NEXT: return %[[S]] : f32
func.func @main(%t: !async.token, %v: !async.value<f32>, %m: memref<f32>) -> f32 {
  %one = arith.constant 1.0 : f32
  %u, %w = async.execute [%t] (%v as %x: !async.value<f32>) -> !async.value<f32> {
    %s = arith.addf %x, %one : f32
    memref.store %s, %m[] : memref<f32>
    async.yield %s : f32
  }
  async.await %u : !async.token
  %r = async.await %w : !async.value<f32>
  return %r : f32
}

// -----

// Only results that are used are made, and the token where none is; but all of
// what a device computes.
// CHECK-LABEL: func.func @unused(
// CHECK: %[[V:.*]] = async.call @unused_region_0() : () -> !async.value<f64>
// CHECK-NEXT: await %[[V]]
// CHECK-NEXT: %[[T:.*]] = async.call @unused_region_1() : () -> !async.token
// CHECK-NEXT: await %[[T]]
// CHECK-NEXT: async.call @unused_region_2() : () -> !async.token
// CHECK-NEXT: async.call @unused_region_3() : () -> (!async.token, !async.value<f32>)
// CHECK: async.func private @unused_region_2() -> !async.token
// CHECK-NOT: async.func
// CHECK: return{{$}}
// CHECK: async.func private @unused_region_0() -> !async.value<f64>
// CHECK: return %{{.*}} : f64
func.func @unused() {
  %t0, %v0, %w0 = async.execute -> (!async.value<f32>, !async.value<f64>) {
    %x = arith.constant 1.0 : f32
    %y = arith.constant 2.0 : f64
    async.yield %x, %y : f32, f64
  }
  async.await %w0 : !async.value<f64>
  %t1, %v1 = async.execute -> !async.value<f32> {
    %x = arith.constant 1.0 : f32
    async.yield %x : f32
  }
  async.await %t1 : !async.token
  %t2, %v2 = async.execute -> !async.value<f32> {
    %x = arith.constant 1.0 : f32
    async.yield %x : f32
  }
  %t3, %v3 = async.execute -> !async.value<f32> attributes {async_gpu.kind = "mixed"} {
    %x = arith.constant 1.0 : f32
    async.yield %x : f32
  }
  return
}

// -----

// The kind that async-gpu-regions found stays. Regions are numbered in program
// order, and a name that is taken is not taken again.
// CHECK-LABEL: func.func @names(
// CHECK: async.call @names_region_0()
// CHECK: async.call @names_region_1_0()
// CHECK: func.func @names_region_1()
// CHECK-DAG: async.func private @names_region_0() -> !async.token attributes {async_gpu.kind = "device"
// CHECK-DAG: async.func private @names_region_1_0() -> !async.token attributes {async_gpu.kind = "mixed"
func.func @names() {
  %t = async.execute attributes {async_gpu.kind = "device"} {
    async.yield
  }
  %u = async.execute attributes {async_gpu.kind = "mixed"} {
    async.yield
  }
  return
}
func.func @names_region_1() {
  return
}

// -----

// What an inner region captures goes through the outer one.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:.*]]: index
// CHECK-NEXT: async.call @nested_region_0(%[[X]])
// CHECK-DAG: async.func private @nested_region_0(%[[Y:.*]]: index) -> !async.token
// CHECK-DAG: call @nested_region_1(%[[Y]]) : (index) -> !async.token
// CHECK-DAG: async.func private @nested_region_1(%[[Z:.*]]: index) -> !async.token
func.func @nested(%x: index) {
  %t = async.execute {
    %u = async.execute {
      "test.use"(%x) : (index) -> ()
      async.yield
    }
    async.await %u : !async.token
    async.yield
  }
  return
}

// -----

// A token captured is an argument; it is awaited where the program says.
// CHECK-LABEL: async.func private @captured_token_region_0(
// CHECK-SAME: %[[T:.*]]: !async.token)
// CHECK-NEXT: "test.before"
// CHECK-NEXT: await %[[T]]
// CHECK-NEXT: return
func.func @captured_token(%t: !async.token) {
  %u = async.execute {
    "test.before"() : () -> ()
    async.await %t : !async.token
    async.yield
  }
  return
}

// -----

// What else is known of the region stays, too.
// CHECK-LABEL: func.func @known(
// CHECK: async.func private @known_region_0(
// CHECK-SAME: async_gpu.device = 1 : i32, async_gpu.kind = "device", llvm.linkage
func.func @known(%t: !async.token) {
  %u = async.execute [%t] attributes {async_gpu.device = 1 : i32, async_gpu.kind = "device"} {
    async.yield
  }
  return
}
