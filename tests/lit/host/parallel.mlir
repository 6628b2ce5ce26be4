// Parallel loops become calls of the runtime.
// RUN: async-gpu-opt %s --async-gpu-parallel --split-input-file | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-parallel=abi=upstream --split-input-file | FileCheck %s --check-prefix=UPSTREAM

// The body becomes a function that gets what it uses in a structure, copies of
// constants, and the numbers of its iterations.
// UPSTREAM-LABEL: func.func @one_dimension
// UPSTREAM: scf.parallel
// UPSTREAM-NOT: agpu_parallel_for
// CHECK-LABEL: func.func @one_dimension(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: memref<?xf32>, %[[X:.*]]: f32
// CHECK: %[[MEMORY:.*]] = llvm.alloca {{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK-NOT: scf.parallel
// CHECK: %[[BODY:.*]] = constant @one_dimension_loop : (!llvm.ptr, i64, i64) -> ()
// CHECK: %[[ADDRESS:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK: llvm.insertvalue %[[X]], {{.*}}[0]
// CHECK: llvm.store {{.*}}, %[[MEMORY]]
// CHECK: call @agpu_parallel_for(%{{.*}}, %{{.*}}, %[[ADDRESS]], %[[MEMORY]])
// CHECK: func.func private @one_dimension_loop(%[[CONTEXT:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64) attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK: %[[ALL:.*]] = llvm.load %[[CONTEXT]]
// CHECK: %[[Y:.*]] = llvm.extractvalue %[[ALL]][0]
// CHECK: %[[FROM:.*]] = arith.index_cast %[[FIRST]]
// CHECK: %[[TO:.*]] = arith.index_cast %[[LAST]]
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK: memref.store %[[Y]],
// CHECK: return
func.func @one_dimension(%n: index, %m: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %m[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Rows are run as a loop of their own.
// CHECK-LABEL: func.func private @two_dimensions_loop(
// CHECK: scf.for
// CHECK: arith.remsi
// CHECK: scf.for
// CHECK-NOT: arith.remsi
// CHECK: memref.store
func.func @two_dimensions(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}

// -----

// The structure lies in the frame of the region; a loop inside another one
// stays a loop.
// CHECK-LABEL: func.func @in_a_region(
// CHECK: async.execute
// CHECK-NEXT: llvm.mlir.constant
// CHECK-NEXT: llvm.alloca
// CHECK: call @agpu_parallel_for
// CHECK: func.func private @in_a_region_loop(
// CHECK: scf.for
// CHECK: scf.parallel
func.func @in_a_region(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = async.execute {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      scf.parallel (%j) = (%c0) to (%n) step (%c1) {
        memref.store %x, %m[%i, %j] : memref<?x?xf32>
        scf.reduce
      }
      scf.reduce
    }
    async.yield
  }
  return
}

// -----

// An outer loop that has to stay does not keep an inner one.
// CHECK-LABEL: func.func @inner(
// CHECK: scf.parallel
// CHECK: cf.assert
// CHECK: call @agpu_parallel_for
func.func @inner(%n: index, %m: memref<?x?xf32>, %x: f32, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    cf.assert %ok, "not"
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// Reductions stay.
// CHECK-LABEL: func.func @reduction(
// CHECK: scf.parallel
// CHECK-NOT: call @agpu_parallel_for
func.func @reduction(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// So does what is bound to its region or thread: an await in a function that is
// called by one that the loop calls, a call through a pointer, memory on the
// stack, a token.
// CHECK-LABEL: func.func @bound(
// CHECK-COUNT-4: scf.parallel
// CHECK-NOT: call @agpu_parallel_for
func.func private @awaits(%t: !async.token) {
  async.await %t : !async.token
  return
}
func.func private @calls(%t: !async.token) {
  func.call @awaits(%t) : (!async.token) -> ()
  return
}
func.func private @takes_token(!async.token)
func.func @bound(%n: index, %t: !async.token, %f: (index) -> ()) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @calls(%t) : (!async.token) -> ()
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call_indirect %f(%i) : (index) -> ()
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloca() : memref<4xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @takes_token(%t) : (!async.token) -> ()
    scf.reduce
  }
  return
}

// -----

// A function that calls itself is looked at once, and a name that is taken is
// not taken again.
// CHECK-LABEL: func.func @recursive(
// CHECK: constant @recursive_loop_0
func.func private @again(%n: index) {
  func.call @again(%n) : (index) -> ()
  return
}
func.func private @recursive_loop()
func.func @recursive(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @again(%i) : (index) -> ()
    scf.reduce
  }
  return
}
