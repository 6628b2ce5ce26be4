// A body that several kernels have is given the constants of each, aligned as
// all of them are; one that a kernel has alone names its own.
// RUN: async-gpu-opt %s --async-gpu-native-share | FileCheck %s

// CHECK-LABEL: gpu.module @k
// CHECK: llvm.func internal @body.a(%{{.*}}: !llvm.ptr, %[[W:.*]]: !llvm.ptr {llvm.align = 32 : i64, llvm.noalias, llvm.readonly})
// CHECK: llvm.load %[[W]]
// CHECK: llvm.func internal @native.a(%{{.*}}) attributes {agpu.param_sizes = array<i32: 8>}
// CHECK: llvm.call @expect_size
// CHECK: %[[FIRST:.*]] = llvm.mlir.addressof @first
// CHECK-NEXT: llvm.call @body.a(%{{.*}}, %[[FIRST]])
// CHECK: llvm.func internal @native.b(%{{.*}}) attributes {agpu.param_sizes = array<i32: 8>}
// CHECK: %[[SECOND:.*]] = llvm.mlir.addressof @second
// CHECK-NEXT: llvm.call @body.a(%{{.*}}, %[[SECOND]])
// CHECK: llvm.func internal @body.alone(%{{[^,]*}})
// CHECK: llvm.mlir.addressof @first
// CHECK: llvm.call @body.alone(%{{[^,]*}})
module {
  gpu.module @k {
    llvm.mlir.global internal constant @first(1.0 : f32) {alignment = 64 : i64} : f32
    llvm.mlir.global internal constant @second(2.0 : f32) {alignment = 32 : i64} : f32
    llvm.func @expect_size()
    llvm.func internal @body.a(%p: !llvm.ptr) attributes {no_inline} {
      %w = llvm.mlir.addressof @first : !llvm.ptr
      %v = llvm.load %w : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func internal @native.a(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.constants = [@first], agpu.param_sizes = array<i32: 8>} {
      llvm.call @expect_size() : () -> ()
      llvm.call @body.a(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @native.b(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.alike = "a", agpu.constants = [@second], agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.a(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @body.alone(%p: !llvm.ptr) attributes {no_inline} {
      %w = llvm.mlir.addressof @first : !llvm.ptr
      %v = llvm.load %w : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func internal @native.alone(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.alone(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
}
