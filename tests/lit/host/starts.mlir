// Where regions start: a tiny one runs where it is spawned, one that neither
// blocks nor loops may start there.
// RUN: async-gpu-opt %s --async-gpu-outline --convert-scf-to-cf --async-gpu-starts | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-outline --convert-scf-to-cf --async-gpu-starts=abi=upstream | FileCheck %s --check-prefix=UPSTREAM
// RUN: async-gpu-opt %s --async-gpu-outline --convert-scf-to-cf --async-gpu-starts=remarks=true 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// UPSTREAM-NOT: async_gpu.start
// UPSTREAM-NOT: _later
// UPSTREAM-NOT: ready_token

func.func private @unknown()
func.func private @blocks_nowhere() attributes {async_gpu.non_blocking}
func.func private @begins(memref<4xf32>) -> !async.token attributes {async_gpu.non_blocking}

func.func private @increment(%m: memref<i64>) {
  %one = arith.constant 1 : i64
  %old = memref.load %m[] : memref<i64>
  %new = arith.addi %old, %one : i64
  memref.store %new, %m[] : memref<i64>
  return
}

// More than a spawn takes: memory is allocated.
func.func private @allocate() {
  %a = memref.alloc() : memref<i64>
  %b = memref.alloc() : memref<i64>
  memref.dealloc %a : memref<i64>
  memref.dealloc %b : memref<i64>
  return
}

func.func private @asserts(%c: i1) {
  cf.assert %c, "ends the program"
  return
}

func.func private @waits(%t: !async.token) {
  async.await %t : !async.token
  return
}

func.func private @recurses(%n: i64) {
  func.call @recurses(%n) : (i64) -> ()
  return
}

// What the user wrote as a function starts in its caller, blocking or not.
async.func private @fine() -> !async.token {
  return
}
async.func private @not_fine() -> !async.token {
  func.call @unknown() : () -> ()
  return
}

// REMARK: starts.mlir:[[#@LINE+5]]:8: remark: this region takes less time than spawning it: it runs where it is spawned, once its operands are ready
// Nothing is awaited: no coroutine is left.
// CHECK-LABEL: func.func @empty(
// CHECK: call @empty_region_0() : () -> !async.token
func.func @empty() -> !async.token {
  %t = async.execute {
    async.yield
  }
  return %t : !async.token
}

// REMARK: starts.mlir:[[#@LINE+3]]:12: remark: this region takes less
func.func @tiny(%t: !async.token, %v: !async.value<i64>, %m: memref<i64>, %c: i1)
    -> (!async.token, !async.value<i64>) {
  %u, %w = async.execute [%t] (%v as %x: !async.value<i64>) -> !async.value<i64> {
    func.call @increment(%m) : (memref<i64>) -> ()
    cf.assert %c, "why"
    async.yield %x : i64
  }
  return %u, %w : !async.token, !async.value<i64>
}

// REMARK: remark: this region neither blocks nor loops: it starts where it is spawned while other threads have enough to do
// Spawns, awaits what it has spawned, and adds to a group.
func.func @spawns(%m: memref<i64>, %n: index) {
  async.execute {
    %t = async.execute {
      func.call @unknown() : () -> ()
      async.yield
    }
    %f = async.call @fine() : () -> !async.token
    %g = async.create_group %n : !async.group
    %i = async.add_to_group %t, %g : !async.token
    async.await %f : !async.token
    async.await_all %g
    async.yield
  }
  return
}

// REMARK: remark: this region neither blocks nor loops
func.func @allocates() {
  async.execute {
    func.call @allocate() : () -> ()
    async.yield
  }
  return
}

// REMARK-NOT: remark

