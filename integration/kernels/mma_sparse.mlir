// mma.sp.sync: products with a matrix of which half of the elements are there, of all
// types, with the metadata where the PTX ISA has it.
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

    gpu.func @k16_f16_f16_f32_f32_s0(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 16 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c128 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c64 : index
      %a0r = arith.muli %group, %c8 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
      %a1r = arith.muli %group8, %c8 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
      %b0r = arith.muli %group, %c16 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
      %b1r = arith.muli %group, %c16 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c8 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
      %tt = arith.remui %in_group, %c1 : index
      %mk = arith.muli %tt, %c4 : index
      %m0r = arith.muli %group, %c4 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %m0 = func.call @register(%meta, %m0p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1r = arith.muli %group8, %c4 : index
      %m1k = arith.addi %m1r, %mk : index
      %m1p = arith.addi %at_m, %m1k : index
      %m1 = func.call @register(%meta, %m1p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1s = arith.shli %m1, %sixteen : i32
      %word = arith.ori %m0, %m1s : i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 1 : index
      %from = arith.cmpi uge, %in_group, %c0 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 0 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %d0, %d[%c0p] : memref<?xf32>
      memref.store %d1, %d[%c1p] : memref<?xf32>
      memref.store %d2, %d[%c2p] : memref<?xf32>
      memref.store %d3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @k16_f16_f16_f16_f16_s3(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xf16>, %d: memref<?xf16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 16 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c128 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c64 : index
      %a0r = arith.muli %group, %c8 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
      %a1r = arith.muli %group8, %c8 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
      %b0r = arith.muli %group, %c16 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
      %b1r = arith.muli %group, %c16 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c8 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
      %tt = arith.remui %in_group, %c1 : index
      %mk = arith.muli %tt, %c4 : index
      %m0r = arith.muli %group, %c4 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %m0 = func.call @register(%meta, %m0p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1r = arith.muli %group8, %c4 : index
      %m1k = arith.addi %m1r, %mk : index
      %m1p = arith.addi %at_m, %m1k : index
      %m1 = func.call @register(%meta, %m1p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1s = arith.shli %m1, %sixteen : i32
      %word = arith.ori %m0, %m1s : i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c3 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 3 : i32
      %c0r = arith.muli %group, %c8 : index
      %c0k = arith.addi %c0r, %in_pair : index
      %c0p = arith.addi %at_c, %c0k : index
      %cv0 = memref.load %c[%c0p] : memref<?xf16>
      %c1r = arith.muli %group, %c8 : index
      %c1k = arith.addi %c1r, %in_pair : index
      %c1o = arith.addi %c1k, %c1 : index
      %c1p = arith.addi %at_c, %c1o : index
      %cv1 = memref.load %c[%c1p] : memref<?xf16>
      %c2r = arith.muli %group8, %c8 : index
      %c2k = arith.addi %c2r, %in_pair : index
      %c2p = arith.addi %at_c, %c2k : index
      %cv2 = memref.load %c[%c2p] : memref<?xf16>
      %c3r = arith.muli %group8, %c8 : index
      %c3k = arith.addi %c3r, %in_pair : index
      %c3o = arith.addi %c3k, %c1 : index
      %c3p = arith.addi %at_c, %c3o : index
      %cv3 = memref.load %c[%c3p] : memref<?xf16>
      %cf0 = vector.from_elements %cv0, %cv1 : vector<2xf16>
      %cf1 = vector.from_elements %cv2, %cv3 : vector<2xf16>
      %m = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%cf0, %cf1]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %dv0 = vector.extract %d0[0] : f16 from vector<2xf16>
      memref.store %dv0, %d[%c0p] : memref<?xf16>
      %dv1 = vector.extract %d0[1] : f16 from vector<2xf16>
      memref.store %dv1, %d[%c1p] : memref<?xf16>
      %dv2 = vector.extract %d1[0] : f16 from vector<2xf16>
      memref.store %dv2, %d[%c2p] : memref<?xf16>
      %dv3 = vector.extract %d1[1] : f16 from vector<2xf16>
      memref.store %dv3, %d[%c3p] : memref<?xf16>
      gpu.return
    }
    gpu.func @k32_f16_f16_f32_f32_s1(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %bits = arith.constant 16 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c256 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c128 : index
      %a0r = arith.muli %group, %c16 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = llvm.bitcast %a0w : i32 to vector<2xf16>
      %a1r = arith.muli %group8, %c16 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = llvm.bitcast %a1w : i32 to vector<2xf16>
      %a2r = arith.muli %group, %c16 : index
      %a2k = arith.addi %a2r, %in_row : index
      %a2o = arith.addi %a2k, %c8 : index
      %a2p = arith.addi %at_a, %a2o : index
      %a2w = func.call @register(%a, %a2p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a2 = llvm.bitcast %a2w : i32 to vector<2xf16>
      %a3r = arith.muli %group8, %c16 : index
      %a3k = arith.addi %a3r, %in_row : index
      %a3o = arith.addi %a3k, %c8 : index
      %a3p = arith.addi %at_a, %a3o : index
      %a3w = func.call @register(%a, %a3p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a3 = llvm.bitcast %a3w : i32 to vector<2xf16>
      %b0r = arith.muli %group, %c32 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = llvm.bitcast %b0w : i32 to vector<2xf16>
      %b1r = arith.muli %group, %c32 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c8 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = llvm.bitcast %b1w : i32 to vector<2xf16>
      %b2r = arith.muli %group, %c32 : index
      %b2k = arith.addi %b2r, %in_row : index
      %b2o = arith.addi %b2k, %c16 : index
      %b2p = arith.addi %at_b, %b2o : index
      %b2w = func.call @register(%b, %b2p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b2 = llvm.bitcast %b2w : i32 to vector<2xf16>
      %b3r = arith.muli %group, %c32 : index
      %b3k = arith.addi %b3r, %in_row : index
      %c24 = arith.constant 24 : index
      %b3o = arith.addi %b3k, %c24 : index
      %b3p = arith.addi %at_b, %b3o : index
      %b3w = func.call @register(%b, %b3p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b3 = llvm.bitcast %b3w : i32 to vector<2xf16>
      %tt = arith.remui %in_group, %c2 : index
      %mk = arith.muli %tt, %c4 : index
      %m0r = arith.muli %group, %c8 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %m0 = func.call @register(%meta, %m0p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1r = arith.muli %group8, %c8 : index
      %m1k = arith.addi %m1r, %mk : index
      %m1p = arith.addi %at_m, %m1k : index
      %m1 = func.call @register(%meta, %m1p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1s = arith.shli %m1, %sixteen : i32
      %word = arith.ori %m0, %m1s : i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c2 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 1 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 32>}
          : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %d0, %d[%c0p] : memref<?xf32>
      memref.store %d1, %d[%c1p] : memref<?xf32>
      memref.store %d2, %d[%c2p] : memref<?xf32>
      memref.store %d3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @k32_bf16_bf16_f32_f32_s0(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %bits = arith.constant 16 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c256 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c128 : index
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
      %b0r = arith.muli %group, %c32 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c32 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c8 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %b2r = arith.muli %group, %c32 : index
      %b2k = arith.addi %b2r, %in_row : index
      %b2o = arith.addi %b2k, %c16 : index
      %b2p = arith.addi %at_b, %b2o : index
      %b2w = func.call @register(%b, %b2p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b2 = arith.addi %b2w, %none : i32
      %b3r = arith.muli %group, %c32 : index
      %b3k = arith.addi %b3r, %in_row : index
      %c24 = arith.constant 24 : index
      %b3o = arith.addi %b3k, %c24 : index
      %b3p = arith.addi %at_b, %b3o : index
      %b3w = func.call @register(%b, %b3p, %c2, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b3 = arith.addi %b3w, %none : i32
      %tt = arith.remui %in_group, %c2 : index
      %mk = arith.muli %tt, %c4 : index
      %m0r = arith.muli %group, %c8 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %m0 = func.call @register(%meta, %m0p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1r = arith.muli %group8, %c8 : index
      %m1k = arith.addi %m1r, %mk : index
      %m1p = arith.addi %at_m, %m1k : index
      %m1 = func.call @register(%meta, %m1p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1s = arith.shli %m1, %sixteen : i32
      %word = arith.ori %m0, %m1s : i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 2 : index
      %from = arith.cmpi uge, %in_group, %c0 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 0 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 32>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %d0, %d[%c0p] : memref<?xf32>
      memref.store %d1, %d[%c1p] : memref<?xf32>
      memref.store %d2, %d[%c2p] : memref<?xf32>
      memref.store %d3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @k8_tf32_tf32_f32_f32_s2(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 32 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c64 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c64 : index
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
      %tt = arith.remui %in_group, %c1 : index
      %mk = arith.muli %tt, %c4 : index
      %m0r = arith.muli %group, %c4 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %m0 = func.call @register(%meta, %m0p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1r = arith.muli %group8, %c4 : index
      %m1k = arith.addi %m1r, %mk : index
      %m1p = arith.addi %at_m, %m1k : index
      %m1 = func.call @register(%meta, %m1p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1s = arith.shli %m1, %sixteen : i32
      %word = arith.ori %m0, %m1s : i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 3 : index
      %from = arith.cmpi uge, %in_group, %c2 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 2 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 8>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %d0, %d[%c0p] : memref<?xf32>
      memref.store %d1, %d[%c1p] : memref<?xf32>
      memref.store %d2, %d[%c2p] : memref<?xf32>
      memref.store %d3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @k16_tf32_tf32_f32_f32_s1(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %bits = arith.constant 32 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c128 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c128 : index
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
      %b0r = arith.muli %group, %c16 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c16 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c4 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %b2r = arith.muli %group, %c16 : index
      %b2k = arith.addi %b2r, %in_row : index
      %b2o = arith.addi %b2k, %c8 : index
      %b2p = arith.addi %at_b, %b2o : index
      %b2w = func.call @register(%b, %b2p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b2 = arith.addi %b2w, %none : i32
      %b3r = arith.muli %group, %c16 : index
      %b3k = arith.addi %b3r, %in_row : index
      %c12 = arith.constant 12 : index
      %b3o = arith.addi %b3k, %c12 : index
      %b3p = arith.addi %at_b, %b3o : index
      %b3w = func.call @register(%b, %b3p, %c1, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b3 = arith.addi %b3w, %none : i32
      %tt = arith.remui %in_group, %c2 : index
      %mk = arith.muli %tt, %c4 : index
      %m0r = arith.muli %group, %c8 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %m0 = func.call @register(%meta, %m0p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1r = arith.muli %group8, %c8 : index
      %m1k = arith.addi %m1r, %mk : index
      %m1p = arith.addi %at_m, %m1k : index
      %m1 = func.call @register(%meta, %m1p, %c4, %four) : (memref<?xi32>, index, index, i32) -> i32
      %m1s = arith.shli %m1, %sixteen : i32
      %word = arith.ori %m0, %m1s : i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c2 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 1 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32)>
      memref.store %d0, %d[%c0p] : memref<?xf32>
      memref.store %d1, %d[%c1p] : memref<?xf32>
      memref.store %d2, %d[%c2p] : memref<?xf32>
      memref.store %d3, %d[%c3p] : memref<?xf32>
      gpu.return
    }
    gpu.func @k32_s8_u8_s32_s32_s1_wrapped(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %bits = arith.constant 8 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %in_row = arith.muli %in_group, %c4 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c256 : index
      %at_b = arith.muli %warp, %c256 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c128 : index
      %a0r = arith.muli %group, %c16 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c16 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %b0r = arith.muli %group, %c32 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c32 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c16 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %tt = arith.remui %in_group, %c2 : index
      %odd = arith.remui %tt, %c2 : index
      %pair = arith.divui %tt, %c2 : index
      %down = arith.muli %odd, %c8 : index
      %mrow = arith.addi %group, %down : index
      %mk = arith.muli %pair, %c8 : index
      %m0r = arith.muli %mrow, %c8 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %word = func.call @register(%meta, %m0p, %c8, %four) : (memref<?xi32>, index, index, i32) -> i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c2 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 1 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 32>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %d0, %d[%c0p] : memref<?xi32>
      memref.store %d1, %d[%c1p] : memref<?xi32>
      memref.store %d2, %d[%c2p] : memref<?xi32>
      memref.store %d3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
    gpu.func @k64_s8_s8_s32_s32_s0_satfinite(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %c512 = arith.constant 512 : index
      %bits = arith.constant 8 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %in_row = arith.muli %in_group, %c4 : index
      %in_pair = arith.muli %in_group, %c2 : index
      %at_a = arith.muli %warp, %c512 : index
      %at_b = arith.muli %warp, %c512 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c256 : index
      %a0r = arith.muli %group, %c32 : index
      %a0k = arith.addi %a0r, %in_row : index
      %a0p = arith.addi %at_a, %a0k : index
      %a0w = func.call @register(%a, %a0p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a0 = arith.addi %a0w, %none : i32
      %a1r = arith.muli %group8, %c32 : index
      %a1k = arith.addi %a1r, %in_row : index
      %a1p = arith.addi %at_a, %a1k : index
      %a1w = func.call @register(%a, %a1p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a1 = arith.addi %a1w, %none : i32
      %a2r = arith.muli %group, %c32 : index
      %a2k = arith.addi %a2r, %in_row : index
      %a2o = arith.addi %a2k, %c16 : index
      %a2p = arith.addi %at_a, %a2o : index
      %a2w = func.call @register(%a, %a2p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a2 = arith.addi %a2w, %none : i32
      %a3r = arith.muli %group8, %c32 : index
      %a3k = arith.addi %a3r, %in_row : index
      %a3o = arith.addi %a3k, %c16 : index
      %a3p = arith.addi %at_a, %a3o : index
      %a3w = func.call @register(%a, %a3p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %a3 = arith.addi %a3w, %none : i32
      %b0r = arith.muli %group, %c64 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c64 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c16 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %b2r = arith.muli %group, %c64 : index
      %b2k = arith.addi %b2r, %in_row : index
      %b2o = arith.addi %b2k, %c32 : index
      %b2p = arith.addi %at_b, %b2o : index
      %b2w = func.call @register(%b, %b2p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b2 = arith.addi %b2w, %none : i32
      %b3r = arith.muli %group, %c64 : index
      %b3k = arith.addi %b3r, %in_row : index
      %c48 = arith.constant 48 : index
      %b3o = arith.addi %b3k, %c48 : index
      %b3p = arith.addi %at_b, %b3o : index
      %b3w = func.call @register(%b, %b3p, %c4, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b3 = arith.addi %b3w, %none : i32
      %tt = arith.remui %in_group, %c4 : index
      %odd = arith.remui %tt, %c2 : index
      %pair = arith.divui %tt, %c2 : index
      %down = arith.muli %odd, %c8 : index
      %mrow = arith.addi %group, %down : index
      %mk = arith.muli %pair, %c8 : index
      %m0r = arith.muli %mrow, %c16 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %word = func.call @register(%meta, %m0p, %c8, %four) : (memref<?xi32>, index, index, i32) -> i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c0 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 0 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 64>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %d0, %d[%c0p] : memref<?xi32>
      memref.store %d1, %d[%c1p] : memref<?xi32>
      memref.store %d2, %d[%c2p] : memref<?xi32>
      memref.store %d3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
    gpu.func @k64_u4_s4_s32_s32_s1_wrapped(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c512 = arith.constant 512 : index
      %bits = arith.constant 4 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c512 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c128 : index
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
      %tt = arith.remui %in_group, %c2 : index
      %odd = arith.remui %tt, %c2 : index
      %pair = arith.divui %tt, %c2 : index
      %down = arith.muli %odd, %c8 : index
      %mrow = arith.addi %group, %down : index
      %mk = arith.muli %pair, %c8 : index
      %m0r = arith.muli %mrow, %c8 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %word = func.call @register(%meta, %m0p, %c8, %four) : (memref<?xi32>, index, index, i32) -> i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c2 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 1 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 64>, multiplicandAPtxType = #nvvm.mma_type<u4>, multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %d0, %d[%c0p] : memref<?xi32>
      memref.store %d1, %d[%c1p] : memref<?xi32>
      memref.store %d2, %d[%c2p] : memref<?xi32>
      memref.store %d3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
    gpu.func @k128_s4_s4_s32_s32_s0_wrapped(%a: memref<?xi32>, %b: memref<?xi32>, %meta: memref<?xi32>, %c: memref<?xi32>, %d: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %c1024 = arith.constant 1024 : index
      %bits = arith.constant 4 : i32
      %none = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %sixteen = arith.constant 16 : i32
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
      %at_b = arith.muli %warp, %c1024 : index
      %at_c = arith.muli %warp, %c128 : index
      %at_m = arith.muli %warp, %c256 : index
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
      %b0r = arith.muli %group, %c128 : index
      %b0k = arith.addi %b0r, %in_row : index
      %b0p = arith.addi %at_b, %b0k : index
      %b0w = func.call @register(%b, %b0p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b0 = arith.addi %b0w, %none : i32
      %b1r = arith.muli %group, %c128 : index
      %b1k = arith.addi %b1r, %in_row : index
      %b1o = arith.addi %b1k, %c32 : index
      %b1p = arith.addi %at_b, %b1o : index
      %b1w = func.call @register(%b, %b1p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b1 = arith.addi %b1w, %none : i32
      %b2r = arith.muli %group, %c128 : index
      %b2k = arith.addi %b2r, %in_row : index
      %b2o = arith.addi %b2k, %c64 : index
      %b2p = arith.addi %at_b, %b2o : index
      %b2w = func.call @register(%b, %b2p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b2 = arith.addi %b2w, %none : i32
      %b3r = arith.muli %group, %c128 : index
      %b3k = arith.addi %b3r, %in_row : index
      %c96 = arith.constant 96 : index
      %b3o = arith.addi %b3k, %c96 : index
      %b3p = arith.addi %at_b, %b3o : index
      %b3w = func.call @register(%b, %b3p, %c8, %bits) : (memref<?xi32>, index, index, i32) -> i32
      %b3 = arith.addi %b3w, %none : i32
      %tt = arith.remui %in_group, %c4 : index
      %odd = arith.remui %tt, %c2 : index
      %pair = arith.divui %tt, %c2 : index
      %down = arith.muli %odd, %c8 : index
      %mrow = arith.addi %group, %down : index
      %mk = arith.muli %pair, %c8 : index
      %m0r = arith.muli %mrow, %c16 : index
      %m0k = arith.addi %m0r, %mk : index
      %m0p = arith.addi %at_m, %m0k : index
      %word = func.call @register(%meta, %m0p, %c8, %four) : (memref<?xi32>, index, index, i32) -> i32
      // Lanes that the selector does not name have none.
      %end = arith.constant 4 : index
      %from = arith.cmpi uge, %in_group, %c0 : index
      %to = arith.cmpi ult, %in_group, %end : index
      %named = arith.andi %from, %to : i1
      %metadata = arith.select %named, %word, %none : i32
      %selector = arith.constant 0 : i32
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
      %m = nvvm.mma.sp.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1, %b2, %b3] C[%cv0, %cv1, %cv2, %cv3]
          sparseMetadata[%metadata] selector[%selector] {shape = #nvvm.shape<m = 16, n = 8, k = 128>, multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>}
          : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
      %d0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
      %d1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
      %d2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
      %d3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
      memref.store %d0, %d[%c0p] : memref<?xi32>
      memref.store %d1, %d[%c1p] : memref<?xi32>
      memref.store %d2, %d[%c2p] : memref<?xi32>
      memref.store %d3, %d[%c3p] : memref<?xi32>
      gpu.return
    }
  }

  // Element %i of a matrix.
  func.func private @value_f16(%i: index) -> i32 {
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
  func.func private @encode_f16(%v: i32) -> i32 {
    %f = arith.sitofp %v : i32 to f16
    %h = arith.bitcast %f : f16 to i16
    %r = arith.extui %h : i16 to i32
    return %r : i32
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
  func.func private @value_s8(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 256 : i32
    %least = arith.constant -128 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  func.func private @encode_s8(%v: i32) -> i32 {
    %m = arith.constant 255 : i32
    %r = arith.andi %v, %m : i32
    return %r : i32
  }
  // Element %i of a matrix.
  func.func private @value_u8(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 256 : i32
    %least = arith.constant 0 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  func.func private @encode_u8(%v: i32) -> i32 {
    %m = arith.constant 255 : i32
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
  // An element of C.
  func.func private @sum(%i: index) -> i32 {
    %thirteen = arith.constant 13 : i32
    %i32 = arith.index_cast %i : index to i32
    %u = arith.remui %i32, %thirteen : i32
    %six = arith.constant 6 : i32
    %r = arith.subi %u, %six : i32
    return %r : i32
  }
  // Which two of four are there in chunk %i, two bits for each, in all six ways.
  func.func private @metadata(%i: index) -> i32 {
    %c6 = arith.constant 6 : index
    %seven = arith.constant 7 : index
    %p = arith.muli %i, %seven : index
    %c11 = arith.constant 11 : index
    %q = arith.divui %p, %c11 : index
    %u = arith.remui %q, %c6 : index
    %u32 = arith.index_cast %u : index to i32
    %four = arith.constant 4 : i32
    %by = arith.muli %u32, %four : i32
    %by64 = arith.extui %by : i32 to i64
    // 4, 8, 12, 9, 13, 14, from the lowest digit on
    %table = arith.constant 0xed9c84 : i64
    %shifted = arith.shrui %table, %by64 : i64
    %low = arith.trunci %shifted : i64 to i32
    %fifteen = arith.constant 15 : i32
    %r = arith.andi %low, %fifteen : i32
    return %r : i32
  }
  // Of two the first, or the second.
  func.func private @metadata_single(%i: index) -> i32 {
    %three = arith.constant 3 : index
    %p = arith.divui %i, %three : index
    %two = arith.constant 2 : index
    %u = arith.remui %p, %two : index
    %c0 = arith.constant 0 : index
    %is_first = arith.cmpi eq, %u, %c0 : index
    %four = arith.constant 4 : i32
    %fourteen = arith.constant 14 : i32
    %r = arith.select %is_first, %four, %fourteen : i32
    return %r : i32
  }
  func.func @check_k16_f16_f16_f32_f32_s0(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 128 : index
    %kn = arith.constant 128 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 64 : index
    %n = arith.constant 8 : index
    %k = arith.constant 16 : index
    %kk = arith.constant 8 : index
    %half = arith.constant 2 : index
    %chunk = arith.constant 4 : index
    %chunks = arith.constant 4 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_f16(%i) : (index) -> i32
      %e = func.call @encode_f16(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_f16(%j) : (index) -> i32
      %e = func.call @encode_f16(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@k16_f16_f16_f32_f32_s0 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 1 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_f16(%pa) : (index) -> i32
        %vb = func.call @value_f16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
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
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_k16_f16_f16_f16_f16_s3(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 128 : index
    %kn = arith.constant 128 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 64 : index
    %n = arith.constant 8 : index
    %k = arith.constant 16 : index
    %kk = arith.constant 8 : index
    %half = arith.constant 2 : index
    %chunk = arith.constant 4 : index
    %chunks = arith.constant 4 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf16>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf16>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_f16(%i) : (index) -> i32
      %e = func.call @encode_f16(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_f16(%j) : (index) -> i32
      %e = func.call @encode_f16(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f16
      memref.store %f, %c[%i] : memref<?xf16>
    }
    gpu.launch_func @kernels::@k16_f16_f16_f16_f16_s3 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xf16>, %d : memref<?xf16>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 1 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_f16(%pa) : (index) -> i32
        %vb = func.call @value_f16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %got = memref.load %d[%i] : memref<?xf16>
      %wanted = arith.sitofp %want : i32 to f16
      %differs = arith.cmpf une, %got, %wanted : f16
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xf16>
    gpu.dealloc %d : memref<?xf16>
    return
  }
  func.func @check_k32_f16_f16_f32_f32_s1(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 256 : index
    %kn = arith.constant 256 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 128 : index
    %n = arith.constant 8 : index
    %k = arith.constant 32 : index
    %kk = arith.constant 16 : index
    %half = arith.constant 2 : index
    %chunk = arith.constant 4 : index
    %chunks = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xf32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xf32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_f16(%i) : (index) -> i32
      %e = func.call @encode_f16(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_f16(%j) : (index) -> i32
      %e = func.call @encode_f16(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@k32_f16_f16_f32_f32_s1 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 1 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_f16(%pa) : (index) -> i32
        %vb = func.call @value_f16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
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
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_k32_bf16_bf16_f32_f32_s0(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 256 : index
    %kn = arith.constant 256 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 128 : index
    %n = arith.constant 8 : index
    %k = arith.constant 32 : index
    %kk = arith.constant 16 : index
    %half = arith.constant 2 : index
    %chunk = arith.constant 4 : index
    %chunks = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
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
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@k32_bf16_bf16_f32_f32_s0 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 1 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_bf16(%pa) : (index) -> i32
        %vb = func.call @value_bf16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
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
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_k8_tf32_tf32_f32_f32_s2(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 64 : index
    %kn = arith.constant 64 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 64 : index
    %n = arith.constant 8 : index
    %k = arith.constant 8 : index
    %kk = arith.constant 4 : index
    %half = arith.constant 1 : index
    %chunk = arith.constant 2 : index
    %chunks = arith.constant 4 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
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
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata_single(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@k8_tf32_tf32_f32_f32_s2 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %f14 = arith.constant 14 : i32
        %is_second = arith.cmpi eq, %bits, %f14 : i32
        %within = arith.select %is_second, %c1, %c0 : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_tf32(%pa) : (index) -> i32
        %vb = func.call @value_tf32(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
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
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_k16_tf32_tf32_f32_f32_s1(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 128 : index
    %kn = arith.constant 128 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 128 : index
    %n = arith.constant 8 : index
    %k = arith.constant 16 : index
    %kk = arith.constant 8 : index
    %half = arith.constant 1 : index
    %chunk = arith.constant 2 : index
    %chunks = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
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
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata_single(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@k16_tf32_tf32_f32_f32_s1 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xf32>, %d : memref<?xf32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %f14 = arith.constant 14 : i32
        %is_second = arith.cmpi eq, %bits, %f14 : i32
        %within = arith.select %is_second, %c1, %c0 : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_tf32(%pa) : (index) -> i32
        %vb = func.call @value_tf32(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
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
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xf32>
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @check_k32_s8_u8_s32_s32_s1_wrapped(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 256 : index
    %kn = arith.constant 256 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 128 : index
    %n = arith.constant 8 : index
    %k = arith.constant 32 : index
    %kk = arith.constant 16 : index
    %half = arith.constant 2 : index
    %chunk = arith.constant 4 : index
    %chunks = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_s8(%i) : (index) -> i32
      %e = func.call @encode_s8(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_u8(%j) : (index) -> i32
      %e = func.call @encode_u8(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@k32_s8_u8_s32_s32_s1_wrapped blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 1 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_s8(%pa) : (index) -> i32
        %vb = func.call @value_u8(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_k64_s8_s8_s32_s32_s0_satfinite(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 512 : index
    %kn = arith.constant 512 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 256 : index
    %n = arith.constant 8 : index
    %k = arith.constant 64 : index
    %kk = arith.constant 32 : index
    %half = arith.constant 2 : index
    %chunk = arith.constant 4 : index
    %chunks = arith.constant 16 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
    %c = gpu.alloc host_shared (%size_c) : memref<?xi32>
    %d = gpu.alloc host_shared (%size_c) : memref<?xi32>
    scf.for %i = %c0 to %size_a step %c1 {
      %v = func.call @value_s8(%i) : (index) -> i32
      %e = func.call @encode_s8(%v) : (i32) -> i32
      memref.store %e, %a[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_b step %c1 {
      %j = arith.addi %i, %size_a : index
      %v = func.call @value_s8(%j) : (index) -> i32
      %e = func.call @encode_s8(%v) : (i32) -> i32
      memref.store %e, %b[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@k64_s8_s8_s32_s32_s0_satfinite blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 1 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_s8(%pa) : (index) -> i32
        %vb = func.call @value_s8(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_k64_u4_s4_s32_s32_s1_wrapped(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 512 : index
    %kn = arith.constant 512 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 128 : index
    %n = arith.constant 8 : index
    %k = arith.constant 64 : index
    %kk = arith.constant 32 : index
    %half = arith.constant 4 : index
    %chunk = arith.constant 8 : index
    %chunks = arith.constant 8 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
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
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@k64_u4_s4_s32_s32_s1_wrapped blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 2 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_u4(%pa) : (index) -> i32
        %vb = func.call @value_s4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %meta : memref<?xi32>
    gpu.dealloc %c : memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    return
  }
  func.func @check_k128_s4_s4_s32_s32_s0_wrapped(%blocks: index, %x: index, %y: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %mk = arith.constant 1024 : index
    %kn = arith.constant 1024 : index
    %mn = arith.constant 128 : index
    %mm = arith.constant 256 : index
    %n = arith.constant 8 : index
    %k = arith.constant 128 : index
    %kk = arith.constant 64 : index
    %half = arith.constant 4 : index
    %chunk = arith.constant 8 : index
    %chunks = arith.constant 16 : index
    %size_a = arith.muli %warps, %mk : index
    %size_b = arith.muli %warps, %kn : index
    %size_c = arith.muli %warps, %mn : index
    %size_m = arith.muli %warps, %mm : index
    %a = gpu.alloc host_shared (%size_a) : memref<?xi32>
    %b = gpu.alloc host_shared (%size_b) : memref<?xi32>
    %meta = gpu.alloc host_shared (%size_m) : memref<?xi32>
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
    scf.for %i = %c0 to %size_m step %c1 {
      %e = func.call @metadata(%i) : (index) -> i32
      memref.store %e, %meta[%i] : memref<?xi32>
    }
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      memref.store %v, %c[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@k128_s4_s4_s32_s32_s0_wrapped blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?xi32>, %b : memref<?xi32>, %meta : memref<?xi32>, %c : memref<?xi32>, %d : memref<?xi32>)
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %wrong = scf.for %i = %c0 to %size_c step %c1 iter_args(%w = %zero) -> i32 {
      %warp = arith.divui %i, %mn : index
      %in = arith.remui %i, %mn : index
      %row = arith.divui %in, %n : index
      %column = arith.remui %in, %n : index
      %warp_a = arith.muli %warp, %mk : index
      %row_a = arith.muli %row, %kk : index
      %from_a = arith.addi %warp_a, %row_a : index
      %warp_b = arith.muli %warp, %kn : index
      %row_b = arith.muli %column, %k : index
      %from_b0 = arith.addi %warp_b, %row_b : index
      %from_b = arith.addi %from_b0, %size_a : index
      %warp_m = arith.muli %warp, %mm : index
      %row_m = arith.muli %row, %chunks : index
      %from_m = arith.addi %warp_m, %row_m : index
      %start = func.call @sum(%i) : (index) -> i32
      %want = scf.for %j = %c0 to %kk step %c1 iter_args(%s = %start) -> i32 {
        // Element %j of those that are there is in column %l.
        %number = arith.divui %j, %half : index
        %place = arith.remui %j, %half : index
        %at_m = arith.addi %from_m, %number : index
        %bits = memref.load %meta[%at_m] : memref<?xi32>
        %parts = arith.constant 2 : index
        %which = arith.divui %place, %parts : index
        %rest = arith.remui %place, %parts : index
        %first = arith.andi %bits, %three : i32
        %second = arith.shrui %bits, %two : i32
        %is_first = arith.cmpi eq, %which, %c0 : index
        %index = arith.select %is_first, %first, %second : i32
        %index_w = arith.index_cast %index : i32 to index
        %skipped = arith.muli %index_w, %parts : index
        %within = arith.addi %skipped, %rest : index
        %chunk_at = arith.muli %number, %chunk : index
        %l = arith.addi %chunk_at, %within : index
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %l : index
        %va = func.call @value_s4(%pa) : (index) -> i32
        %vb = func.call @value_s4(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        scf.yield %s1 : i32
      }
      %got = memref.load %d[%i] : memref<?xi32>
      %differs = arith.cmpi ne, %got, %want : i32
      %one = arith.extui %differs : i1 to i32
      %w1 = arith.addi %w, %one : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?xi32>
    gpu.dealloc %b : memref<?xi32>
    gpu.dealloc %meta : memref<?xi32>
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
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c32 = arith.constant 32 : index
    func.call @check_k16_f16_f16_f32_f32_s0(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_k16_f16_f16_f16_f16_s3(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_k32_f16_f16_f32_f32_s1(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_k32_bf16_bf16_f32_f32_s0(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_k8_tf32_tf32_f32_f32_s2(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_k16_tf32_tf32_f32_f32_s1(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_k32_s8_u8_s32_s32_s1_wrapped(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_k64_s8_s8_s32_s32_s0_satfinite(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_k64_u4_s4_s32_s32_s1_wrapped(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_k128_s4_s4_s32_s32_s0_wrapped(%c2, %c8, %c12) : (index, index, index) -> ()
    return
  }
}
