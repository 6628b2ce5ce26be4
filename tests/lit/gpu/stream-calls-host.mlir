// Code of the host on a stream: its arguments are put into memory, and taken from a copy.
// RUN: async-gpu-opt %s --async-gpu-stream-calls | FileCheck %s

// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[S:.*]]: !agpu.stream, %[[H:.*]]: memref<8xi32>, %[[X:.*]]: i32)
// CHECK: call @agpu_host_call.code(%[[S]], %[[H]], %[[X]], %{{.*}}) : (!agpu.stream, memref<8xi32>, i32, !llvm.ptr) -> ()
func.func @calls(%s: !agpu.stream, %h: memref<8xi32>, %x: i32) {
  %list = builtin.unrealized_conversion_cast %h, %x : memref<8xi32>, i32 to !agpu.arguments
  "agpu.host_call"(%s, %list) {callee = @code} : (!agpu.stream, !agpu.arguments) -> ()
  return
}
func.func private @code(%h: memref<8xi32>, %x: i32) {
  return
}

// CHECK: func.func private @agpu_host_call.code(
// CHECK: constant @agpu_host_run.code : (!llvm.ptr) -> ()
// CHECK: llvm.store {{.*}} {alignment = 1 : i64}
// CHECK: llvm.store {{.*}} {alignment = 1 : i64}
// CHECK: call @agpu_host_call(
// CHECK: func.func private @agpu_host_run.code(%[[P:.*]]: !llvm.ptr)
// CHECK: llvm.load {{.*}} {alignment = 1 : i64}
// CHECK: llvm.load {{.*}} {alignment = 1 : i64}
// CHECK: call @code(
