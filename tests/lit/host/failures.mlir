// What fails in a function that a region calls is the region's error.
// RUN: async-gpu-opt %s --async-gpu-failures --split-input-file | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-failures=abi=upstream --split-input-file | FileCheck %s --check-prefix=UPSTREAM
// RUN: async-gpu-opt %s --async-gpu-failures --async-gpu-outline --convert-scf-to-cf --async-gpu-coroutines --split-input-file | FileCheck %s --check-prefix=LOWERED

// By itself, and by way of another one. Nothing else uses them.
// UPSTREAM-LABEL: func.func private @half(
// UPSTREAM-NOT: async_gpu.fails
// UPSTREAM-NOT: agpu.propagate
// CHECK-LABEL: func.func private @half(
// CHECK-SAME: i32, %{{.*}}: i1) -> (!async.token, i32) attributes {async_gpu.fails}
// CHECK: cf.assert
// CHECK: %[[H:.*]] = arith.shrsi
// CHECK: %[[READY:.*]] = "agpu.ready_token"() : () -> !async.token
// CHECK: return %[[READY]], %[[H]]
// LOWERED-LABEL: func.func private @half(
// LOWERED-NOT: async_gpu.fails
// LOWERED: cf.cond_br %{{.*}}, ^[[FINE:bb[0-9]+]], ^[[BAD:bb[0-9]+]]
// LOWERED-NEXT: ^[[BAD]]:
// LOWERED-NEXT: %[[T:.*]] = async.runtime.create : !async.token
// LOWERED-NEXT: "agpu.set_error"(%[[T]]) {message = "an odd number"}
// LOWERED-NEXT: cf.br ^[[FAILED:bb[0-9]+]](%[[T]] : !async.token)
// LOWERED-NEXT: ^[[FINE]]:
// LOWERED: ^[[FAILED]](%[[E:.*]]: !async.token):
// LOWERED-NEXT: %[[NOTHING:.*]] = ub.poison : i32
// LOWERED-NEXT: return %[[E]], %[[NOTHING]]
func.func private @half(%x: i32, %even: i1) -> i32 {
  cf.assert %even, "an odd number"
  %c1 = arith.constant 1 : i32
  %h = arith.shrsi %x, %c1 : i32
  return %h : i32
}

// CHECK-LABEL: func.func private @by_way(
// CHECK: %[[R:.*]]:2 = call @half(
// CHECK-NEXT: "agpu.propagate"(%[[R]]#0)
// CHECK-NEXT: "agpu.ready_token"
// CHECK-NEXT: return %{{.*}}, %[[R]]#1
// LOWERED-LABEL: func.func private @by_way(
// LOWERED: %[[R:.*]]:2 = call @half(
// LOWERED-NEXT: return %[[R]]#0, %[[R]]#1
func.func private @by_way(%x: i32, %even: i1) -> i32 {
  %h = call @half(%x, %even) : (i32, i1) -> i32
  return %h : i32
}

