// mma of small floats whose blocks have scales, beside what matrix_reference.c has
// of them.
// CHIPS: sm_120a
// LINK: matrix_reference.c

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @mxf8f6f4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %a2 = vector.extract %w[2] : i32 from vector<24xi32>
      %a3 = vector.extract %w[3] : i32 from vector<24xi32>
      %b0 = vector.extract %w[4] : i32 from vector<24xi32>
      %b1 = vector.extract %w[5] : i32 from vector<24xi32>
      %c0 = vector.extract %w[6] : i32 from vector<24xi32>
      %c1 = vector.extract %w[7] : i32 from vector<24xi32>
      %c2 = vector.extract %w[8] : i32 from vector<24xi32>
      %c3 = vector.extract %w[9] : i32 from vector<24xi32>
      %f0 = arith.bitcast %c0 : i32 to f32
      %f1 = arith.bitcast %c1 : i32 to f32
      %f2 = arith.bitcast %c2 : i32 to f32
      %f3 = arith.bitcast %c3 : i32 to f32
      %sa = vector.extract %w[10] : i32 from vector<24xi32>
      %sb = vector.extract %w[13] : i32 from vector<24xi32>
      %baw = vector.extract %w[11] : i32 from vector<24xi32>
      %ba = arith.trunci %baw : i32 to i16
      %taw = vector.extract %w[12] : i32 from vector<24xi32>
      %ta = arith.trunci %taw : i32 to i16
      %bbw = vector.extract %w[14] : i32 from vector<24xi32>
      %bb = arith.trunci %bbw : i32 to i16
      %tbw = vector.extract %w[15] : i32 from vector<24xi32>
      %tb = arith.trunci %tbw : i32 to i16
      %d = nvvm.mma.block_scale A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%f0, %f1, %f2, %f3]
          scaleA[%sa, %ba, %ta] scaleB[%sb, %bb, %tb]
          {shape = #nvvm.shape<m = 16, n = 8, k = 32>,
           multiplicandAPtxType = #nvvm.mma_type<e4m3>, multiplicandBPtxType = #nvvm.mma_type<e2m1>,
           scaleVecSize = #nvvm.scale_vec_size<x1>, blockScaleFormat = #nvvm.block_scale_format<ue8m0>,
           kind = #nvvm.block_scale_kind<mxf8f6f4>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @mxf4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %a2 = vector.extract %w[2] : i32 from vector<24xi32>
      %a3 = vector.extract %w[3] : i32 from vector<24xi32>
      %b0 = vector.extract %w[4] : i32 from vector<24xi32>
      %b1 = vector.extract %w[5] : i32 from vector<24xi32>
      %c0 = vector.extract %w[6] : i32 from vector<24xi32>
      %c1 = vector.extract %w[7] : i32 from vector<24xi32>
      %c2 = vector.extract %w[8] : i32 from vector<24xi32>
      %c3 = vector.extract %w[9] : i32 from vector<24xi32>
      %f0 = arith.bitcast %c0 : i32 to f32
      %f1 = arith.bitcast %c1 : i32 to f32
      %f2 = arith.bitcast %c2 : i32 to f32
      %f3 = arith.bitcast %c3 : i32 to f32
      %sa = vector.extract %w[10] : i32 from vector<24xi32>
      %sb = vector.extract %w[13] : i32 from vector<24xi32>
      %baw = vector.extract %w[11] : i32 from vector<24xi32>
      %ba = arith.trunci %baw : i32 to i16
      %taw = vector.extract %w[12] : i32 from vector<24xi32>
      %ta = arith.trunci %taw : i32 to i16
      %bbw = vector.extract %w[14] : i32 from vector<24xi32>
      %bb = arith.trunci %bbw : i32 to i16
      %tbw = vector.extract %w[15] : i32 from vector<24xi32>
      %tb = arith.trunci %tbw : i32 to i16
      %d = nvvm.mma.block_scale A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%f0, %f1, %f2, %f3]
          scaleA[%sa, %ba, %ta] scaleB[%sb, %bb, %tb]
          {shape = #nvvm.shape<m = 16, n = 8, k = 64>,
           multiplicandAPtxType = #nvvm.mma_type<e2m1>, multiplicandBPtxType = #nvvm.mma_type<e2m1>,
           scaleVecSize = #nvvm.scale_vec_size<x2>, blockScaleFormat = #nvvm.block_scale_format<ue8m0>,
           kind = #nvvm.block_scale_kind<mxf4>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @mxf4nvf4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %a2 = vector.extract %w[2] : i32 from vector<24xi32>
      %a3 = vector.extract %w[3] : i32 from vector<24xi32>
      %b0 = vector.extract %w[4] : i32 from vector<24xi32>
      %b1 = vector.extract %w[5] : i32 from vector<24xi32>
      %c0 = vector.extract %w[6] : i32 from vector<24xi32>
      %c1 = vector.extract %w[7] : i32 from vector<24xi32>
      %c2 = vector.extract %w[8] : i32 from vector<24xi32>
      %c3 = vector.extract %w[9] : i32 from vector<24xi32>
      %f0 = arith.bitcast %c0 : i32 to f32
      %f1 = arith.bitcast %c1 : i32 to f32
      %f2 = arith.bitcast %c2 : i32 to f32
      %f3 = arith.bitcast %c3 : i32 to f32
      %sa = vector.extract %w[10] : i32 from vector<24xi32>
      %sb = vector.extract %w[13] : i32 from vector<24xi32>
      %baw = vector.extract %w[11] : i32 from vector<24xi32>
      %ba = arith.trunci %baw : i32 to i16
      %taw = vector.extract %w[12] : i32 from vector<24xi32>
      %ta = arith.trunci %taw : i32 to i16
      %bbw = vector.extract %w[14] : i32 from vector<24xi32>
      %bb = arith.trunci %bbw : i32 to i16
      %tbw = vector.extract %w[15] : i32 from vector<24xi32>
      %tb = arith.trunci %tbw : i32 to i16
      %d = nvvm.mma.block_scale A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%f0, %f1, %f2, %f3]
          scaleA[%sa, %ba, %ta] scaleB[%sb, %bb, %tb]
          {shape = #nvvm.shape<m = 16, n = 8, k = 64>,
           multiplicandAPtxType = #nvvm.mma_type<e2m1>, multiplicandBPtxType = #nvvm.mma_type<e2m1>,
           scaleVecSize = #nvvm.scale_vec_size<x4>, blockScaleFormat = #nvvm.block_scale_format<ue4m3>,
           kind = #nvvm.block_scale_kind<mxf4nvf4>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @sparse_mxf8f6f4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %a2 = vector.extract %w[2] : i32 from vector<24xi32>
      %a3 = vector.extract %w[3] : i32 from vector<24xi32>
      %b0 = vector.extract %w[4] : i32 from vector<24xi32>
      %b1 = vector.extract %w[5] : i32 from vector<24xi32>
      %b2 = vector.extract %w[6] : i32 from vector<24xi32>
      %b3 = vector.extract %w[7] : i32 from vector<24xi32>
      %c0 = vector.extract %w[8] : i32 from vector<24xi32>
      %c1 = vector.extract %w[9] : i32 from vector<24xi32>
      %c2 = vector.extract %w[10] : i32 from vector<24xi32>
      %c3 = vector.extract %w[11] : i32 from vector<24xi32>
      %f0 = arith.bitcast %c0 : i32 to f32
      %f1 = arith.bitcast %c1 : i32 to f32
      %f2 = arith.bitcast %c2 : i32 to f32
      %f3 = arith.bitcast %c3 : i32 to f32
      %meta = vector.extract %w[12] : i32 from vector<24xi32>
      %sel = arith.constant 0 : i32
      %sa = vector.extract %w[14] : i32 from vector<24xi32>
      %sb = vector.extract %w[17] : i32 from vector<24xi32>
      %baw = vector.extract %w[15] : i32 from vector<24xi32>
      %ba = arith.trunci %baw : i32 to i16
      %taw = vector.extract %w[16] : i32 from vector<24xi32>
      %ta = arith.trunci %taw : i32 to i16
      %bbw = vector.extract %w[18] : i32 from vector<24xi32>
      %bb = arith.trunci %bbw : i32 to i16
      %tbw = vector.extract %w[19] : i32 from vector<24xi32>
      %tb = arith.trunci %tbw : i32 to i16
      %d = nvvm.mma.sp.block_scale A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%f0, %f1, %f2, %f3]
          sparseMetadata[%meta] selector[%sel] scaleA[%sa, %ba, %ta] scaleB[%sb, %bb, %tb]
          {orderedMetadata, shape = #nvvm.shape<m = 16, n = 8, k = 64>,
           multiplicandAPtxType = #nvvm.mma_type<e5m2>, multiplicandBPtxType = #nvvm.mma_type<e2m3>,
           scaleVecSize = #nvvm.scale_vec_size<x1>, blockScaleFormat = #nvvm.block_scale_format<ue8m0>,
           kind = #nvvm.block_scale_kind<mxf8f6f4>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @sparse_mxf4nvf4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %a2 = vector.extract %w[2] : i32 from vector<24xi32>
      %a3 = vector.extract %w[3] : i32 from vector<24xi32>
      %b0 = vector.extract %w[4] : i32 from vector<24xi32>
      %b1 = vector.extract %w[5] : i32 from vector<24xi32>
      %b2 = vector.extract %w[6] : i32 from vector<24xi32>
      %b3 = vector.extract %w[7] : i32 from vector<24xi32>
      %c0 = vector.extract %w[8] : i32 from vector<24xi32>
      %c1 = vector.extract %w[9] : i32 from vector<24xi32>
      %c2 = vector.extract %w[10] : i32 from vector<24xi32>
      %c3 = vector.extract %w[11] : i32 from vector<24xi32>
      %f0 = arith.bitcast %c0 : i32 to f32
      %f1 = arith.bitcast %c1 : i32 to f32
      %f2 = arith.bitcast %c2 : i32 to f32
      %f3 = arith.bitcast %c3 : i32 to f32
      %meta = vector.extract %w[12] : i32 from vector<24xi32>
      %sel = arith.constant 0 : i32
      %sa = vector.extract %w[14] : i32 from vector<24xi32>
      %sb = vector.extract %w[17] : i32 from vector<24xi32>
      %baw = vector.extract %w[15] : i32 from vector<24xi32>
      %ba = arith.trunci %baw : i32 to i16
      %taw = vector.extract %w[16] : i32 from vector<24xi32>
      %ta = arith.trunci %taw : i32 to i16
      %bbw = vector.extract %w[18] : i32 from vector<24xi32>
      %bb = arith.trunci %bbw : i32 to i16
      %tbw = vector.extract %w[19] : i32 from vector<24xi32>
      %tb = arith.trunci %tbw : i32 to i16
      %d = nvvm.mma.sp.block_scale A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%f0, %f1, %f2, %f3]
          sparseMetadata[%meta] selector[%sel] scaleA[%sa, %ba, %ta] scaleB[%sb, %bb, %tb]
          {orderedMetadata, shape = #nvvm.shape<m = 16, n = 8, k = 128>,
           multiplicandAPtxType = #nvvm.mma_type<e2m1>, multiplicandBPtxType = #nvvm.mma_type<e2m1>,
           scaleVecSize = #nvvm.scale_vec_size<x4>, blockScaleFormat = #nvvm.block_scale_format<ue4m3>,
           kind = #nvvm.block_scale_kind<mxf4nvf4>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    // As assembly, whose selectors are numbers.
    gpu.func @inline_mxf4nvf4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %a2 = vector.extract %w[2] : i32 from vector<24xi32>
      %a3 = vector.extract %w[3] : i32 from vector<24xi32>
      %b0 = vector.extract %w[4] : i32 from vector<24xi32>
      %b1 = vector.extract %w[5] : i32 from vector<24xi32>
      %c0 = vector.extract %w[6] : i32 from vector<24xi32>
      %c1 = vector.extract %w[7] : i32 from vector<24xi32>
      %c2 = vector.extract %w[8] : i32 from vector<24xi32>
      %c3 = vector.extract %w[9] : i32 from vector<24xi32>
      %sa = vector.extract %w[10] : i32 from vector<24xi32>
      %sb = vector.extract %w[13] : i32 from vector<24xi32>
      %f0 = arith.bitcast %c0 : i32 to f32
      %f1 = arith.bitcast %c1 : i32 to f32
      %f2 = arith.bitcast %c2 : i32 to f32
      %f3 = arith.bitcast %c3 : i32 to f32
      %d = llvm.inline_asm has_side_effects asm_dialect = att
          "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13}, $14, {0, 1}, $15, {0, 0};",
          "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f,r,r" %a0, %a1, %a2, %a3, %b0, %b1, %f0, %f1, %f2, %f3, %sa, %sb
          : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
  }

  func.func private @matrix_fill(%which: i32, %warps: i32, %words: memref<?xi32>)
  func.func private @matrix_check(%which: i32, %warps: i32, %words: memref<?xi32>,
                                  %results: memref<?xi32>) -> i32

  // How many elements are wrong, with so many blocks of so many threads.
  func.func @run(%blocks: index, %threads: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %all = arith.muli %blocks, %threads : index
    %warps = arith.divui %all, %c32 : index
    %warps32 = arith.index_cast %warps : index to i32
    %words = arith.muli %all, %c24 : index
    %results = arith.muli %all, %c4 : index
    %hw = memref.alloc(%words) : memref<?xi32>
    %hr = memref.alloc(%results) : memref<?xi32>
    %dw = gpu.alloc(%words) : memref<?xi32>
    %dr = gpu.alloc(%results) : memref<?xi32>
    %w0 = arith.constant 0 : i32
    func.call @matrix_fill(%w0, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@mxf8f6f4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n0 = func.call @matrix_check(%w0, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n0 : i32
    %w1 = arith.constant 1 : i32
    func.call @matrix_fill(%w1, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@mxf4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n1 = func.call @matrix_check(%w1, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n1 : i32
    %w2 = arith.constant 2 : i32
    func.call @matrix_fill(%w2, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@mxf4nvf4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n2 = func.call @matrix_check(%w2, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n2 : i32
    %w3 = arith.constant 3 : i32
    func.call @matrix_fill(%w3, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@sparse_mxf8f6f4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n3 = func.call @matrix_check(%w3, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n3 : i32
    %w4 = arith.constant 4 : i32
    func.call @matrix_fill(%w4, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@sparse_mxf4nvf4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n4 = func.call @matrix_check(%w4, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n4 : i32
    %w9 = arith.constant 9 : i32
    func.call @matrix_fill(%w9, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@inline_mxf4nvf4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n9 = func.call @matrix_check(%w9, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n9 : i32
    gpu.dealloc %dw : memref<?xi32>
    gpu.dealloc %dr : memref<?xi32>
    memref.dealloc %hw : memref<?xi32>
    memref.dealloc %hr : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
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
