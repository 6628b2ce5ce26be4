// Products with a matrix of which half of the elements are zero.
// CHIPS: sm_80 sm_90 sm_100
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry k(
  // CHECK: mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
  gpu.func @k(%x: memref<?xvector<2xf16>>, %metadata: i32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xvector<2xf16>>
    %selector = arith.constant 0 : i32
    %d = nvvm.mma.sp.sync A[%v, %v] B[%v, %v] C[%v, %v] sparseMetadata[%metadata] selector[%selector]
        {shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, vector<2xf16>)
        -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    %r = llvm.extractvalue %d[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    memref.store %r, %x[%t] : memref<?xvector<2xf16>>
    gpu.return
  }
}
