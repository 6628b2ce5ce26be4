// What PTX does not say of the elements of matrices that a warp holds.
// RUN: async-gpu-opt %s --async-gpu-kernels-to-nvvm --split-input-file --verify-diagnostics

gpu.module @m {
  gpu.func @k(%a: memref<16x16xf16>, %d: memref<16x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %x = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
    // expected-error@+1 {{'extf' of a matrix cannot be expressed: PTX does not say that a lane has the same elements}}
    %y = gpu.subgroup_mma_elementwise extf %x : (!gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %y, %d[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %x = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    // expected-error@+1 {{elements of A and B of f16 cannot be told apart}}
    %e = gpu.subgroup_mma_extract_thread_local %x[%c0] : !gpu.mma_matrix<16x16xf16, "AOp"> -> f16
    memref.store %e, %a[%c0, %c0] : memref<16x16xf16>
    gpu.return
  }
}
