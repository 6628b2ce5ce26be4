// Matrices of 8, 6 and 4 bits whose rows lie in memory: ldmatrix of m16n16 and
// m8n16, stmatrix of m16n8, beside what rows_reference.c has of them.
// CHIPS: sm_120a sm_100a
// LINK: rows_reference.c

!row = memref<96x4xi32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The address of the thread's row.
    func.func private @row(%rows: !row, %t: index) -> !llvm.ptr<3> {
      %c16 = arith.constant 16 : index
      %base = memref.extract_aligned_pointer_as_index %rows : !row -> index
      %bytes = arith.muli %t, %c16 : index
      %place = arith.addi %base, %bytes : index
      %place64 = arith.index_cast %place : index to i64
      %p = llvm.inttoptr %place64 : i64 to !llvm.ptr<3>
      return %p : !llvm.ptr<3>
    }

    // 4 words of a row each, to the words of all loads.
    gpu.func @load(%words: memref<?x4xi32>, %out: memref<?xi32>)
        workgroup(%rows: !row) kernel {
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 32 : index
      %to = arith.muli %g, %count : index
      %w = vector.load %words[%g, %c0] : memref<?x4xi32>, vector<4xi32>
      vector.store %w, %rows[%t, %c0] : !row, vector<4xi32>
      gpu.barrier
      %p = func.call @row(%rows, %t) : (!row, index) -> !llvm.ptr<3>
      %m0 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
      %m0_0 = llvm.extractvalue %m0[0] : !llvm.struct<(i32, i32)>
      %m0_1 = llvm.extractvalue %m0[1] : !llvm.struct<(i32, i32)>
      %m1 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %m1_0 = llvm.extractvalue %m1[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m1_1 = llvm.extractvalue %m1[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m1_2 = llvm.extractvalue %m1[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m1_3 = llvm.extractvalue %m1[3] : !llvm.struct<(i32, i32, i32, i32)>
      %m2 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b6x16_p32>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
      %m2_0 = llvm.extractvalue %m2[0] : !llvm.struct<(i32, i32)>
      %m2_1 = llvm.extractvalue %m2[1] : !llvm.struct<(i32, i32)>
      %m3 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b6x16_p32>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %m3_0 = llvm.extractvalue %m3[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m3_1 = llvm.extractvalue %m3[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m3_2 = llvm.extractvalue %m3[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m3_3 = llvm.extractvalue %m3[3] : !llvm.struct<(i32, i32, i32, i32)>
      %m4 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
      %m4_0 = llvm.extractvalue %m4[0] : !llvm.struct<(i32, i32)>
      %m4_1 = llvm.extractvalue %m4[1] : !llvm.struct<(i32, i32)>
      %m5 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %m5_0 = llvm.extractvalue %m5[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m5_1 = llvm.extractvalue %m5[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m5_2 = llvm.extractvalue %m5[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m5_3 = llvm.extractvalue %m5[3] : !llvm.struct<(i32, i32, i32, i32)>
      %m6 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<row>,
          shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b6x16_p32>}
          : (!llvm.ptr<3>) -> i32
      %m7 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<row>,
          shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b6x16_p32>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
      %m7_0 = llvm.extractvalue %m7[0] : !llvm.struct<(i32, i32)>
      %m7_1 = llvm.extractvalue %m7[1] : !llvm.struct<(i32, i32)>
      %m8 = nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<row>,
          shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b6x16_p32>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %m8_0 = llvm.extractvalue %m8[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m8_1 = llvm.extractvalue %m8[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m8_2 = llvm.extractvalue %m8[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m8_3 = llvm.extractvalue %m8[3] : !llvm.struct<(i32, i32, i32, i32)>
      %m9 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<row>,
          shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>}
          : (!llvm.ptr<3>) -> i32
      %m10 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<row>,
          shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
      %m10_0 = llvm.extractvalue %m10[0] : !llvm.struct<(i32, i32)>
      %m10_1 = llvm.extractvalue %m10[1] : !llvm.struct<(i32, i32)>
      %m11 = nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<row>,
          shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>}
          : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %m11_0 = llvm.extractvalue %m11[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m11_1 = llvm.extractvalue %m11[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m11_2 = llvm.extractvalue %m11[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m11_3 = llvm.extractvalue %m11[3] : !llvm.struct<(i32, i32, i32, i32)>
      %all = vector.from_elements %m0_0, %m0_1, %m1_0, %m1_1, %m1_2, %m1_3, %m2_0, %m2_1,
          %m3_0, %m3_1, %m3_2, %m3_3, %m4_0, %m4_1, %m5_0, %m5_1,
          %m5_2, %m5_3, %m6, %m7_0, %m7_1, %m8_0, %m8_1, %m8_2,
          %m8_3, %m9, %m10_0, %m10_1, %m11_0, %m11_1, %m11_2, %m11_3 : vector<32xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<32xi32>
      gpu.return
    }

    // 4 registers, stored as one, two and four matrices.
    gpu.func @store(%words: memref<?x4xi32>, %out: memref<?x12xi32>)
        workgroup(%rows: !row) kernel {
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %c0 = arith.constant 0 : index
      %none = arith.constant dense<0> : vector<4xi32>
      %p = func.call @row(%rows, %t) : (!row, index) -> !llvm.ptr<3>
      %w = vector.load %words[%g, %c0] : memref<?x4xi32>, vector<4xi32>
      %w0 = vector.extract %w[0] : i32 from vector<4xi32>
      %w1 = vector.extract %w[1] : i32 from vector<4xi32>
      %w2 = vector.extract %w[2] : i32 from vector<4xi32>
      %w3 = vector.extract %w[3] : i32 from vector<4xi32>
      %c1_to = arith.constant 0 : index
      vector.store %none, %rows[%t, %c0] : !row, vector<4xi32>
      gpu.barrier
      nvvm.stmatrix %p, %w0 {layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
          : !llvm.ptr<3>, i32
      gpu.barrier
      %r1 = vector.load %rows[%t, %c0] : !row, vector<4xi32>
      vector.store %r1, %out[%g, %c1_to] : memref<?x12xi32>, vector<4xi32>
      %c2_to = arith.constant 4 : index
      vector.store %none, %rows[%t, %c0] : !row, vector<4xi32>
      gpu.barrier
      nvvm.stmatrix %p, %w0, %w1 {layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
          : !llvm.ptr<3>, i32, i32
      gpu.barrier
      %r2 = vector.load %rows[%t, %c0] : !row, vector<4xi32>
      vector.store %r2, %out[%g, %c2_to] : memref<?x12xi32>, vector<4xi32>
      %c4_to = arith.constant 8 : index
      vector.store %none, %rows[%t, %c0] : !row, vector<4xi32>
      gpu.barrier
      nvvm.stmatrix %p, %w0, %w1, %w2, %w3 {layout = #nvvm.mma_layout<col>,
          shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
          : !llvm.ptr<3>, i32, i32, i32, i32
      gpu.barrier
      %r4 = vector.load %rows[%t, %c0] : !row, vector<4xi32>
      vector.store %r4, %out[%g, %c4_to] : memref<?x12xi32>, vector<4xi32>
      gpu.return
    }
  }

  func.func private @rows_fill(%words: memref<?xi32>)
  // How many words are not as the loads, or stores, of all warps give them.
  func.func private @rows_check(%stores: i32, %words: memref<?xi32>, %results: memref<?xi32>) -> i32

  func.func @run(%blocks: index, %threads: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %count = arith.constant 32 : index
    %loads = arith.constant 0 : i32
    %stores = arith.constant 1 : i32
    %all = arith.muli %blocks, %threads : index
    %words = arith.muli %all, %c4 : index
    %loaded = arith.muli %all, %count : index
    %stored = arith.muli %all, %c12 : index
    %hw = memref.alloc(%words) : memref<?xi32>
    %hl = memref.alloc(%loaded) : memref<?xi32>
    %hs = memref.alloc(%stored) : memref<?xi32>
    func.call @rows_fill(%hw) : (memref<?xi32>) -> ()
    %dw = gpu.alloc(%words) : memref<?xi32>
    %dl = gpu.alloc(%loaded) : memref<?xi32>
    %ds = gpu.alloc(%stored) : memref<?xi32>
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    %rows = memref.reinterpret_cast %dw to offset: [0], sizes: [%all, 4], strides: [4, 1]
        : memref<?xi32> to memref<?x4xi32>
    %rs = memref.reinterpret_cast %ds to offset: [0], sizes: [%all, 12], strides: [12, 1]
        : memref<?xi32> to memref<?x12xi32>
    gpu.launch_func @kernels::@load blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%rows : memref<?x4xi32>, %dl : memref<?xi32>)
    gpu.launch_func @kernels::@store blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%rows : memref<?x4xi32>, %rs : memref<?x12xi32>)
    gpu.memcpy %hl, %dl : memref<?xi32>, memref<?xi32>
    gpu.memcpy %hs, %ds : memref<?xi32>, memref<?xi32>
    %wrong_loads = func.call @rows_check(%loads, %hw, %hl) : (i32, memref<?xi32>, memref<?xi32>) -> i32
    %wrong_stores = func.call @rows_check(%stores, %hw, %hs) : (i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %wrong_loads : i32
    vector.print %wrong_stores : i32
    gpu.dealloc %dw : memref<?xi32>
    gpu.dealloc %dl : memref<?xi32>
    gpu.dealloc %ds : memref<?xi32>
    memref.dealloc %hw : memref<?xi32>
    memref.dealloc %hl : memref<?xi32>
    memref.dealloc %hs : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    func.call @run(%c1, %c32) : (index, index) -> ()
    func.call @run(%c2, %c96) : (index, index) -> ()
    return
  }
}
