// Machine code beside the PTX, or without it.
// REQUIRES: cuda-toolkit
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80,sm_90 format=cubin" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx format=ptx,cubin line-info=true opt-level=3" | FileCheck %s --check-prefix=BOTH

// What only the assembler refuses.
// RUN: sed -e 's/membar.cta/no.such/' %s > %t.mlir
// RUN: not async-gpu-opt %t.mlir --async-gpu-kernels="targets=ptx format=cubin" 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: mlir:[[#@LINE+1]]:1: error: ptxas cannot assemble this module for sm_75: {{.*}}line {{[0-9]+}}; error
gpu.module @m {
  gpu.func @k(%x: memref<?xf32>, %v: f32) kernel {
    %t = gpu.thread_id x
    nvvm.inline_ptx "membar.cta;"
    memref.store %v, %x[%t] : memref<?xf32>
    gpu.return
  }
}

// CHECK-NOT: agpu_ptx
// CHECK: @agpu_cubin.m.sm_80("\7FELF{{.*}}agpu.cubin = "m"
// CHECK: @agpu_cubin.m.sm_90("\7FELF
// CHECK: @agpu_images.m() {{.*}} !llvm.array<2 x
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.mlir.constant(80 : i32)

// BOTH-DAG: @agpu_cubin.m.sm_75("\7FELF
// BOTH-DAG: @agpu_ptx.m.sm_75("
// BOTH: @agpu_images.m() {{.*}} !llvm.array<2 x
