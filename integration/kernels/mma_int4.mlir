// mma.sync of integers of four bits.
// CHIPS: sm_80 sm_90

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // A register with %count elements of a matrix, the first in its lowest bits.
    func.func private @register(%x: memref<?xi32>, %at: index, %count: index, %bits: i32) -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %r = scf.for %e = %c0 to %count step %c1 iter_args(%all = %zero) -> i32 {
        %p = arith.addi %at, %e : index
        %v = memref.load %x[%p] : memref<?xi32>
        %e32 = arith.index_cast %e : index to i32
        %shift = arith.muli %e32, %bits : i32
        %place = arith.shli %v, %shift : i32
        %next = arith.ori %all, %place : i32
        scf.yield %next : i32
      }
      return %r : i32
    }

    gpu.func @m8n8k32_s4_s4_s32_s32_wrapped(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %bits = arith.constant 4 : i32
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %warp = arith.addi %first, %own : index
      %lane = arith.remui %number, %c32 : index
      %group = arith.divui %lane, %c4 : index
      %group8 = arith.addi %group, %c8 : index
      %in_group = arith.remui %lane, %c4 : index
      %in_row = arith.muli %in_group, %c8 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c256 : index
      %at_b = arith.muli %warp, %c256 : index
      %at_c = arith.muli %warp, %c64 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c32 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %b0r = arith.muli %group, %c32 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xi32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xi32>
      %m = nvvm.mma.sync A[%a0] B[%b0] C[%cv0, %cv1]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 32>, multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32)>
      memref.store %m0, %d[%c0p] : memref<?xi32>
      memref.store %m1, %d[%c1p] : memref<?xi32>
      gpu.return
    }
    gpu.func @m8n8k32_u4_s4_s32_s32_satfinite(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %bits = arith.constant 4 : i32
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %warp = arith.addi %first, %own : index
      %lane = arith.remui %number, %c32 : index
      %group = arith.divui %lane, %c4 : index
      %group8 = arith.addi %group, %c8 : index
      %in_group = arith.remui %lane, %c4 : index
      %in_row = arith.muli %in_group, %c8 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c256 : index
      %at_b = arith.muli %warp, %c256 : index
      %at_c = arith.muli %warp, %c64 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c32 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %b0r = arith.muli %group, %c32 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xi32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xi32>
      %m = nvvm.mma.sync A[%a0] B[%b0] C[%cv0, %cv1]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 32>, multiplicandAPtxType = #nvvm.mma_type<u4>, multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32)>
      memref.store %m0, %d[%c0p] : memref<?xi32>
      memref.store %m1, %d[%c1p] : memref<?xi32>
      gpu.return
    }
    gpu.func @m16n8k32_s4_u4_s32_s32_wrapped(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %c512 = arith.constant 512 : index
      %bits = arith.constant 4 : i32
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %warp = arith.addi %first, %own : index
      %lane = arith.remui %number, %c32 : index
      %group = arith.divui %lane, %c4 : index
      %group8 = arith.addi %group, %c8 : index
      %in_group = arith.remui %lane, %c4 : index
      %in_row = arith.muli %in_group, %c8 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c512 : index
      %at_b = arith.muli %warp, %c256 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c32 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c32 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %b0r = arith.muli %group, %c32 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xi32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xi32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xi32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xi32>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 32>, multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<u4>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %m0, %d[%c0p] : memref<?xi32>
      memref.store %m1, %d[%c1p] : memref<?xi32>
      memref.store %m2, %d[%c2p] : memref<?xi32>
      memref.store %m3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
    gpu.func @m16n8k64_s4_s4_s32_s32_satfinite(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c512 = arith.constant 512 : index
      %c1024 = arith.constant 1024 : index
      %bits = arith.constant 4 : i32
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %warp = arith.addi %first, %own : index
      %lane = arith.remui %number, %c32 : index
      %group = arith.divui %lane, %c4 : index
      %group8 = arith.addi %group, %c8 : index
      %in_group = arith.remui %lane, %c4 : index
      %in_row = arith.muli %in_group, %c8 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c1024 : index
      %at_b = arith.muli %warp, %c512 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c64 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c64 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %a2r = arith.muli %group, %c64 : index
      %a2k = arith.addi %a2r, %in_row : index
      %a2o = arith.addi %a2k, %c32 : index
      %a2p = arith.addi %at_a, %a2o : index
      %a2w = func.call @register(%a, %a2p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a2 = arith.addi %a2w, %none : i32
      %a3r = arith.muli %group8, %c64 : index
      %a3k = arith.addi %a3r, %in_row : index
      %a3o = arith.addi %a3k, %c32 : index
      %a3p = arith.addi %at_a, %a3o : index
      %a3w = func.call @register(%a, %a3p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a3 = arith.addi %a3w, %none : i32
      %b0r = arith.muli %group, %c64 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c64 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c32 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xi32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xi32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xi32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xi32>
      %m = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 64>, multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %m0, %d[%c0p] : memref<?xi32>
      memref.store %m1, %d[%c1p] : memref<?xi32>
      memref.store %m2, %d[%c2p] : memref<?xi32>
      memref.store %m3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
    gpu.func @m16n8k64_u4_u4_s32_s32_wrapped(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c512 = arith.constant 512 : index
      %c1024 = arith.constant 1024 : index
      %bits = arith.constant 4 : i32
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %warp = arith.addi %first, %own : index
      %lane = arith.remui %number, %c32 : index
      %group = arith.divui %lane, %c4 : index
      %group8 = arith.addi %group, %c8 : index
      %in_group = arith.remui %lane, %c4 : index
      %in_row = arith.muli %in_group, %c8 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c1024 : index
      %at_b = arith.muli %warp, %c512 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c64 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c64 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %a2r = arith.muli %group, %c64 : index
      %a2k = arith.addi %a2r, %in_row : index
      %a2o = arith.addi %a2k, %c32 : index
      %a2p = arith.addi %at_a, %a2o : index
      %a2w = func.call @register(%a, %a2p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a2 = arith.addi %a2w, %none : i32
      %a3r = arith.muli %group8, %c64 : index
      %a3k = arith.addi %a3r, %in_row : index
      %a3o = arith.addi %a3k, %c32 : index
      %a3p = arith.addi %at_a, %a3o : index
      %a3w = func.call @register(%a, %a3p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a3 = arith.addi %a3w, %none : i32
      %b0r = arith.muli %group, %c64 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c64 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c32 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xi32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xi32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xi32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xi32>
      %m = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 64>, multiplicandAPtxType = #nvvm.mma_type<u4>, multiplicandBPtxType = #nvvm.mma_type<u4>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %m0, %d[%c0p] : memref<?xi32>
      memref.store %m1, %d[%c1p] : memref<?xi32>
      memref.store %m2, %d[%c2p] : memref<?xi32>
      memref.store %m3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
  }

  // Element %i of a matrix.
  func.func private @value_s4(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 16 : i32
    %least = arith.constant -8 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  func.func private @encode_s4(%v: i32) -> i32 {
    %m = arith.constant 15 : i32
    %r = arith.andi %v, %m : i32
    return %r : i32
  }
  // Element %i of a matrix.
  func.func private @value_u4(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 16 : i32
    %least = arith.constant 0 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  func.func private @encode_u4(%v: i32) -> i32 {
    %m = arith.constant 15 : i32
    %r = arith.andi %v, %m : i32
    return %r : i32
  }
  // An element of C.
  func.func private @sum(%i: index) -> i32 {
    %thirteen = arith.constant 13 : i32
    %i32 = arith.index_cast %i : index to i32
    %u = arith.remui %i32, %thirteen : i32
    %six = arith.constant 6 : i32
    %r = arith.subi %u, %six : i32
    return %r : i32
  }
  // One near the ends of its range.
  func.func private @sum_large(%i: index) -> i32 {
    %two = arith.constant 2 : i32
    %i32 = arith.index_cast %i : index to i32
    %odd = arith.remui %i32, %two : i32
    %is_odd = arith.trunci %odd : i32 to i1
    %most = arith.constant 2147483600 : i32
    %least = arith.constant -2147483600 : i32
    %r = arith.select %is_odd, %most, %least : i32
    return %r : i32
  }
  func.func @check_m8n8k32_s4_s4_s32_s32_wrapped(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 256 : index
    %kn = arith.constant 256 : index
    %mn = arith.constant 64 : index
    %m = arith.constant 8 : index
    %n = arith.constant 8 : index
    %k = arith.constant 32 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_s4(%i) : (index) -> i32
      %e = func.call @encode_s4(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_s4(%j) : (index) -> i32
      %e = func.call @encode_s4(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum_large(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@m8n8k32_s4_s4_s32_s32_wrapped blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %zero64 = arith.constant 0 : i64
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %k : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %start = func.call @sum_large(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_s4(%pa) : (index) -> i32
        %vb = func.call @value_s4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_m8n8k32_u4_s4_s32_s32_satfinite(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 256 : index
    %kn = arith.constant 256 : index
    %mn = arith.constant 64 : index
    %m = arith.constant 8 : index
    %n = arith.constant 8 : index
    %k = arith.constant 32 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_u4(%i) : (index) -> i32
      %e = func.call @encode_u4(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_s4(%j) : (index) -> i32
      %e = func.call @encode_s4(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum_large(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@m8n8k32_u4_s4_s32_s32_satfinite blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %zero64 = arith.constant 0 : i64
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %k : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %start = func.call @sum_large(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_u4(%pa) : (index) -> i32
        %vb = func.call @value_s4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %start64 = arith.extsi %start : i32 to i64
      %product64 = arith.extsi %product : i32 to i64
      %sum64 = arith.addi %start64, %product64 : i64
      %most = arith.constant 2147483647 : i64
      %least = arith.constant -2147483648 : i64
      %limited0 = arith.minsi %sum64, %most : i64
      %limited = arith.maxsi %limited0, %least : i64
      %want = arith.trunci %limited : i64 to i32
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_m16n8k32_s4_u4_s32_s32_wrapped(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 512 : index
    %kn = arith.constant 256 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 32 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_s4(%i) : (index) -> i32
      %e = func.call @encode_s4(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_u4(%j) : (index) -> i32
      %e = func.call @encode_u4(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum_large(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@m16n8k32_s4_u4_s32_s32_wrapped blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %zero64 = arith.constant 0 : i64
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %k : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %start = func.call @sum_large(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_s4(%pa) : (index) -> i32
        %vb = func.call @value_u4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_m16n8k64_s4_s4_s32_s32_satfinite(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 1024 : index
    %kn = arith.constant 512 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 64 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_s4(%i) : (index) -> i32
      %e = func.call @encode_s4(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_s4(%j) : (index) -> i32
      %e = func.call @encode_s4(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum_large(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@m16n8k64_s4_s4_s32_s32_satfinite blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %zero64 = arith.constant 0 : i64
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %k : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %start = func.call @sum_large(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_s4(%pa) : (index) -> i32
        %vb = func.call @value_s4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %start64 = arith.extsi %start : i32 to i64
      %product64 = arith.extsi %product : i32 to i64
      %sum64 = arith.addi %start64, %product64 : i64
      %most = arith.constant 2147483647 : i64
      %least = arith.constant -2147483648 : i64
      %limited0 = arith.minsi %sum64, %most : i64
      %limited = arith.maxsi %limited0, %least : i64
      %want = arith.trunci %limited : i64 to i32
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_m16n8k64_u4_u4_s32_s32_wrapped(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 1024 : index
    %kn = arith.constant 512 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 64 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_u4(%i) : (index) -> i32
      %e = func.call @encode_u4(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_u4(%j) : (index) -> i32
      %e = func.call @encode_u4(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum_large(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@m16n8k64_u4_u4_s32_s32_wrapped blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %zero64 = arith.constant 0 : i64
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %k : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %start = func.call @sum_large(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_u4(%pa) : (index) -> i32
        %vb = func.call @value_u4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
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
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    func.call @check_m8n8k32_s4_s4_s32_s32_wrapped(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k32_s4_s4_s32_s32_wrapped(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n8k32_s4_s4_s32_s32_wrapped(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k32_u4_s4_s32_s32_satfinite(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k32_u4_s4_s32_s32_satfinite(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n8k32_u4_s4_s32_s32_satfinite(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k32_s4_u4_s32_s32_wrapped(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k32_s4_u4_s32_s32_wrapped(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k32_s4_u4_s32_s32_wrapped(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k64_s4_s4_s32_s32_satfinite(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k64_s4_s4_s32_s32_satfinite(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k64_s4_s4_s32_s32_satfinite(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k64_u4_u4_s32_s32_wrapped(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k64_u4_u4_s32_s32_wrapped(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k64_u4_u4_s32_s32_wrapped(%c1, %c1024, %c1) : (index, index, index) -> ()
    return
  }
}