// A call at the end is one after the lowering, too, so that such recursion is a
// loop.
// LOWERED-LABEL: func.func private @down(
// LOWERED: cf.cond_br
// LOWERED: cf.cond_br
// LOWERED: %[[R:.*]]:3 = call @down(
// LOWERED-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func private @down(%n: i32, %a: i32, %ok: i1) -> (i32, i32) {
  cf.assert %ok, "on the way"
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %end = arith.cmpi eq, %n, %c0 : i32
  %r:2 = scf.if %end -> (i32, i32) {
    scf.yield %n, %a : i32, i32
  } else {
    %b = arith.addi %a, %n : i32
    %m = arith.subi %n, %c1 : i32
    %q:2 = func.call @down(%m, %b, %ok) : (i32, i32, i1) -> (i32, i32)
    scf.yield %q#0, %q#1 : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// In another order, it is not.
// LOWERED-LABEL: func.func private @swapped(
// LOWERED: %[[R:.*]]:3 = call @down(
// LOWERED-NEXT: %[[OK:.*]] = "agpu.has_succeeded"(%[[R]]#0)
// LOWERED-NEXT: cf.cond_br %[[OK]], ^{{.*}}, ^[[BAD:bb[0-9]+]]
// LOWERED-NEXT: ^[[BAD]]:
// LOWERED-NEXT: %[[T:.*]] = async.runtime.create
// LOWERED-NEXT: "agpu.forward_error"(%[[T]], %[[R]]#0)
func.func private @swapped(%n: i32, %ok: i1) -> (i32, i32) {
  %r:2 = call @down(%n, %n, %ok) : (i32, i32, i1) -> (i32, i32)
  return %r#1, %r#0 : i32, i32
}

// CHECK-LABEL: func.func @region(
// CHECK: async.execute
// CHECK: scf.if
// CHECK-NEXT: %[[R:.*]]:2 = func.call @by_way(
// CHECK-NEXT: "agpu.propagate"(%[[R]]#0)
// CHECK: scf.yield %[[R]]#1
// LOWERED-LABEL: func.func private @region_region_0(
// LOWERED: %[[V:.*]] = async.runtime.create {{.*}}!async.value<i32>
// LOWERED: %[[R:.*]]:2 = call @by_way(
// LOWERED-NEXT: "agpu.has_succeeded"(%[[R]]#0)
// LOWERED: "agpu.forward_error"(%[[V]], %[[R]]#0)
func.func @region(%x: i32, %even: i1) -> !async.value<i32> {
  %t, %v = async.execute -> !async.value<i32> {
    %h = scf.if %even -> i32 {
      %r = func.call @by_way(%x, %even) : (i32, i1) -> i32
      %s:2 = func.call @swapped(%r, %even) : (i32, i1) -> (i32, i32)
      scf.yield %r : i32
    } else {
      scf.yield %x : i32
    }
    async.yield %h : i32
  }
  return %v : !async.value<i32>
}

// -----

// One that is public, or that somebody else calls, keeps its name and its type
// for those, and ends the program.
// CHECK-LABEL: func.func @public(
// CHECK-SAME: %[[OK:.*]]: i1) attributes {llvm.emit_c_interface}
// CHECK-NEXT: %[[T:.*]] = call @public.fallible(%[[OK]]) : (i1) -> !async.token
// CHECK-NEXT: "agpu.propagate"(%[[T]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @public.fallible(
// CHECK: cf.assert
// LOWERED-LABEL: func.func @public(
// LOWERED: %[[T:.*]] = call @public.fallible(
// LOWERED-NEXT: "agpu.check"(%[[T]])
// LOWERED-NEXT: return
func.func @public(%ok: i1) attributes {llvm.emit_c_interface} {
  cf.assert %ok, "not"
  return
}
// CHECK-LABEL: func.func private @shared(
// CHECK: call @shared.fallible_0(
// CHECK-LABEL: func.func private @shared.fallible_0(
// CHECK-SAME: -> (!async.token, memref<?xf32>)
// CHECK: memref.alloc
func.func private @shared(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}
func.func private @shared.fallible()
// CHECK-LABEL: func.func @plain(
// CHECK: call @shared(%{{.*}}) : (index) -> memref<?xf32>
func.func @plain(%n: index) -> memref<?xf32> {
  %m = call @shared(%n) : (index) -> memref<?xf32>
  return %m : memref<?xf32>
}
// CHECK-LABEL: async.func @both(
// CHECK: call @public.fallible(
// CHECK: call @shared.fallible_0(
async.func @both(%ok: i1, %n: index) -> (!async.token, !async.value<memref<?xf32>>) {
  func.call @public(%ok) : (i1) -> ()
  %m = func.call @shared(%n) : (index) -> memref<?xf32>
  return %m : memref<?xf32>
}

// -----

// What cannot fail, or no region calls, is left as it is; so is a call that no
// branch can leave.
// CHECK-NOT: async_gpu.fails
func.func private @computes(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func private @fails(%ok: i1) {
  cf.assert %ok, "not"
  return
}
func.func @main(%x: i32, %ok: i1) {
  func.call @fails(%ok) : (i1) -> ()
  %t = async.execute {
    %y = func.call @computes(%x) : (i32) -> i32
    memref.alloca_scope {
      func.call @fails(%ok) : (i1) -> ()
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// -----

// Awaits block, and give the error on; a result that is an object is one whose
// reference may be dropped.
// CHECK-LABEL: func.func private @awaits(
// LOWERED-LABEL: func.func private @awaits(
// LOWERED-SAME: %[[V:.*]]: !async.value<i32>, %{{.*}}: !async.token
// LOWERED: "agpu.await_either"(%[[V]])
// LOWERED-NEXT: %[[FAILED:.*]] = "agpu.has_failed"(%[[V]])
// LOWERED: cf.cond_br
// LOWERED: "agpu.forward_error"(%{{.*}}, %[[V]])
// LOWERED: async.runtime.load %[[V]]
// LOWERED: ^{{.*}}(%[[E:.*]]: !async.token):
// LOWERED-NEXT: %[[T:.*]] = "agpu.ready_token"() : () -> !async.token
// LOWERED-NEXT: %[[X:.*]] = ub.poison : i32
// LOWERED-NEXT: return %[[E]], %[[T]], %[[X]]
func.func private @awaits(%v: !async.value<i32>, %t: !async.token) -> (!async.token, i32) {
  %x = async.await %v : !async.value<i32>
  return %t, %x : !async.token, i32
}
async.func @calls(%v: !async.value<i32>, %t: !async.token) -> !async.token {
  %r:2 = func.call @awaits(%v, %t) : (!async.value<i32>, !async.token) -> (!async.token, i32)
  return
}
