// A copy in a kernel is each thread's own: loops over the elements.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry copy(
  // CHECK: ld.global
  // CHECK: st.global
  // CHECK-NOT: memrefCopy
  gpu.func @copy(%x: memref<4x8xf32>, %y: memref<4x8xf32, strided<[16, 1]>>, %z: memref<?x8xf32>) kernel {
    memref.copy %x, %z : memref<4x8xf32> to memref<?x8xf32>
    memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
    gpu.return
  }
}
