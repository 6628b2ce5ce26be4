// What no libdevice has, and files that are no libdevice.
// RUN: rm -rf %t && mkdir -p %t/nvvm/libdevice
// RUN: echo "not bitcode" > %t/nvvm/libdevice/libdevice.10.bc
// RUN: not async-gpu-opt %s --async-gpu-kernels="targets=ptx toolkit=%t" 2>&1 | FileCheck %s

// CHECK: kernels-libdevice-errors.mlir:[[#@LINE+1]]:1: error: '{{.*}}/nvvm/libdevice/libdevice.10.bc' is not LLVM bitcode
gpu.module @m {
  func.func private @__nv_no_such_function(f32) -> f32
  gpu.func @k(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %a = func.call @__nv_no_such_function(%v) : (f32) -> f32
    memref.store %a, %x[%t] : memref<?xf32>
    gpu.return
  }
}
