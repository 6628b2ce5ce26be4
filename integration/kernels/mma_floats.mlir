// mma.sync of bf16, tf32 and f64.
// CHIPS: sm_80 sm_90 sm_100

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

    gpu.func @m16n8k8_bf16_bf16_f32_f32(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 16 : i32
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
      %in_row = arith.muli %in_group, %c2 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c128 : index
      %at_b = arith.muli %warp, %c64 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c8 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c8 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %b0r = arith.muli %group, %c8 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xf32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xf32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xf32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xf32>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %m0, %d[%c0p] : memref<?xf32>
      memref.store %m1, %d[%c1p] : memref<?xf32>
      memref.store %m2, %d[%c2p] : memref<?xf32>
      memref.store %m3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @m16n8k16_bf16_bf16_f32_f32(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
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
      %bits = arith.constant 16 : i32
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
      %in_row = arith.muli %in_group, %c2 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c256 : index
      %at_b = arith.muli %warp, %c128 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c16 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c16 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %a2r = arith.muli %group, %c16 : index
      %a2k = arith.addi %a2r, %in_row : index
      %a2o = arith.addi %a2k, %c8 : index
      %a2p = arith.addi %at_a, %a2o : index
      %a2w = func.call @register(%a, %a2p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a2 = arith.addi %a2w, %none : i32
      %a3r = arith.muli %group8, %c16 : index
      %a3k = arith.addi %a3r, %in_row : index
      %a3o = arith.addi %a3k, %c8 : index
      %a3p = arith.addi %at_a, %a3o : index
      %a3w = func.call @register(%a, %a3p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a3 = arith.addi %a3w, %none : i32
      %b0r = arith.muli %group, %c16 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c16 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c8 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xf32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xf32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xf32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xf32>
      %m = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %m0, %d[%c0p] : memref<?xf32>
      memref.store %m1, %d[%c1p] : memref<?xf32>
      memref.store %m2, %d[%c2p] : memref<?xf32>
      memref.store %m3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @m16n8k4_tf32_tf32_f32_f32(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 32 : i32
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
      %in_row = arith.muli %in_group, %c1 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c64 : index
      %at_b = arith.muli %warp, %c32 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c4 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c4 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %b0r = arith.muli %group, %c4 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xf32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xf32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xf32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xf32>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 4>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %m0, %d[%c0p] : memref<?xf32>
      memref.store %m1, %d[%c1p] : memref<?xf32>
      memref.store %m2, %d[%c2p] : memref<?xf32>
      memref.store %m3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @m16n8k8_tf32_tf32_f32_f32(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 32 : i32
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
      %in_row = arith.muli %in_group, %c1 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c128 : index
      %at_b = arith.muli %warp, %c64 : index
      %at_c = arith.muli %warp, %c128 : index
      %none = arith.constant 0 : i32
      %a0r = arith.muli %group, %c8 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c8 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %a2r = arith.muli %group, %c8 : index
      %a2k = arith.addi %a2r, %in_row : index
      %a2o = arith.addi %a2k, %c4 : index
      %a2p = arith.addi %at_a, %a2o : index
      %a2w = func.call @register(%a, %a2p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a2 = arith.addi %a2w, %none : i32
      %a3r = arith.muli %group8, %c8 : index
      %a3k = arith.addi %a3r, %in_row : index
      %a3o = arith.addi %a3k, %c4 : index
      %a3p = arith.addi %at_a, %a3o : index
      %a3w = func.call @register(%a, %a3p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a3 = arith.addi %a3w, %none : i32
      %b0r = arith.muli %group, %c8 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c8 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c4 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xf32>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xf32>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xf32>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xf32>
      %m = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %m0, %d[%c0p] : memref<?xf32>
      memref.store %m1, %d[%c1p] : memref<?xf32>
      memref.store %m2, %d[%c2p] : memref<?xf32>
      memref.store %m3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @m8n8k4_f64_f64_f64_f64(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf64>, %d: memref<?xf64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
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
      %in_row = arith.muli %in_group, %c1 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c32 : index
      %at_b = arith.muli %warp, %c32 : index
      %at_c = arith.muli %warp, %c64 : index
      %a0r = arith.muli %group, %c4 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = memref.load %a[%a0p] : memref<?xi32>
      %a0 = arith.sitofp %a0w : i32 to f64
      %b0r = arith.muli %group, %c4 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = memref.load %b[%b0p] : memref<?xi32>
      %b0 = arith.sitofp %b0w : i32 to f64
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xf64>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xf64>
      %m = nvvm.mma.sync A[%a0] B[%b0] C[%cv0, %cv1]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>}
          : (f64, f64, f64) -> !llvm.struct<(f64, f64)>
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(f64, f64)>
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(f64, f64)>
      memref.store %m0, %d[%c0p] : memref<?xf64>
      memref.store %m1, %d[%c1p] : memref<?xf64>
      gpu.return
    }
  }

  // Element %i of a matrix.
  func.func private @value_bf16(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 7 : i32
    %least = arith.constant -3 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  func.func private @encode_bf16(%v: i32) -> i32 {
    %f = arith.sitofp %v : i32 to f32
    %w = arith.bitcast %f : f32 to i32
    %c16 = arith.constant 16 : i32
    %r = arith.shrui %w, %c16 : i32
    return %r : i32
  }
  // Element %i of a matrix.
  func.func private @value_tf32(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 7 : i32
    %least = arith.constant -3 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  func.func private @encode_tf32(%v: i32) -> i32 {
    %f = arith.sitofp %v : i32 to f32
    %w = arith.bitcast %f : f32 to i32
    // The lowest bits are nobody's.
    %any = arith.constant 0x1234 : i32
    %r = arith.ori %w, %any : i32
    return %r : i32
  }
  // Element %i of a matrix.
  func.func private @value_f64(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 7 : i32
    %least = arith.constant -3 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
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
  func.func @check_m16n8k8_bf16_bf16_f32_f32(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 128 : index
    %kn = arith.constant 64 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_bf16(%i) : (index) -> i32
      %e = func.call @encode_bf16(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_bf16(%j) : (index) -> i32
      %e = func.call @encode_bf16(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@m16n8k8_bf16_bf16_f32_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
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
      %start = func.call @sum(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_bf16(%pa) : (index) -> i32
        %vb = func.call @value_bf16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xf32>
      %wanted = arith.sitofp %want : i32 to f32
      %differs = arith.cmpf une, %got, %wanted : f32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_m16n8k16_bf16_bf16_f32_f32(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 256 : index
    %kn = arith.constant 128 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 16 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_bf16(%i) : (index) -> i32
      %e = func.call @encode_bf16(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_bf16(%j) : (index) -> i32
      %e = func.call @encode_bf16(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@m16n8k16_bf16_bf16_f32_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
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
      %start = func.call @sum(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_bf16(%pa) : (index) -> i32
        %vb = func.call @value_bf16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xf32>
      %wanted = arith.sitofp %want : i32 to f32
      %differs = arith.cmpf une, %got, %wanted : f32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_m16n8k4_tf32_tf32_f32_f32(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 64 : index
    %kn = arith.constant 32 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 4 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_tf32(%i) : (index) -> i32
      %e = func.call @encode_tf32(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_tf32(%j) : (index) -> i32
      %e = func.call @encode_tf32(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@m16n8k4_tf32_tf32_f32_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
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
      %start = func.call @sum(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_tf32(%pa) : (index) -> i32
        %vb = func.call @value_tf32(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xf32>
      %wanted = arith.sitofp %want : i32 to f32
      %differs = arith.cmpf une, %got, %wanted : f32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_m16n8k8_tf32_tf32_f32_f32(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 128 : index
    %kn = arith.constant 64 : index
    %mn = arith.constant 128 : index
    %m = arith.constant 16 : index
    %n = arith.constant 8 : index
    %k = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_tf32(%i) : (index) -> i32
      %e = func.call @encode_tf32(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_tf32(%j) : (index) -> i32
      %e = func.call @encode_tf32(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@m16n8k8_tf32_tf32_f32_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
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
      %start = func.call @sum(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_tf32(%pa) : (index) -> i32
        %vb = func.call @value_tf32(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xf32>
      %wanted = arith.sitofp %want : i32 to f32
      %differs = arith.cmpf une, %got, %wanted : f32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_m8n8k4_f64_f64_f64_f64(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 32 : index
    %kn = arith.constant 32 : index
    %mn = arith.constant 64 : index
    %m = arith.constant 8 : index
    %n = arith.constant 8 : index
    %k = arith.constant 4 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf64>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf64>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_f64(%i) : (index) -> i32
      %none = arith.constant 0 : i32
      %e = arith.addi %v, %none : i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_f64(%j) : (index) -> i32
      %none = arith.constant 0 : i32
      %e = arith.addi %v, %none : i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f64
      memref.store %f, %c[%i] : memref<?xf64>
    }
    gpu.launch_func @kernels::@m8n8k4_f64_f64_f64_f64 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %c : memref<?xf64>, %d : memref<?xf64>)
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
      %start = func.call @sum(%i) : (index) -> i32
      %product = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero) -> i32 {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_f64(%pa) : (index) -> i32
        %vb = func.call @value_f64(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %want = arith.addi %start, %product : i32
      %got = memref.load %d[%i] : memref<?xf64>
      %wanted = arith.sitofp %want : i32 to f64
      %differs = arith.cmpf une, %got, %wanted : f64
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %c : memref<?xf64>
    gpu.dealloc %d : memref<?xf64>
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
    func.call @check_m16n8k8_bf16_bf16_f32_f32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k8_bf16_bf16_f32_f32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k8_bf16_bf16_f32_f32(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k16_bf16_bf16_f32_f32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k16_bf16_bf16_f32_f32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k16_bf16_bf16_f32_f32(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k4_tf32_tf32_f32_f32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k4_tf32_tf32_f32_f32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k4_tf32_tf32_f32_f32(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k8_tf32_tf32_f32_f32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n8k8_tf32_tf32_f32_f32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n8k8_tf32_tf32_f32_f32(%c1, %c1024, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64_f64_f64(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64_f64_f64(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64_f64_f64(%c1, %c1024, %c1) : (index, index, index) -> ()
    return
  }
}
