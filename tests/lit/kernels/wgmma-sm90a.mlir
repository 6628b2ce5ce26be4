// Matrix products of a warp group.
// CHIPS: sm_90a
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90a" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry wgmma(
  // CHECK: wgmma.fence.sync.aligned
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
  // CHECK: wgmma.commit_group.sync.aligned
  // CHECK: wgmma.wait_group.sync.aligned
  gpu.func @wgmma(%x: memref<?xf32>, %da: i64, %db: i64) kernel {
    %t = gpu.thread_id x
    %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.fence.aligned
    %r = nvvm.wgmma.mma_async %da, %db, %zero,
        #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, #nvvm.wgmma_scale_out<zero>],
        A [<f16>, #nvvm.wgmma_scale_in<one>, <row>],
        B [<f16>, #nvvm.wgmma_scale_in<one>, <col>]
        : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %v, %x[%t] : memref<?xf32>
    gpu.return
  }
}
