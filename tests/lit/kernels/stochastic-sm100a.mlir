// Conversions that round by random bits.
// CHIPS: sm_100a
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_100a" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry k(
  // CHECK: cvt.rs.satfinite.e4m3x4.f32
  gpu.func @k(%x: memref<?xvector<4xf32>>, %bits: i32, %y: memref<?xvector<4xi8>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xvector<4xf32>>
    %r = nvvm.convert.f32x4.to.f8x4 %v, %bits : vector<4xf32> -> vector<4xi8> (f8E4M3FN)
    memref.store %r, %y[%t] : memref<?xvector<4xi8>>
    gpu.return
  }
}
