// mma.sp.sync: products with a matrix of which half of the elements are there, of all
// types and selectors, beside what matrix_reference.c has of them.
// CHIPS: sm_80 sm_90
// LINK: matrix_reference.c

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k16_f16_f32(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0w = vector.extract %w[0] : i32 from vector<24xi32>
      %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
      %a1w = vector.extract %w[1] : i32 from vector<24xi32>
      %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
      %b0w = vector.extract %w[2] : i32 from vector<24xi32>
      %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
      %b1w = vector.extract %w[3] : i32 from vector<24xi32>
      %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
      %c0w = vector.extract %w[4] : i32 from vector<24xi32>
      %c0 = arith.bitcast %c0w : i32 to f32
      %c1w = vector.extract %w[5] : i32 from vector<24xi32>
      %c1 = arith.bitcast %c1w : i32 to f32
      %c2w = vector.extract %w[6] : i32 from vector<24xi32>
      %c2 = arith.bitcast %c2w : i32 to f32
      %c3w = vector.extract %w[7] : i32 from vector<24xi32>
      %c3 = arith.bitcast %c3w : i32 to f32
      %metadata = vector.extract %w[8] : i32 from vector<24xi32>
      %selector = arith.constant 0 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %r0 = llvm.bitcast %d0 : f32 to i32
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %r1 = llvm.bitcast %d1 : f32 to i32
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %r2 = llvm.bitcast %d2 : f32 to i32
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %r3 = llvm.bitcast %d3 : f32 to i32
      %v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k16_f16_f16(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0w = vector.extract %w[0] : i32 from vector<24xi32>
      %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
      %a1w = vector.extract %w[1] : i32 from vector<24xi32>
      %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
      %b0w = vector.extract %w[2] : i32 from vector<24xi32>
      %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
      %b1w = vector.extract %w[3] : i32 from vector<24xi32>
      %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
      %c0w = vector.extract %w[4] : i32 from vector<24xi32>
      %c0 = llvm.bitcast %c0w : i32 to vector<2xf16>
      %c1w = vector.extract %w[5] : i32 from vector<24xi32>
      %c1 = llvm.bitcast %c1w : i32 to vector<2xf16>
      %metadata = vector.extract %w[6] : i32 from vector<24xi32>
      %selector = arith.constant 3 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%c0, %c1]
          sparseMetadata[%metadata] selector[%selector]
          {shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %r0 = llvm.bitcast %d0 : vector<2xf16> to i32
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %r1 = llvm.bitcast %d1 : vector<2xf16> to i32
      %v = vector.from_elements %r0, %r1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @k32_f16_f32(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0w = vector.extract %w[0] : i32 from vector<24xi32>
      %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
      %a1w = vector.extract %w[1] : i32 from vector<24xi32>
      %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
      %a2w = vector.extract %w[2] : i32 from vector<24xi32>
      %a2 = llvm.bitcast %a2w : i32 to vector<2xf16>
      %a3w = vector.extract %w[3] : i32 from vector<24xi32>
      %a3 = llvm.bitcast %a3w : i32 to vector<2xf16>
      %b0w = vector.extract %w[4] : i32 from vector<24xi32>
      %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
      %b1w = vector.extract %w[5] : i32 from vector<24xi32>
      %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
      %b2w = vector.extract %w[6] : i32 from vector<24xi32>
      %b2 = llvm.bitcast %b2w : i32 to vector<2xf16>
      %b3w = vector.extract %w[7] : i32 from vector<24xi32>
      %b3 = llvm.bitcast %b3w : i32 to vector<2xf16>
      %c0w = vector.extract %w[8] : i32 from vector<24xi32>
      %c0 = arith.bitcast %c0w : i32 to f32
      %c1w = vector.extract %w[9] : i32 from vector<24xi32>
      %c1 = arith.bitcast %c1w : i32 to f32
      %c2w = vector.extract %w[10] : i32 from vector<24xi32>
      %c2 = arith.bitcast %c2w : i32 to f32
      %c3w = vector.extract %w[11] : i32 from vector<24xi32>
      %c3 = arith.bitcast %c3w : i32 to f32
      %metadata = vector.extract %w[12] : i32 from vector<24xi32>
      %selector = arith.constant 1 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {shape = #nvvm.shape<m = 16, n = 8, k = 32>}
          : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %r0 = llvm.bitcast %d0 : f32 to i32
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %r1 = llvm.bitcast %d1 : f32 to i32
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %r2 = llvm.bitcast %d2 : f32 to i32
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %r3 = llvm.bitcast %d3 : f32 to i32
      %v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k32_bf16(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %c0w = vector.extract %w[8] : i32 from vector<24xi32>
      %c0 = arith.bitcast %c0w : i32 to f32
      %c1w = vector.extract %w[9] : i32 from vector<24xi32>
      %c1 = arith.bitcast %c1w : i32 to f32
      %c2w = vector.extract %w[10] : i32 from vector<24xi32>
      %c2 = arith.bitcast %c2w : i32 to f32
      %c3w = vector.extract %w[11] : i32 from vector<24xi32>
      %c3 = arith.bitcast %c3w : i32 to f32
      %metadata = vector.extract %w[12] : i32 from vector<24xi32>
      %selector = arith.constant 0 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {multiplicandAPtxType = #nvvm.mma_type<bf16>,
           multiplicandBPtxType = #nvvm.mma_type<bf16>,
           shape = #nvvm.shape<m = 16, n = 8, k = 32>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %r0 = llvm.bitcast %d0 : f32 to i32
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %r1 = llvm.bitcast %d1 : f32 to i32
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %r2 = llvm.bitcast %d2 : f32 to i32
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %r3 = llvm.bitcast %d3 : f32 to i32
      %v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k8_tf32(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %b0 = vector.extract %w[2] : i32 from vector<24xi32>
      %b1 = vector.extract %w[3] : i32 from vector<24xi32>
      %c0w = vector.extract %w[4] : i32 from vector<24xi32>
      %c0 = arith.bitcast %c0w : i32 to f32
      %c1w = vector.extract %w[5] : i32 from vector<24xi32>
      %c1 = arith.bitcast %c1w : i32 to f32
      %c2w = vector.extract %w[6] : i32 from vector<24xi32>
      %c2 = arith.bitcast %c2w : i32 to f32
      %c3w = vector.extract %w[7] : i32 from vector<24xi32>
      %c3 = arith.bitcast %c3w : i32 to f32
      %metadata = vector.extract %w[8] : i32 from vector<24xi32>
      %selector = arith.constant 2 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {multiplicandAPtxType = #nvvm.mma_type<tf32>,
           multiplicandBPtxType = #nvvm.mma_type<tf32>,
           shape = #nvvm.shape<m = 16, n = 8, k = 8>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %r0 = llvm.bitcast %d0 : f32 to i32
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %r1 = llvm.bitcast %d1 : f32 to i32
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %r2 = llvm.bitcast %d2 : f32 to i32
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %r3 = llvm.bitcast %d3 : f32 to i32
      %v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k16_tf32(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %c0w = vector.extract %w[8] : i32 from vector<24xi32>
      %c0 = arith.bitcast %c0w : i32 to f32
      %c1w = vector.extract %w[9] : i32 from vector<24xi32>
      %c1 = arith.bitcast %c1w : i32 to f32
      %c2w = vector.extract %w[10] : i32 from vector<24xi32>
      %c2 = arith.bitcast %c2w : i32 to f32
      %c3w = vector.extract %w[11] : i32 from vector<24xi32>
      %c3 = arith.bitcast %c3w : i32 to f32
      %metadata = vector.extract %w[12] : i32 from vector<24xi32>
      %selector = arith.constant 1 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {multiplicandAPtxType = #nvvm.mma_type<tf32>,
           multiplicandBPtxType = #nvvm.mma_type<tf32>,
           shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %r0 = llvm.bitcast %d0 : f32 to i32
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %r1 = llvm.bitcast %d1 : f32 to i32
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %r2 = llvm.bitcast %d2 : f32 to i32
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %r3 = llvm.bitcast %d3 : f32 to i32
      %v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k32_s8_u8(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %b0 = vector.extract %w[2] : i32 from vector<24xi32>
      %b1 = vector.extract %w[3] : i32 from vector<24xi32>
      %c0 = vector.extract %w[4] : i32 from vector<24xi32>
      %c1 = vector.extract %w[5] : i32 from vector<24xi32>
      %c2 = vector.extract %w[6] : i32 from vector<24xi32>
      %c3 = vector.extract %w[7] : i32 from vector<24xi32>
      %metadata = vector.extract %w[8] : i32 from vector<24xi32>
      %selector = arith.constant 1 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           multiplicandAPtxType = #nvvm.mma_type<s8>,
           multiplicandBPtxType = #nvvm.mma_type<u8>,
           shape = #nvvm.shape<m = 16, n = 8, k = 32>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k64_s8_satfinite(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %metadata = vector.extract %w[12] : i32 from vector<24xi32>
      %selector = arith.constant 0 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
           multiplicandAPtxType = #nvvm.mma_type<s8>,
           multiplicandBPtxType = #nvvm.mma_type<s8>,
           shape = #nvvm.shape<m = 16, n = 8, k = 64>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k64_u4_s4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %b0 = vector.extract %w[2] : i32 from vector<24xi32>
      %b1 = vector.extract %w[3] : i32 from vector<24xi32>
      %c0 = vector.extract %w[4] : i32 from vector<24xi32>
      %c1 = vector.extract %w[5] : i32 from vector<24xi32>
      %c2 = vector.extract %w[6] : i32 from vector<24xi32>
      %c3 = vector.extract %w[7] : i32 from vector<24xi32>
      %metadata = vector.extract %w[8] : i32 from vector<24xi32>
      %selector = arith.constant 1 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           multiplicandAPtxType = #nvvm.mma_type<u4>,
           multiplicandBPtxType = #nvvm.mma_type<s4>,
           shape = #nvvm.shape<m = 16, n = 8, k = 64>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k128_s4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %metadata = vector.extract %w[12] : i32 from vector<24xi32>
      %selector = arith.constant 0 : i32
      %d = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%c0, %c1, %c2, %c3]
          sparseMetadata[%metadata] selector[%selector]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           multiplicandAPtxType = #nvvm.mma_type<s4>,
           multiplicandBPtxType = #nvvm.mma_type<s4>,
           shape = #nvvm.shape<m = 16, n = 8, k = 128>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
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
    %w10 = arith.constant 10 : i32
    func.call @matrix_fill(%w10, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k16_f16_f32 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n10 = func.call @matrix_check(%w10, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n10 : i32
    %w11 = arith.constant 11 : i32
    func.call @matrix_fill(%w11, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k16_f16_f16 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n11 = func.call @matrix_check(%w11, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n11 : i32
    %w12 = arith.constant 12 : i32
    func.call @matrix_fill(%w12, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k32_f16_f32 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n12 = func.call @matrix_check(%w12, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n12 : i32
    %w13 = arith.constant 13 : i32
    func.call @matrix_fill(%w13, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k32_bf16 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n13 = func.call @matrix_check(%w13, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n13 : i32
    %w14 = arith.constant 14 : i32
    func.call @matrix_fill(%w14, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k8_tf32 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n14 = func.call @matrix_check(%w14, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n14 : i32
    %w15 = arith.constant 15 : i32
    func.call @matrix_fill(%w15, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k16_tf32 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n15 = func.call @matrix_check(%w15, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n15 : i32
    %w16 = arith.constant 16 : i32
    func.call @matrix_fill(%w16, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k32_s8_u8 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n16 = func.call @matrix_check(%w16, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n16 : i32
    %w17 = arith.constant 17 : i32
    func.call @matrix_fill(%w17, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k64_s8_satfinite blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n17 = func.call @matrix_check(%w17, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n17 : i32
    %w18 = arith.constant 18 : i32
    func.call @matrix_fill(%w18, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k64_u4_s4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n18 = func.call @matrix_check(%w18, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n18 : i32
    %w19 = arith.constant 19 : i32
    func.call @matrix_fill(%w19, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k128_s4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n19 = func.call @matrix_check(%w19, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n19 : i32
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
