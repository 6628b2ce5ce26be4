// CHIPS: sm_80 sm_90 sm_100
// Products of matrix fragments that stand in the source as they are.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry k(
  // CHECK: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16
  gpu.func @k(%x: memref<?xvector<2xf16>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xvector<2xf16>>
    %d = nvvm.mma.sync A[%v, %v] B[%v] C[%v, %v]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         shape = #nvvm.shape<m = 16, n = 8, k = 8>}
        : (vector<2xf16>, vector<2xf16>, vector<2xf16>)
        -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    %r = llvm.extractvalue %d[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    memref.store %r, %x[%t] : memref<?xvector<2xf16>>
    gpu.return
  }
}