// What may block, or take long, starts on the executor.
func.func @loops(%m: memref<i64>, %n: index) {
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

func.func @calls_unknown() {
  async.execute {
    func.call @unknown() : () -> ()
    async.yield
  }
  return
}

func.func @calls_what_waits(%t: !async.token) {
  async.execute {
    func.call @waits(%t) : (!async.token) -> ()
    async.yield
  }
  return
}

func.func @calls_what_ends_the_program(%c: i1) {
  async.execute {
    func.call @asserts(%c) : (i1) -> ()
    async.yield
  }
  return
}

func.func @calls_recursion(%n: i64) {
  async.execute {
    func.call @recurses(%n) : (i64) -> ()
    async.yield
  }
  return
}

func.func @calls_blocking_async() {
  async.execute {
    %t = async.call @not_fine() : () -> !async.token
    async.yield
  }
  return
}

func.func @prints(%x: i64) {
  async.execute {
    vector.print %x : i64
    async.yield
  }
  return
}

// A spawner with work for a device does not run others' meanwhile.
func.func @feeds_device(%d: memref<i64>) {
  %s = gpu.wait async
  async.execute {
    func.call @allocate() : () -> ()
    async.yield
  }
  gpu.wait [%s]
  return
}

// REMARK: remark: this region neither blocks nor loops
// A function of which nothing but that is known.
func.func @calls_what_does_not_block(%t: !async.token) -> !async.token {
  %u = async.execute [%t] {
    func.call @blocks_nowhere() : () -> ()
    async.yield
  }
  return %u : !async.token
}

// REMARK: remark: this region neither blocks nor loops
// What a region awaits last is what it gives.
func.func @awaits_last(%m: memref<4xf32>, %c: i1) -> !async.token {
  %u = async.execute {
    func.call @blocks_nowhere() : () -> ()
    scf.if %c {
      %t = func.call @begins(%m) : (memref<4xf32>) -> !async.token
      async.await %t : !async.token
    }
    async.yield
  }
  return %u : !async.token
}

// REMARK: remark: this region neither blocks nor loops
// Not where anything follows.
func.func @awaits_two(%m: memref<4xf32>) -> !async.token {
  %u = async.execute {
    %t = func.call @begins(%m) : (memref<4xf32>) -> !async.token
    async.await %t : !async.token
    %s = func.call @begins(%m) : (memref<4xf32>) -> !async.token
    async.await %s : !async.token
    async.yield
  }
  return %u : !async.token
}

// REMARK: remark: this region neither blocks nor loops
// Nor where there is a value to give.
func.func @awaits_and_yields(%m: memref<4xf32>, %x: i64) -> !async.value<i64> {
  %u, %v = async.execute -> !async.value<i64> {
    %t = func.call @begins(%m) : (memref<4xf32>) -> !async.token
    async.await %t : !async.token
    async.yield %x : i64
  }
  return %v : !async.value<i64>
}

// REMARK: remark: this region neither blocks nor loops
// Nor where its memory goes when it returns.
func.func @awaits_with_stack(%x: f32) -> !async.token {
  %u = async.execute {
    %m = memref.alloca() : memref<4xf32>
    %t = func.call @begins(%m) : (memref<4xf32>) -> !async.token
    async.await %t : !async.token
    async.yield
  }
  return %u : !async.token
}

// What never ends is not searched for ever.
func.func @awaits_and_spins(%m: memref<4xf32>) -> !async.token {
  %u = async.execute {
    %t = func.call @begins(%m) : (memref<4xf32>) -> !async.token
    async.await %t : !async.token
    %true = arith.constant true
    scf.while : () -> () {
      scf.condition(%true)
    } do {
      scf.yield
    }
    async.yield
  }
  return %u : !async.token
}

// CHECK-LABEL: func.func @tiny(
// CHECK: call @tiny_region_1(

// The last first.
// CHECK-LABEL: async.func private @awaits_and_spins_region_18(
// CHECK-LABEL: async.func private @awaits_with_stack_region_17(
// CHECK-SAME: async_gpu.start = "either"
// CHECK-LABEL: async.func private @awaits_and_yields_region_16(
// CHECK-SAME: async_gpu.start = "either"
// CHECK-LABEL: async.func private @awaits_two_region_15(
// CHECK-SAME: async_gpu.start = "either"
// CHECK-LABEL: func.func private @awaits_last_region_14(
// CHECK: "agpu.start_here"()
// CHECK: call @blocks_nowhere()
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[BEGIN:bb[0-9]+]], ^[[NONE:bb[0-9]+]]
// CHECK: ^[[BEGIN]]:
// CHECK-NEXT: %[[BEGUN:.*]] = call @begins(
// CHECK-NEXT: llvm.mlir.constant(false)
// CHECK-NEXT: "agpu.started_here"
// CHECK-NEXT: return %[[BEGUN]]
// CHECK: ^[[NONE]]:
// CHECK-NEXT: %[[NOTHING:.*]] = "agpu.ready_token"()
// CHECK: return %[[NOTHING]]
// What only awaits its operands is no coroutine where it starts in
// its spawner, and starts on the executor otherwise.
// CHECK-LABEL: func.func private @calls_what_does_not_block_region_13(
// CHECK-SAME: %[[T:.*]]: !async.token)
// CHECK-NEXT: %[[READY:.*]] = "agpu.has_succeeded"(%[[T]])
// CHECK-NEXT: cf.cond_br %[[READY]], ^[[ASK:bb[0-9]+]], ^[[LATER:bb[0-9]+]]
// CHECK-NEXT: ^[[ASK]]:
// CHECK-NEXT: %[[HERE:.*]] = "agpu.start_here"()
// CHECK-NEXT: cf.cond_br %[[HERE]], ^[[NOW:bb[0-9]+]], ^[[LATER]]
// CHECK-NEXT: ^[[NOW]]:
// CHECK-NEXT: call @blocks_nowhere()
// CHECK-NEXT: %[[DONE:.*]] = "agpu.ready_token"()
// CHECK-NEXT: %[[SUSPENDED:.*]] = llvm.mlir.constant(false)
// CHECK-NEXT: "agpu.started_here"(%[[SUSPENDED]])
// CHECK-NEXT: return %[[DONE]]
// CHECK: ^[[LATER]]:
// CHECK-NEXT: %[[R:.*]] = async.call @calls_what_does_not_block_region_13_later(%[[T]])
// CHECK-NEXT: return %[[R]]
// CHECK-LABEL: async.func private @feeds_device_region_12(
// CHECK-SAME: async_gpu.start = "executor"
// CHECK-LABEL: async.func private @prints_region_11(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @calls_blocking_async_region_10(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @calls_recursion_region_9(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @calls_what_ends_the_program_region_8(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @calls_what_waits_region_7(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @calls_unknown_region_6(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @loops_region_5(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: func.func private @allocates_region_4(
// CHECK-NEXT: "agpu.start_here"()
// CHECK-LABEL: async.func private @spawns_region_3(
// CHECK-NOT: async_gpu.start
// CHECK-LABEL: async.func private @spawns_region_2(
// CHECK-SAME: async_gpu.start = "either"

