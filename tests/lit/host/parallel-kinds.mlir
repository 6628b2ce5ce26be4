// affine.parallel and scf.forall are parallel loops too; those of a kernel stay.
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(lower-affine,async-gpu-parallel)' | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s --check-prefix=LOWERED

// CHECK-LABEL: func.func @affine(
// CHECK: call @agpu_parallel_reduce
// CHECK: call @agpu_parallel_for
// LOWERED-LABEL: llvm.func @affine(
// LOWERED: llvm.call @agpu_parallel_reduce
// LOWERED: llvm.call @agpu_parallel_for
func.func @affine(%n: index, %m: memref<?x?xf32>) -> f32 {
  %r = affine.parallel (%i, %j) = (0, symbol(%n)) to (symbol(%n), 1000)
      step (2, 3) reduce ("maximumf") -> f32 {
    %x = affine.load %m[%i, %j] : memref<?x?xf32>
    affine.yield %x : f32
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %r, %m[%i, 2 * %i + 1] : memref<?x?xf32>
  }
  return %r : f32
}

// CHECK-LABEL: func.func @forall(
// CHECK: call @agpu_parallel_for
// LOWERED-LABEL: llvm.func @forall(
// LOWERED: llvm.call @agpu_parallel_for
func.func @forall(%n: index, %m: memref<?x?xf32>, %x: f32) {
  scf.forall (%i, %j) = (0, 1) to (%n, 100) step (1, 5) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  }
  return
}

// Without dimensions there is one iteration.
// CHECK-LABEL: func.func @single(
// CHECK: call @agpu_parallel_for
func.func @single(%m: memref<f32>, %x: f32) {
  scf.forall () in () {
    memref.store %x, %m[] : memref<f32>
  }
  return
}

// CHECK-LABEL: func.func @kernel(
// CHECK: gpu.launch
// CHECK: scf.forall
// CHECK-NOT: agpu_parallel_for
// LOWERED-LABEL: llvm.func @kernel(
// LOWERED-NOT: llvm.call @agpu_parallel_for
func.func @kernel(%m: memref<?xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.forall (%i) in (16) {
      memref.store %x, %m[%i] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}
