// An added reference that the same block drops again goes away.
// RUN: async-gpu-opt %s --async-gpu-reference-counts-opt | FileCheck %s
// What async-gpu-reference-counts makes for a cast is such a pair.
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-reference-counts,async-gpu-reference-counts-opt)' | FileCheck %s --check-prefix=BOTH

// CHECK-LABEL: func.func @pair(
// CHECK-NEXT: async.runtime.await
// CHECK-NEXT: return
func.func @pair(%t: !async.token) {
  async.runtime.add_ref %t {count = 1 : i64} : !async.token
  async.runtime.await %t : !async.token
  async.runtime.drop_ref %t {count = 1 : i64} : !async.token
  return
}

// Counts are matched, not ops.
// CHECK-LABEL: func.func @counts(
// CHECK-NEXT: async.runtime.drop_ref %{{.*}} {count = 1 : i64}
// CHECK-NEXT: return
func.func @counts(%t: !async.token) {
  async.runtime.add_ref %t {count = 2 : i64} : !async.token
  async.runtime.drop_ref %t {count = 3 : i64} : !async.token
  return
}

// The call takes one of the two references: both are needed.
// CHECK-LABEL: func.func @taken(
// CHECK-NEXT: async.runtime.add_ref
// CHECK-NEXT: call @pair
// CHECK-NEXT: async.runtime.await
// CHECK-NEXT: async.runtime.drop_ref
func.func @taken(%t: !async.token) {
  async.runtime.add_ref %t {count = 1 : i64} : !async.token
  func.call @pair(%t) : (!async.token) -> ()
  async.runtime.await %t : !async.token
  async.runtime.drop_ref %t {count = 1 : i64} : !async.token
  return
}

// Another object in between does not matter.
// CHECK-LABEL: func.func @other(
// CHECK-NEXT: call @pair
// CHECK-NEXT: return
func.func @other(%t: !async.token, %u: !async.token) {
  async.runtime.add_ref %t {count = 1 : i64} : !async.token
  func.call @pair(%u) : (!async.token) -> ()
  async.runtime.drop_ref %t {count = 1 : i64} : !async.token
  return
}

// A select may be the object that is dropped in between: its own reference is
// what keeps it.
// CHECK-LABEL: func.func @alias(
// CHECK: %[[S:.*]] = arith.select
// CHECK-NEXT: async.runtime.add_ref %[[S]]
// CHECK-NEXT: async.runtime.drop_ref
// CHECK-NEXT: async.runtime.await %[[S]]
// CHECK-NEXT: async.runtime.drop_ref %[[S]]
func.func @alias(%c: i1, %t: !async.token, %u: !async.token) {
  %s = arith.select %c, %t, %u : !async.token
  async.runtime.add_ref %s {count = 1 : i64} : !async.token
  async.runtime.drop_ref %u {count = 1 : i64} : !async.token
  async.runtime.await %s : !async.token
  async.runtime.drop_ref %s {count = 1 : i64} : !async.token
  return
}

// A cast is another name of the same object.
// BOTH-LABEL: func.func @cast(
// BOTH-NEXT: %[[U:.*]] = builtin.unrealized_conversion_cast
// BOTH-NEXT: async.runtime.await %[[U]]
// BOTH-NEXT: async.runtime.drop_ref %[[U]]
// BOTH-NEXT: return
func.func @cast(%v: !async.value<f32>) {
  %t = builtin.unrealized_conversion_cast %v : !async.value<f32> to !async.token
  async.runtime.await %t : !async.token
  return
}
