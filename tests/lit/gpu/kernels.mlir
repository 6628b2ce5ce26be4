// A gpu.module becomes its images and descriptors (include/async_gpu/compiled/kernel.h).
// RUN: async-gpu-opt %s --async-gpu-kernels | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx | FileCheck %s --check-prefix=PTX
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native | FileCheck %s --check-prefix=NATIVE
// The result stands on its own, and so does the two-step way.
// RUN: async-gpu-opt %s --async-gpu-kernels-to-nvvm --async-gpu-kernels | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// CHECK-NOT: gpu.container_module
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @fill(%x: memref<?xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %x[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @empty() kernel {
      gpu.return
    }
  }
}

// The native body, a function of the parameters and of the block: what its
// threads do, in loops over z, y and x.
// CHECK: llvm.func internal @agpu_body.m.fill(%{{.*}}: !llvm.ptr, %[[X:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %[[V:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: i32, %{{[a-z0-9]+}}: i32, %{{[a-z0-9]+}}: i32, %[[SIZE:[a-z0-9]+]]: i32
// CHECK-SAME: attributes {no_inline, passthrough = {{.*}}"prefer-vector-width", "512"
// CHECK-NOT: nvvm
// CHECK: %[[I:.*]] = llvm.sext %[[TID:.*]] : i32 to i64
// CHECK: llvm.store %[[V]], %{{.*}} {access_groups = [#[[GROUP:.*]]]}
// CHECK: ^bb[[THREADS:[0-9]+]](%[[TID]]: i32):
// CHECK: %[[NEXT:.*]] = llvm.add %[[TID]]
// CHECK: %[[MORE:.*]] = llvm.icmp "ult" %[[NEXT]], %[[SIZE]]
// CHECK: llvm.cond_br %[[MORE]], ^bb[[THREADS]](%[[NEXT]] : i32), ^bb{{.*}} {loop_annotation = #{{.*}}}

// The block: the parameters, and a call of the body.
// CHECK: llvm.func internal @agpu_native.m.fill(%[[PARAMS:.*]]: !llvm.ptr, %[[BLOCK:.*]]: !llvm.ptr)
// CHECK: llvm.getelementptr %[[BLOCK]][24]
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[PARAMS]][5]
// CHECK: %[[PARAM:.*]] = llvm.load %[[SLOT]]
// CHECK: %[[VALUE:.*]] = llvm.load %[[PARAM]] {alignment = 1 : i64} : !llvm.ptr -> f32
// CHECK: llvm.call @agpu_body.m.fill({{.*}}, %[[VALUE]], %{{.*}})

// CHECK: llvm.mlir.global internal constant @agpu_ptx.m.sm_75("//
// CHECK-SAME: .target sm_75
// CHECK-SAME: .visible .entry fill(
// CHECK-SAME: \00") {{.*}}agpu.ptx = "m"
// CHECK: llvm.mlir.global internal constant @agpu_param_sizes.m.fill(dense<[8, 8, 8, 8, 8, 4]>
// CHECK: llvm.mlir.global internal constant @agpu_native_kernels.m()
// CHECK: llvm.mlir.addressof @agpu_native.m.fill
// CHECK: llvm.mlir.addressof @agpu_native.m.empty
// CHECK: llvm.mlir.global internal constant @agpu_native_image.m()
// CHECK: llvm.mlir.constant(844121921 : i32)
// CHECK: llvm.func internal @agpu_get_native_image.m() -> !llvm.ptr
// CHECK: llvm.mlir.addressof @agpu_native_image.m
// CHECK: llvm.mlir.global internal constant @agpu_images.m()
// CHECK: llvm.mlir.global internal @agpu_module.m()
// CHECK: llvm.mlir.global internal @agpu_kernel.m.fill()
// CHECK: llvm.mlir.global internal @agpu_kernel.m.empty()

// PTX-NOT: agpu_native
// PTX-NOT: agpu_body
// PTX: @agpu_ptx.m.sm_75
// PTX-NOT: agpu_native
// PTX: @agpu_param_sizes.m.fill(dense<[8, 8, 8, 8, 8, 4]>
// PTX: @agpu_images.m() {{.*}} !llvm.array<1 x
// PTX: @agpu_kernel.m.fill

// NATIVE-NOT: @agpu_ptx
// NATIVE: @agpu_native.m.fill
// NATIVE: @agpu_images.m() {{.*}} !llvm.array<1 x
// NATIVE: @agpu_kernel.m.fill

// LLVM-DAG: @agpu_native_kernels.m = internal constant [2 x { ptr, ptr, ptr, i32, i32, ptr, i32, i32 }] [{ ptr, ptr, ptr, i32, i32, ptr, i32, i32 } { ptr @[[NAME:.*]], ptr @agpu_native.m.fill, ptr @agpu_param_sizes.m.fill, i32 6, i32 0, ptr @agpu_pointers.m.fill, i32 1, i32 65536 }, { ptr, ptr, ptr, i32, i32, ptr, i32, i32 } { ptr @{{.*}}, ptr @agpu_native.m.empty, ptr null, i32 0, i32 0, ptr null, i32 0, i32 65536 }]
// The second parameter points to the elements of the first argument, a memref
// of f32.
// LLVM-DAG: @agpu_pointers.m.fill = internal constant [1 x { i32, i32, i32, i32, i64 }] [{ i32, i32, i32, i32, i64 } { i32 1, i32 0, i32 262145, i32 4, i64 0 }]
// LLVM-DAG: @agpu_native_image.m = internal constant { i32, i32, ptr } { i32 844121921, i32 2, ptr @agpu_native_kernels.m }
// LLVM-DAG: @agpu_images.m = internal constant [2 x { i32, i32, i32, i32, ptr, i64 }] [{ i32, i32, i32, i32, ptr, i64 } { i32 1, i32 75, i32 0, i32 0, ptr @agpu_ptx.m.sm_75, i64 {{.*}} }, { i32, i32, i32, i32, ptr, i64 } { i32 2, i32 0, i32 0, i32 4, ptr @agpu_get_native_image.m, i64 16 }]
// LLVM-DAG: @agpu_module.m = internal global { i32, i32, ptr, ptr, ptr } { i32 4, i32 2, ptr @{{.*}}, ptr @agpu_images.m, ptr @agpu_get_program }
// LLVM-DAG: @agpu_program = internal constant { i64, ptr } { i64 [[#]], ptr @agpu_program_kernels }
// LLVM-DAG: @agpu_kernel.m.fill = internal global { ptr, ptr, ptr, ptr, ptr, i32, i32 } { ptr @agpu_module.m, ptr @{{.*}}, ptr @[[WHERE:.*]], ptr null, ptr @agpu_param_sizes.m.fill, i32 6, i32 1 }
// LLVM-DAG: c"{{.*}}kernels.mlir:13:5\00"
