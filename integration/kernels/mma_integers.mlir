// mma.sync of integers of 8 and 4 bits, beside what matrix_reference.c has of it.
// CHIPS: sm_80 sm_90
// LINK: matrix_reference.c

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @m8n8k16_s8(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %b0 = vector.extract %w[1] : i32 from vector<24xi32>
      %c0 = vector.extract %w[2] : i32 from vector<24xi32>
      %c1 = vector.extract %w[3] : i32 from vector<24xi32>
      %d = nvvm.mma.sync A[%a0] B[%b0] C[%c0, %c1]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<s8>,
           multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 8, n = 8, k = 16>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      %v = vector.from_elements %d0, %d1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @m8n8k16_u8_s8_satfinite(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %b0 = vector.extract %w[1] : i32 from vector<24xi32>
      %c0 = vector.extract %w[2] : i32 from vector<24xi32>
      %c1 = vector.extract %w[3] : i32 from vector<24xi32>
      %d = nvvm.mma.sync A[%a0] B[%b0] C[%c0, %c1]
          {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<u8>,
           multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 8, n = 8, k = 16>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      %v = vector.from_elements %d0, %d1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @m16n8k16_s8_u8_satfinite(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %b0 = vector.extract %w[2] : i32 from vector<24xi32>
      %c0 = vector.extract %w[3] : i32 from vector<24xi32>
      %c1 = vector.extract %w[4] : i32 from vector<24xi32>
      %c2 = vector.extract %w[5] : i32 from vector<24xi32>
      %c3 = vector.extract %w[6] : i32 from vector<24xi32>
      %d = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%c0, %c1, %c2, %c3]
          {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<s8>,
           multiplicandBPtxType = #nvvm.mma_type<u8>,
           shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @m16n8k32_s8(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<s8>,
           multiplicandBPtxType = #nvvm.mma_type<s8>,
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
    gpu.func @m16n8k32_u8_satfinite(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<u8>,
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
    gpu.func @m8n8k32_s4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %b0 = vector.extract %w[1] : i32 from vector<24xi32>
      %c0 = vector.extract %w[2] : i32 from vector<24xi32>
      %c1 = vector.extract %w[3] : i32 from vector<24xi32>
      %d = nvvm.mma.sync A[%a0] B[%b0] C[%c0, %c1]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<s4>,
           multiplicandBPtxType = #nvvm.mma_type<s4>, shape = #nvvm.shape<m = 8, n = 8, k = 32>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      %v = vector.from_elements %d0, %d1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @m8n8k32_u4_s4_satfinite(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %b0 = vector.extract %w[1] : i32 from vector<24xi32>
      %c0 = vector.extract %w[2] : i32 from vector<24xi32>
      %c1 = vector.extract %w[3] : i32 from vector<24xi32>
      %d = nvvm.mma.sync A[%a0] B[%b0] C[%c0, %c1]
          {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<u4>,
           multiplicandBPtxType = #nvvm.mma_type<s4>, shape = #nvvm.shape<m = 8, n = 8, k = 32>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      %v = vector.from_elements %d0, %d1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @m16n8k32_s4_u4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %c24 = arith.constant 24 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %t, %c24 : index
      %to = arith.muli %t, %c4 : index
      %w = vector.load %words[%at] : memref<?xi32>, vector<24xi32>
      %a0 = vector.extract %w[0] : i32 from vector<24xi32>
      %a1 = vector.extract %w[1] : i32 from vector<24xi32>
      %b0 = vector.extract %w[2] : i32 from vector<24xi32>
      %c0 = vector.extract %w[3] : i32 from vector<24xi32>
      %c1 = vector.extract %w[4] : i32 from vector<24xi32>
      %c2 = vector.extract %w[5] : i32 from vector<24xi32>
      %c3 = vector.extract %w[6] : i32 from vector<24xi32>
      %d = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%c0, %c1, %c2, %c3]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<s4>,
           multiplicandBPtxType = #nvvm.mma_type<u4>,
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
    gpu.func @m16n8k64_s4_satfinite(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<s4>,
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
    gpu.func @m16n8k64_u4(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
          {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
           layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           multiplicandAPtxType = #nvvm.mma_type<u4>,
           multiplicandBPtxType = #nvvm.mma_type<u4>,
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
    %w20 = arith.constant 20 : i32
    func.call @matrix_fill(%w20, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m8n8k16_s8 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n20 = func.call @matrix_check(%w20, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n20 : i32
    %w21 = arith.constant 21 : i32
    func.call @matrix_fill(%w21, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m8n8k16_u8_s8_satfinite blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n21 = func.call @matrix_check(%w21, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n21 : i32
    %w22 = arith.constant 22 : i32
    func.call @matrix_fill(%w22, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m16n8k16_s8_u8_satfinite blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n22 = func.call @matrix_check(%w22, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n22 : i32
    %w23 = arith.constant 23 : i32
    func.call @matrix_fill(%w23, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m16n8k32_s8 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n23 = func.call @matrix_check(%w23, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n23 : i32
    %w24 = arith.constant 24 : i32
    func.call @matrix_fill(%w24, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m16n8k32_u8_satfinite blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n24 = func.call @matrix_check(%w24, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n24 : i32
    %w25 = arith.constant 25 : i32
    func.call @matrix_fill(%w25, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m8n8k32_s4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n25 = func.call @matrix_check(%w25, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n25 : i32
    %w26 = arith.constant 26 : i32
    func.call @matrix_fill(%w26, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m8n8k32_u4_s4_satfinite blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n26 = func.call @matrix_check(%w26, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n26 : i32
    %w27 = arith.constant 27 : i32
    func.call @matrix_fill(%w27, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m16n8k32_s4_u4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n27 = func.call @matrix_check(%w27, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n27 : i32
    %w28 = arith.constant 28 : i32
    func.call @matrix_fill(%w28, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m16n8k64_s4_satfinite blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n28 = func.call @matrix_check(%w28, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n28 : i32
    %w29 = arith.constant 29 : i32
    func.call @matrix_fill(%w29, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@m16n8k64_u4 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n29 = func.call @matrix_check(%w29, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n29 : i32
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
