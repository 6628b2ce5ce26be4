// Sums of mma.sync that f32 cannot hold: each stays within what the PTX ISA leaves open,
// 16 roundings of the last place of the sizes of all that is added.
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

    gpu.func @m16n8k16_f16_f16_f32_f32(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>, %d: memref<?xf32>) kernel {
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
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
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
  }

  // Element %i of a matrix.
  func.func private @value_f16(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 4095 : i32
    %least = arith.constant -2047 : i32
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
  // An element of C.
  func.func private @sum(%i: index) -> i32 {
    %thirteen = arith.constant 13 : i32
    %i32 = arith.index_cast %i : index to i32
    %u = arith.remui %i32, %thirteen : i32
    %six = arith.constant 6 : i32
    %r = arith.subi %u, %six : i32
    return %r : i32
  }
  func.func @check_m16n8k16_f16_f16_f32_f32(%blocks: index, %x: index, %y: index) {
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
    scf.for %i = %c0 to %size_c step %c1 {
      %v = func.call @sum(%i) : (index) -> i32
      %f = arith.sitofp %v : i32 to f32
      memref.store %f, %c[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@m16n8k16_f16_f16_f32_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
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
      %product:2 = scf.for %j = %c0 to %k step %c1 iter_args(%s = %zero, %z = %zero) -> (i32, i32) {
        %pa = arith.addi %from_a, %j : index
        %pb = arith.addi %from_b, %j : index
        %va = func.call @value_f16(%pa) : (index) -> i32
        %vb = func.call @value_f16(%pb) : (index) -> i32
        %p = arith.muli %va, %vb : i32
        %s1 = arith.addi %s, %p : i32
        %size = math.absi %p : i32
        %z1 = arith.addi %z, %size : i32
        scf.yield %s1, %z1 : i32, i32
      }
      %start_size = math.absi %start : i32
      %sizes = arith.addi %product#1, %start_size : i32
      %want = arith.addi %start, %product#0 : i32
      %got = memref.load %d[%i] : memref<?xf32>
      %wanted = arith.sitofp %want : i32 to f64
      %given = arith.extf %got : f32 to f64
      %off0 = arith.subf %given, %wanted : f64
      %off = math.absf %off0 : f64
      %sizes64 = arith.sitofp %sizes : i32 to f64
      // 16 * 2^-23
      %place = arith.constant 1.9073486328125e-06 : f64
      %limit = arith.mulf %sizes64, %place : f64
      %differs = arith.cmpf ogt, %off, %limit : f64
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

  // RUN: kernel
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    func.call @check_m16n8k16_f16_f16_f32_f32(%c3, %c64, %c1) : (index, index, index) -> ()
    return
  }
}
