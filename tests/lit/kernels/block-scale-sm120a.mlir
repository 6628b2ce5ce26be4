// Products of small floats with scales for blocks of them.
// CHIPS: sm_120a
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_120a" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry k(
  // CHECK: mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale
  gpu.func @k(%x: memref<?xi32>, %y: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xi32>
    %f = memref.load %y[%t] : memref<?xf32>
    %id = arith.constant 0 : i16
    %d = nvvm.mma.block_scale A[%v, %v, %v, %v] B[%v, %v] C[%f, %f, %f, %f]
        scaleA[%v, %id, %id] scaleB[%v, %id, %id]
        {shape = #nvvm.shape<m = 16, n = 8, k = 64>,
         multiplicandAPtxType = #nvvm.mma_type<e2m1>, multiplicandBPtxType = #nvvm.mma_type<e2m1>,
         scaleVecSize = #nvvm.scale_vec_size<x2>, blockScaleFormat = #nvvm.block_scale_format<ue8m0>,
         kind = #nvvm.block_scale_kind<mxf4>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %r = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %r, %y[%t] : memref<?xf32>
    gpu.return
  }
}
