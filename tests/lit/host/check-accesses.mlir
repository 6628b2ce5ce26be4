// RUN: async-gpu-opt %s --async-gpu-check-accesses | FileCheck %s

// Each access is told of, with its size, what it does (2 writes, 4 is atomic, 8
// reads) and its place; a copy has two.

// CHECK-LABEL: func.func @each
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr, %[[N:.*]]: i64
func.func @each(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64, %x: i32) {
  // CHECK: %[[READS:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: call @agpu_check_host_access(%[[P]], %{{.*}}, %[[READS]], %{{.*}})
  // CHECK-NEXT: llvm.load %[[P]]
  %v = llvm.load %p : !llvm.ptr -> i32
  // CHECK: %[[WRITES:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: call @agpu_check_host_access(%[[Q]], %{{.*}}, %[[WRITES]], %{{.*}})
  // CHECK-NEXT: llvm.store %{{.*}}, %[[Q]]
  llvm.store %v, %q : i32, !llvm.ptr
  // CHECK: %[[UPDATES:.*]] = llvm.mlir.constant(14 : i32)
  // CHECK: call @agpu_check_host_access(%[[P]], %{{.*}}, %[[UPDATES]], %{{.*}})
  // CHECK-NEXT: llvm.atomicrmw
  %o = llvm.atomicrmw add %p, %x acq_rel : !llvm.ptr, i32
  // CHECK: %[[R:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: call @agpu_check_host_access(%[[Q]], %[[N]], %[[R]], %{{.*}})
  // CHECK: %[[W:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: call @agpu_check_host_access(%[[P]], %[[N]], %[[W]], %{{.*}})
  // CHECK-NEXT: llvm.intr.memcpy
  "llvm.intr.memcpy"(%p, %q, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  return
}

// Of vectors, the lanes that are on: packed as one access, others each.
// CHECK-LABEL: func.func @lanes
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr, %[[M:.*]]: vector<2xi1>
func.func @lanes(%p: !llvm.ptr, %m: vector<2xi1>, %v: vector<2xi32>, %n: i32, %s: i64) {
  // CHECK: %[[B:.*]] = llvm.add
  // CHECK: %[[B:.*]] = llvm.add
  // CHECK: call @agpu_check_host_access(%[[P]], %[[B]],
  // CHECK-NEXT: llvm.intr.masked.expandload
  %a = "llvm.intr.masked.expandload"(%p, %m, %v) : (!llvm.ptr, vector<2xi1>, vector<2xi32>) -> vector<2xi32>
  // CHECK: %[[B:.*]] = llvm.add
  // CHECK: %[[B:.*]] = llvm.add
  // CHECK: call @agpu_check_host_access(%[[P]], %[[B]],
  // CHECK-NEXT: llvm.intr.masked.compressstore
  "llvm.intr.masked.compressstore"(%a, %p, %m) : (vector<2xi32>, !llvm.ptr, vector<2xi1>) -> ()
  // CHECK: llvm.icmp "ult"
  // CHECK: call @agpu_check_host_access
  // CHECK: llvm.icmp "ult"
  // CHECK: call @agpu_check_host_access
  // CHECK-NEXT: "llvm.intr.vp.load"
  %b = "llvm.intr.vp.load"(%p, %m, %n) : (!llvm.ptr, vector<2xi1>, i32) -> vector<2xi32>
  // CHECK-COUNT-2: call @agpu_check_host_access
  // CHECK-NEXT: "llvm.intr.vp.store"
  "llvm.intr.vp.store"(%b, %p, %m, %n) : (vector<2xi32>, !llvm.ptr, vector<2xi1>, i32) -> ()
  // CHECK: llvm.mul %{{.*}} : i64
  // CHECK: call @agpu_check_host_access
  // CHECK: llvm.mul %{{.*}} : i64
  // CHECK: call @agpu_check_host_access
  // CHECK-NEXT: "llvm.intr.experimental.vp.strided.load"
  %c = "llvm.intr.experimental.vp.strided.load"(%p, %s, %m, %n) : (!llvm.ptr, i64, vector<2xi1>, i32) -> vector<2xi32>
  // CHECK-COUNT-2: call @agpu_check_host_access
  // CHECK-NEXT: "llvm.intr.experimental.vp.strided.store"
  "llvm.intr.experimental.vp.strided.store"(%c, %p, %s, %m, %n) : (vector<2xi32>, !llvm.ptr, i64, vector<2xi1>, i32) -> ()
  return
}

// A variable of the function's own is not device memory.
// CHECK-LABEL: func.func @variable
// CHECK-NOT: agpu_check_host_access
// CHECK: return
func.func @variable() -> i32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %a = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %e = llvm.getelementptr %a[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.store %one, %e : i32, !llvm.ptr
  %v = llvm.load %a : !llvm.ptr -> i32
  return %v : i32
}

// What another library does, nothing says.
// CHECK-LABEL: func.func @calls
func.func private @elsewhere(!llvm.ptr)
func.func private @agpu_is_ours(!llvm.ptr)
func.func @calls(%p: !llvm.ptr, %q: !llvm.ptr) {
  // CHECK: call @agpu_note_host_call(%{{.*}})
  // CHECK-NEXT: call @elsewhere
  // CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.zero
  // CHECK-NEXT: call @agpu_note_host_call(%[[NONE]])
  call @elsewhere(%p) : (!llvm.ptr) -> ()
  // CHECK-NOT: agpu_note_host_call
  // CHECK: call @agpu_is_ours
  call @agpu_is_ours(%q) : (!llvm.ptr) -> ()
  // CHECK-NOT: agpu_note_host_call
  // CHECK: call @calls
  call @calls(%q, %p) : (!llvm.ptr, !llvm.ptr) -> ()
  // CHECK-NOT: agpu_note_host_call
  return
}

// Memory that is freed is told of before.
// CHECK-LABEL: func.func @frees
llvm.func @free(!llvm.ptr)
func.func @frees(%p: !llvm.ptr) {
  // CHECK: call @agpu_check_host_free(%arg0, %{{.*}})
  // CHECK: llvm.call @free(%arg0)
  llvm.call @free(%p) : (!llvm.ptr) -> ()
  return
}

// A division that may have no result is told of, by what is wrong with it: 1 by
// zero, 2 overflow. One that always has one is not.
// CHECK-LABEL: func.func @divide
func.func @divide(%a: i32, %b: i32, %v: vector<4xi64>) -> (i32, i32, i32, vector<4xi64>) {
  // CHECK: %[[OVERFLOWS:.*]] = arith.constant 2 : i32
  // CHECK: arith.select %{{.*}}, %[[OVERFLOWS]]
  // CHECK: %[[BY_ZERO:.*]] = arith.constant 1 : i32
  // CHECK: %[[FAULT:.*]] = arith.select %{{.*}}, %[[BY_ZERO]]
  // CHECK: call @agpu_check_host_division(%[[FAULT]], %{{.*}})
  // CHECK-NEXT: arith.divsi %arg0, %arg1
  %q = arith.divsi %a, %b : i32
  // CHECK-NOT: arith.constant 2 : i32
  // CHECK: call @agpu_check_host_division
  // CHECK-NEXT: arith.remui %arg0, %arg1
  %r = arith.remui %a, %b : i32
  // CHECK-NOT: agpu_check_host_division
  %c7 = arith.constant 7 : i32
  %s = arith.divsi %a, %c7 : i32
  // CHECK: llvm.intr.vector.reduce.or
  // CHECK: call @agpu_check_host_division
  // CHECK-NEXT: arith.divui %arg2, %arg2
  %w = arith.divui %v, %v : vector<4xi64>
  return %q, %r, %s, %w : i32, i32, i32, vector<4xi64>
}
