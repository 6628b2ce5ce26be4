// A function of libdevice that a program declares with other types than it has
// is an error on each target.
// REQUIRES: cuda-toolkit
// RUN: not async-gpu-opt %s --async-gpu-kernels=targets=ptx 2>&1 | FileCheck %s
// RUN: not async-gpu-opt %s --async-gpu-kernels=targets=native 2>&1 | FileCheck %s --check-prefix=NATIVE

gpu.module @m {
  func.func private @__nv_sinf(f64) -> f64
  func.func private @__nv_cosf(f32) -> f32
  func.func private @__nv_tanf(f32, f32) -> f32
  gpu.func @k(%x: memref<?xf64>, %y: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf64>
    // CHECK: kernels-libdevice-types.mlir:[[#@LINE+2]]:10: error: '__nv_sinf' of libdevice is declared as !llvm.func<f64 (f64)>, and is !llvm.func<f32 (f32)>
    // NATIVE: kernels-libdevice-types.mlir:[[#@LINE+1]]:10: error: the math function '__nv_sinf' is called with other types than libdevice gives it
    %a = func.call @__nv_sinf(%v) : (f64) -> f64
    memref.store %a, %x[%t] : memref<?xf64>
    %w = memref.load %y[%t] : memref<?xf32>
    %c = func.call @__nv_cosf(%w) : (f32) -> f32
    // CHECK: kernels-libdevice-types.mlir:[[#@LINE+2]]:10: error: '__nv_tanf' of libdevice is declared as !llvm.func<f32 (f32, f32)>, and is !llvm.func<f32 (f32)>
    // NATIVE: kernels-libdevice-types.mlir:[[#@LINE+1]]:10: error: the math function '__nv_tanf' is called with other types than libdevice gives it
    %d = func.call @__nv_tanf(%c, %w) : (f32, f32) -> f32
    memref.store %d, %y[%t] : memref<?xf32>
    gpu.return
  }
}
