// Bodies that are alike but for their constants become one, which is given them;
// one that differs, one whose constants are aligned otherwise, and one that names
// what can be written stay, and so do all where nothing was made of linalg.
// RUN: async-gpu-opt %s --split-input-file --async-gpu-native-share | FileCheck %s

// CHECK-LABEL: gpu.module @k
// CHECK: llvm.func internal @body.a(%{{.*}}: !llvm.ptr, %[[W:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.readonly})
// CHECK: llvm.load %[[W]]
// CHECK: llvm.func internal @native.a
// CHECK: %[[FIRST:.*]] = llvm.mlir.addressof @first
// CHECK-NEXT: llvm.call @body.a(%{{.*}}, %[[FIRST]])
// CHECK-NOT: @body.b
// CHECK: llvm.func internal @native.b
// CHECK: %[[SECOND:.*]] = llvm.mlir.addressof @second
// CHECK-NEXT: llvm.call @body.a(%{{.*}}, %[[SECOND]])
// CHECK: llvm.func internal @body.aligned(%{{[^,]*}})
// CHECK: llvm.mlir.addressof @third
// CHECK: llvm.call @body.aligned(%{{[^,]*}})
// CHECK: llvm.func internal @body.written(%{{[^,]*}})
// CHECK: llvm.mlir.addressof @variable
module attributes {async_gpu.alike_kernels} {
  gpu.module @k {
    llvm.mlir.global internal constant @first(1.0 : f32) {alignment = 64 : i64} : f32
    llvm.mlir.global internal constant @second(2.0 : f32) {alignment = 64 : i64} : f32
    llvm.mlir.global internal constant @third(3.0 : f32) {alignment = 32 : i64} : f32
    llvm.mlir.global internal @variable(4.0 : f32) {alignment = 64 : i64} : f32
    llvm.func internal @body.a(%p: !llvm.ptr) attributes {no_inline} {
      %w = llvm.mlir.addressof @first : !llvm.ptr
      %v = llvm.load %w : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func internal @native.a(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.a(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @body.b(%p: !llvm.ptr) attributes {no_inline} {
      %w = llvm.mlir.addressof @second : !llvm.ptr
      %v = llvm.load %w : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func internal @native.b(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.b(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @body.aligned(%p: !llvm.ptr) attributes {no_inline} {
      %w = llvm.mlir.addressof @third : !llvm.ptr
      %v = llvm.load %w : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func internal @native.aligned(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.aligned(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @body.written(%p: !llvm.ptr) attributes {no_inline} {
      %w = llvm.mlir.addressof @variable : !llvm.ptr
      %v = llvm.load %w : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func internal @native.written(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.written(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
}

// -----

// CHECK-LABEL: gpu.module @by_hand
// CHECK: @body.a
// CHECK: @body.b
module {
  gpu.module @by_hand {
    llvm.func internal @body.a(%p: !llvm.ptr) attributes {no_inline} {
      llvm.return
    }
    llvm.func internal @native.a(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.a(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @body.b(%p: !llvm.ptr) attributes {no_inline} {
      llvm.return
    }
    llvm.func internal @native.b(%p: !llvm.ptr, %b: !llvm.ptr) attributes {agpu.param_sizes = array<i32: 8>} {
      llvm.call @body.b(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
}
