// Matrix instructions and asynchronous copies of the nvgpu dialect.
// CHIPS: sm_80 sm_90 sm_100
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry mma(
  // CHECK: cp.async.cg.shared.global
  // CHECK: cp.async.commit_group
  // CHECK: cp.async.wait_group
  // CHECK: ldmatrix.sync.aligned
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
  gpu.func @mma(%x: memref<128x128xf16>)
      workgroup(%s: memref<128x128xf16, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %e = nvgpu.device_async_copy %x[%c0, %t], %s[%c0, %t], 8 {bypassL1} : memref<128x128xf16> to memref<128x128xf16, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %e
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.barrier
    %a = nvgpu.ldmatrix %s[%c0, %t] {numTiles = 4 : i32, transpose = false} : memref<128x128xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %b = nvgpu.ldmatrix %s[%t, %c0] {numTiles = 2 : i32, transpose = false} : memref<128x128xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %d = nvgpu.mma.sync (%a, %b, %b) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    %r = vector.extract %d[0] : vector<2xf16> from vector<2x2xf16>
    vector.store %r, %x[%t, %c0] : memref<128x128xf16>, vector<2xf16>
    gpu.return
  }
}
