// Each object owns one reference from its definition to its last use, on every
// path.
// RUN: async-gpu-opt %s --async-gpu-reference-counts | FileCheck %s

func.func private @take(!async.token)
func.func private @give() -> !async.token

// CHECK-LABEL: func.func @unused(
// CHECK-NEXT: async.runtime.drop_ref %{{.*}} {count = 1 : i64}
// CHECK-NEXT: return
func.func @unused(%t: !async.token) {
  return
}

// Dropped behind the last of several uses.
// CHECK-LABEL: func.func @last(
// CHECK-NEXT: async.runtime.await
// CHECK-NEXT: async.runtime.await
// CHECK-NEXT: async.runtime.drop_ref
// CHECK-NEXT: return
func.func @last(%t: !async.token) {
  async.runtime.await %t : !async.token
  async.runtime.await %t : !async.token
  return
}

// A call takes its arguments' references, and gives those of its results.
// CHECK-LABEL: func.func @call(
// CHECK-NEXT: call @take
// CHECK-NEXT: %[[R:.*]] = call @give
// CHECK-NEXT: async.runtime.drop_ref %[[R]] {count = 1 : i64}
// CHECK-NEXT: return
func.func @call(%t: !async.token) {
  call @take(%t) : (!async.token) -> ()
  %r = call @give() : () -> !async.token
  return
}

// One more for each use that takes one, but the last.
// CHECK-LABEL: func.func @taken(
// CHECK-NEXT: async.runtime.add_ref %{{.*}} {count = 1 : i64}
// CHECK-NEXT: call @take
// CHECK-NEXT: async.runtime.add_ref %{{.*}} {count = 2 : i64}
// CHECK-NEXT: return
func.func @taken(%t: !async.token) -> (!async.token, !async.token, !async.token) {
  call @take(%t) : (!async.token) -> ()
  return %t, %t, %t : !async.token, !async.token, !async.token
}

// Used on one way only: dropped at the start of the other.
// CHECK-LABEL: func.func @branch(
// CHECK: cf.cond_br %{{.*}}, ^[[A:bb[0-9]+]], ^[[B:bb[0-9]+]]
// CHECK: ^[[B]]:
// CHECK-NEXT: async.runtime.drop_ref
// CHECK-NEXT: cf.br ^[[END:bb[0-9]+]]
// CHECK: ^[[A]]:
// CHECK-NEXT: async.runtime.await
// CHECK-NEXT: async.runtime.drop_ref
// CHECK-NEXT: cf.br ^[[END]]
// CHECK: ^[[END]]:
// CHECK-NEXT: return
func.func @branch(%c: i1, %t: !async.token) {
  cf.cond_br %c, ^a, ^b
^a:
  async.runtime.await %t : !async.token
  cf.br ^b
^b:
  return
}

// A select is another name: it gets a reference before those behind it go.
// CHECK-LABEL: func.func @alias(
// CHECK: %[[S:.*]] = arith.select
// CHECK-NEXT: async.runtime.add_ref %[[S]] {count = 1 : i64}
// CHECK-NEXT: async.runtime.drop_ref
// CHECK-NEXT: async.runtime.drop_ref
// CHECK-NEXT: async.runtime.await %[[S]]
// CHECK-NEXT: async.runtime.drop_ref %[[S]]
func.func @alias(%c: i1, %t: !async.token, %u: !async.token) {
  %s = arith.select %c, %t, %u : !async.token
  async.runtime.await %s : !async.token
  return
}

// The edges of a switch: one hands the reference over, one needs another, one
// drops it.
// CHECK-LABEL: func.func @switch(
// CHECK-SAME: %{{.*}}: i32, %[[T:.*]]: !async.token
// CHECK: default: ^[[ONE:bb[0-9]+]](%[[T]]
// CHECK: 1: ^[[TWO:bb[0-9]+]](%[[T]], %[[T]]
// CHECK: 2: ^[[NONE:bb[0-9]+]]
// CHECK: ^[[TWO]](
// CHECK-NEXT: async.runtime.add_ref %[[T]] {count = 1 : i64}
// CHECK-NEXT: cf.br
// CHECK: ^[[ONE]](%[[X:.*]]: !async.token):
// CHECK-NEXT: return %[[X]]
// CHECK: ^[[NONE]]:
// CHECK-NEXT: async.runtime.drop_ref %[[T]] {count = 1 : i64}
func.func @switch(%n: i32, %t: !async.token) -> !async.token {
  cf.switch %n : i32, [
    default: ^a(%t : !async.token),
    1: ^b(%t, %t : !async.token, !async.token),
    2: ^c
  ]
^a(%x: !async.token):
  return %x : !async.token
^b(%y: !async.token, %z: !async.token):
  return %y : !async.token
^c:
  %w = call @give() : () -> !async.token
  return %w : !async.token
}

