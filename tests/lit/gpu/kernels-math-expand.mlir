// Math without libdevice: expansions, and what the chip approximates.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx math=expand toolkit=%S" --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=native math=expand" | FileCheck %s --check-prefix=NATIVE

// CHECK-NOT: .extern
gpu.module @m {
  // CHECK-LABEL: .entry k(
  // CHECK-DAG: ex2.approx
  // CHECK-DAG: lg2.approx
  // CHECK-DAG: sin.approx
  // CHECK-DAG: cos.approx
  // NATIVE: llvm.intr.exp2
  gpu.func @k(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %a = math.exp %v : f32
    %b = math.log10 %a : f32
    %c = math.sin %b : f32
    %d = math.cos %c : f32
    %e = math.tanh %d : f32
    %f = math.cosh %e : f32
    %g = math.rsqrt %f : f32
    %h = math.tan %g : f32
    %i = math.acosh %h : f32
    memref.store %i, %x[%t] : memref<?xf32>
    gpu.return
  }
}