// It runs if all operands are ready, and gives results that are; of an
// assertion that fails, both results have the error. Otherwise the region is a
// coroutine that starts in its spawner.
// CHECK-LABEL: func.func private @tiny_region_1(
// CHECK-SAME: %[[T:.*]]: !async.token, %[[V:.*]]: !async.value<i64>, %[[M:.*]]: memref<i64>, %[[C:.*]]: i1)
// CHECK-NEXT: %[[A:.*]] = "agpu.has_succeeded"(%[[T]])
// CHECK-NEXT: %[[B:.*]] = "agpu.has_succeeded"(%[[V]])
// CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[A]], %[[B]]
// CHECK-NEXT: cf.cond_br %[[ALL]], ^[[NOW:bb[0-9]+]], ^[[LATER:bb[0-9]+]]
// CHECK: ^[[NOW]]:
// CHECK-NEXT: %[[X:.*]] = async.runtime.load %[[V]]
// CHECK-NEXT: call @increment(%[[M]])
// CHECK-NEXT: cf.cond_br %[[C]], ^[[FINE:bb[0-9]+]], ^[[FAILED:bb[0-9]+]]
// CHECK: ^[[LATER]]:
// CHECK-NEXT: %[[R:.*]]:2 = async.call @tiny_region_1_later(%[[T]], %[[V]], %[[M]], %[[C]])
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
// CHECK: ^[[FAILED]]:
// CHECK-NEXT: %[[ET:.*]] = async.runtime.create : !async.token
// CHECK-NEXT: "agpu.set_error"(%[[ET]]) {message = "why"}
// CHECK-NEXT: %[[EV:.*]] = async.runtime.create : !async.value<i64>
// CHECK-NEXT: "agpu.forward_error"(%[[EV]], %[[ET]])
// CHECK-NEXT: return %[[ET]], %[[EV]]
// CHECK: ^[[FINE]]:
// CHECK-NEXT: %[[RT:.*]] = "agpu.ready_token"()
// CHECK-NEXT: %[[RV:.*]] = async.runtime.create : !async.value<i64>
// CHECK-NEXT: async.runtime.store %[[X]], %[[RV]]
// CHECK-NEXT: "agpu.set_available_unshared"(%[[RV]])
// CHECK-NEXT: return %[[RT]], %[[RV]]
// CHECK-LABEL: func.func private @empty_region_0() -> !async.token
// CHECK-NEXT: %[[READY:.*]] = "agpu.ready_token"()
// CHECK-NEXT: return %[[READY]]
// CHECK-LABEL: async.func private @tiny_region_1_later(
// CHECK-SAME: async_gpu.start = "spawner"
// CHECK: await %{{.*}} : !async.token
