// The larger and the smaller of two zeros are told apart, divisions or not.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry extremes(
  // CHECK-DAG: max.NaN.f32
  // CHECK-DAG: min.NaN.f16
  gpu.func @extremes(%x: memref<?xf32>, %h: memref<?xf16>, %n: index) kernel {
    %t = gpu.thread_id x
    %i = arith.ceildivui %t, %n : index
    %a = memref.load %x[%t] : memref<?xf32>
    %b = memref.load %x[%i] : memref<?xf32>
    %m = arith.maximumf %a, %b : f32
    memref.store %m, %x[%i] : memref<?xf32>
    %c = memref.load %h[%t] : memref<?xf16>
    %d = memref.load %h[%i] : memref<?xf16>
    %e = arith.minimumf %c, %d : f16
    memref.store %e, %h[%i] : memref<?xf16>
    gpu.return
  }
}
