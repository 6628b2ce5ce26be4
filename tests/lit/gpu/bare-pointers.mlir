// Kernels that take memrefs as bare pointers, and what cannot be one.
// RUN: split-file %s %t
// RUN: async-gpu-opt %t/launch.mlir --async-gpu-regions --async-gpu-kernels-to-nvvm=bare-pointers=true | FileCheck %s --check-prefix=KERNEL
// RUN: async-gpu-opt %t/launch.mlir --async-gpu-regions --async-gpu-kernels="targets=native bare-pointers=true" --async-gpu-stream-calls | FileCheck %s
// RUN: async-gpu-opt %t/kernel.mlir --async-gpu-kernels-to-nvvm=bare-pointers=true --verify-diagnostics
// RUN: async-gpu-opt %t/argument.mlir --async-gpu-stream-calls --verify-diagnostics
// RUN: not async-gpu-opt %t/launch.mlir --async-gpu-regions --async-gpu-kernels-to-nvvm=bare-pointers=true --async-gpu-kernels 2>&1 | FileCheck %s --check-prefix=AGREE
// RUN: not async-gpu-opt %t/launch.mlir --async-gpu-regions --async-gpu-kernels-to-nvvm --async-gpu-kernels=bare-pointers 2>&1 | FileCheck %s --check-prefix=OTHER

// AGREE: launch.mlir:{{.*}}: error: kernels of this program were lowered to take memrefs as bare-pointers, and this pass is told to pass them as descriptors: give all passes the same option bare-pointers
// OTHER: launch.mlir:{{.*}}: error: kernels of this program were lowered to take memrefs as descriptors, and this pass is told to pass them as bare-pointers:

//--- launch.mlir
// KERNEL: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: f32)
// CHECK: func.func private @agpu_launch.0(
// CHECK: %[[DESCRIPTOR:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[ALIGNED:.*]] = llvm.getelementptr %[[DESCRIPTOR]][0, 1]
// CHECK: %[[PARAMS:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x ptr>
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[PARAMS]][0, 0]
// CHECK: llvm.store %[[ALIGNED]], %[[FIRST]]
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<4xf32, strided<[2], offset: 3>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %x[%i] : memref<4xf32, strided<[2], offset: 3>>
      gpu.return
    }
  }
  func.func @launch(%n: index, %x: memref<4xf32, strided<[2], offset: 3>>, %v: f32) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%x : memref<4xf32, strided<[2], offset: 3>>, %v : f32)
    return
  }
}

//--- kernel.mlir
gpu.module @m {
  // expected-error@+4 {{kernel parameter 0 has type memref<?xf32>, which cannot be a bare pointer: its rank, sizes, strides and offset must be static}}
  // expected-error@+3 {{kernel parameter 2 has type memref<4xf32, strided<[1], offset: ?>>, which cannot be a bare pointer}}
  // expected-error@+2 {{kernel parameter 3 has type memref<4xf32, strided<[?]>>, which cannot be a bare pointer}}
  // expected-error@+1 {{kernel parameter 4 has type memref<*xf32>, which cannot be a bare pointer}}
  gpu.func @k(%a: memref<?xf32>, %b: memref<4xf32>, %c: memref<4xf32, strided<[1], offset: ?>>,
      %d: memref<4xf32, strided<[?]>>, %e: memref<*xf32>) kernel {
    gpu.return
  }
}

//--- argument.mlir
module attributes {agpu.convention = "bare-pointers"} {
llvm.mlir.global internal @agpu_kernel.m.k() : i64

func.func @arguments(%s: !agpu.stream, %n: index, %bytes: i32, %x: memref<4x?xf32>) {
  %a = builtin.unrealized_conversion_cast %x : memref<4x?xf32> to !agpu.arguments
  // expected-error@+1 {{kernel argument 0 has type memref<4x?xf32>, which cannot be a bare pointer: its rank, sizes, strides and offset must be static}}
  "agpu.launch"(%s, %n, %n, %n, %n, %n, %n, %bytes, %a) {kernel = @m::@k} : (!agpu.stream, index, index, index, index, index, index, i32, !agpu.arguments) -> ()
  return
}
}
