// A coroutine that takes a moment may run on a thread that waits; any other
// only on the executor's own. Both take longer than a spawn: what takes less
// is not put there.
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower=abi=upstream | FileCheck %s --check-prefix=UPSTREAM

// UPSTREAM-NOT: agpu_execute_brief
// UPSTREAM: llvm.call @mlirAsyncRuntimeExecute
// UPSTREAM-NOT: agpu_execute_brief

func.func private @unknown()

func.func private @increment(%m: memref<i64>) {
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<i64>
  %b = memref.alloc() : memref<i64>
  memref.dealloc %a : memref<i64>
  memref.dealloc %b : memref<i64>
  %old = memref.load %m[] : memref<i64>
  %new = arith.addi %old, %one : i64
  memref.store %new, %m[] : memref<i64>
  return
}

func.func private @recurse(%n: i64) {
  func.call @recurse(%n) : (i64) -> ()
  return
}

func.func private @wait(%t: !async.token) {
  async.await %t : !async.token
  return
}

func.func private @call_unknown() {
  func.call @unknown() : () -> ()
  return
}

// It computes, branches forward, calls what does, suspends.
func.func @brief(%m: memref<i64>, %t: !async.token, %c: i1) {
  async.execute [%t] {
    scf.if %c {
      func.call @increment(%m) : (memref<i64>) -> ()
    }
    cf.assert %c, "c"
    async.yield
  }
  return
}

func.func @loop(%m: memref<i64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  async.execute {
    scf.for %i = %c0 to %n step %c1 {
      func.call @increment(%m) : (memref<i64>) -> ()
    }
    async.yield
  }
  return
}

func.func @unknown_code() {
  async.execute {
    func.call @call_unknown() : () -> ()
    async.yield
  }
  return
}

func.func @recursion(%n: i64) {
  async.execute {
    func.call @recurse(%n) : (i64) -> ()
    async.yield
  }
  return
}

func.func @blocks(%t: !async.token) {
  async.execute {
    func.call @wait(%t) : (!async.token) -> ()
    async.yield
  }
  return
}

func.func @spawns(%m: memref<i64>) {
  async.execute {
    %t = async.execute {
      func.call @increment(%m) : (memref<i64>) -> ()
      async.yield
    }
    async.yield
  }
  return
}

// What another thread changes may be waited for.
func.func @atomic(%m: memref<1xi64>, %i: index, %v: i64) {
  async.execute {
    %old = memref.atomic_rmw addi %v, %m[%i] : (i64, memref<1xi64>) -> i64
    async.yield
  }
  return
}

// The last first; of the two in @spawns, the inner one is brief. What does not start in
// its spawner stands behind all others.
// CHECK-LABEL: llvm.func internal @atomic_region_19(
// CHECK: llvm.call @agpu_execute(
// CHECK-LABEL: llvm.func internal @spawns_region_16(
// CHECK: llvm.call @agpu_execute(
// CHECK-LABEL: llvm.func internal @blocks_region_14(
// CHECK: llvm.call @agpu_execute(
// CHECK-LABEL: llvm.func internal @recursion_region_12(
// CHECK: llvm.call @agpu_execute(
// CHECK-LABEL: llvm.func internal @unknown_code_region_10(
// CHECK: llvm.call @agpu_execute(
// CHECK-LABEL: llvm.func internal @loop_region_8(
// CHECK: llvm.call @agpu_execute(
// CHECK-LABEL: llvm.func internal @spawns_region_17_later(
// CHECK: llvm.call @agpu_execute_brief(
// CHECK-LABEL: llvm.func internal @brief_region_6_later(
// CHECK: %[[BRIEF:.*]] = llvm.mlir.constant(true)
// CHECK: llvm.call @agpu_task_start_after(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[BRIEF]], %{{.*}})
