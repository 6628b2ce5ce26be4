// Math functions from a toolkit's libdevice: what is called, and nothing else.
// REQUIRES: cuda-toolkit
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90" --emit=ptx | FileCheck %s

// CHECK-NOT: __nv_
gpu.module @m {
  // CHECK-LABEL: .entry single(
  // CHECK: ex2.approx.ftz.f32
  // CHECK: ret;
  gpu.func @single(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %a = math.exp %v : f32
    %b = math.acos %a : f32
    memref.store %b, %x[%t] : memref<?xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry double(
  // CHECK: fma.rn.f64
  gpu.func @double(%x: memref<?xf64>, %n: i32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf64>
    %a = math.cbrt %v : f64
    %b = math.erf %a : f64
    %c = math.powf %b, %a : f64
    %d = math.fpowi %c, %n : f64, i32
    memref.store %d, %x[%t] : memref<?xf64>
    gpu.return
  }
  // CHECK-LABEL: .entry half(
  gpu.func @half(%x: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf16>
    %a = math.sin %v : f16
    %b = math.log %a : f16
    memref.store %b, %x[%t] : memref<?xf16>
    gpu.return
  }
}