// What lives through a loop is dropped behind it, what the loop carries goes
// from turn to turn.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %{{.*}}: i1, %[[T:.*]]: !async.token, %[[U:.*]]: !async.token
// CHECK: ^[[LOOP:bb[0-9]+]](%[[P:.*]]: !async.token):
// CHECK-NEXT: async.runtime.await %[[U]]
// CHECK-NEXT: async.runtime.await %[[P]]
// CHECK-NEXT: async.runtime.drop_ref %[[P]]
// CHECK-NEXT: %[[N:.*]] = call @give
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[LOOP]](%[[N]] : !async.token), ^[[END:bb[0-9]+]]
// CHECK: ^[[END]]:
// CHECK-DAG: async.runtime.drop_ref %[[U]]
// CHECK-DAG: async.runtime.drop_ref %[[N]]
// CHECK: return
func.func @loop(%c: i1, %t: !async.token, %u: !async.token) {
  cf.br ^loop(%t : !async.token)
^loop(%p: !async.token):
  async.runtime.await %u : !async.token
  async.runtime.await %p : !async.token
  %n = call @give() : () -> !async.token
  cf.cond_br %c, ^loop(%n : !async.token), ^end
^end:
  return
}

// What a coroutine returns is born with a reference for its caller; the rest is
// dropped where the coroutine ends, and of a suspension only the way on counts.
// CHECK-LABEL: func.func @coroutine(
// CHECK-SAME: %[[T:.*]]: !async.token
// CHECK: %[[R:.*]] = async.runtime.create
// CHECK-NOT: ref %[[R]]
// CHECK: async.coro.suspend
// CHECK: ^[[GO:bb[0-9]+]]:
// CHECK-NEXT: async.runtime.drop_ref %[[T]] {count = 1 : i64}
// CHECK-NEXT: async.runtime.set_available %[[R]]
// CHECK-NOT: ref
// CHECK: return %[[R]]
func.func @coroutine(%t: !async.token) -> !async.token {
  %r = async.runtime.create : !async.token
  %id = async.coro.id
  %h = async.coro.begin %id
  %s = async.coro.save %h
  async.runtime.await_and_resume %t, %h : !async.token
  async.coro.suspend %s, ^suspend, ^go, ^cleanup
^go:
  async.runtime.set_available %r : !async.token
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %h
  cf.br ^suspend
^suspend:
  async.coro.end %h
  return %r : !async.token
}

// A function that counts by itself is left alone.
// CHECK-LABEL: func.func @itself(
// CHECK-NEXT: async.runtime.add_ref %{{.*}} {count = 7 : i64}
// CHECK-NEXT: return
func.func @itself(%t: !async.token) {
  async.runtime.add_ref %t {count = 7 : i64} : !async.token
  return
}

// Ways out by error share what they drop: the second leads to the drop with
// which the first ends, and each value is dropped in one place.
// CHECK-LABEL: func.func @errors(
// CHECK-SAME: %[[A:[^:]*]]: !async.token, %[[B:[^:]*]]: !async.token, %[[C:[^:]*]]: !async.token
// CHECK: "agpu.forward_error"(%[[R:.*]], %[[A]])
// CHECK-NEXT: async.runtime.drop_ref %[[R]]
// CHECK-NEXT: async.runtime.drop_ref %[[A]]
// CHECK-NEXT: async.runtime.drop_ref %[[B]]
// CHECK-NEXT: cf.br ^[[SHARED:bb[0-9]+]]
// CHECK: "agpu.forward_error"(%[[R]], %[[B]])
// CHECK-NEXT: async.runtime.drop_ref %[[R]]
// CHECK-NEXT: async.runtime.drop_ref %[[B]]
// CHECK-NEXT: cf.br ^[[SHARED]]
// CHECK: ^[[SHARED]]:
// CHECK-NEXT: async.runtime.drop_ref %[[C]]
// CHECK-NEXT: cf.br ^[[END:bb[0-9]+]]
// CHECK: ^[[END]]:
// CHECK-NEXT: return
func.func @errors(%a: !async.token, %b: !async.token, %c: !async.token, %r: !async.token) {
  %failed = async.runtime.is_error %a : !async.token
  cf.cond_br %failed, ^error_a, ^rest_a
^error_a:
  "agpu.forward_error"(%r, %a) : (!async.token, !async.token) -> ()
  cf.br ^end
^rest_a:
  %failed_b = async.runtime.is_error %b : !async.token
  cf.cond_br %failed_b, ^error_b, ^rest_b
^error_b:
  "agpu.forward_error"(%r, %b) : (!async.token, !async.token) -> ()
  cf.br ^end
^rest_b:
  async.runtime.await %c : !async.token
  cf.br ^end
^end:
  return
}
