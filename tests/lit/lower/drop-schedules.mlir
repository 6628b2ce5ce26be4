// What transform-interpreter has applied may be left behind.
// RUN: async-gpu-opt %s --transform-interpreter --async-gpu-drop-schedules | FileCheck %s
// RUN: async-gpu-opt %s --transform-interpreter --async-gpu-drop-schedules --async-gpu-lower | FileCheck %s --check-prefix=LOWERED

// CHECK-NOT: transform
// CHECK: func.func @main
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.load
// CHECK-NOT: transform
// LOWERED: llvm.func @main
module attributes {transform.with_named_sequence} {
  func.func @main(%m: memref<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %x = memref.load %m[%i] : memref<8xf32>
      memref.store %x, %m[%i] : memref<8xf32>
    }
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %loop = transform.structured.match ops{["scf.for"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loop {factor = 2} : !transform.any_op
    transform.yield
  }
  module @library attributes {transform.with_named_sequence} {
    transform.named_sequence @unused(%m: !transform.any_op {transform.readonly}) {
      transform.yield
    }
  }
}
