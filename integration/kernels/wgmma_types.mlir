// Products of a warp group, of all types of elements and of sums, beside what
// wgmma_reference.c has of them, with matrices in all layouts that descriptors
// have. All blocks but the first add a second product, behind a branch, before
// they wait for either.
// CHIPS: sm_90a
// FLAGS: --gpu-chip=sm_90a
// LINK: wgmma_reference.c

!w = memref<3072xi32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Brings %count words to workgroup memory; returns its address, as a
    // descriptor has it.
    func.func private @fetch(%words: memref<?xi32>, %w: !w, %count: index, %t: index) -> i64 {
      %c128 = arith.constant 128 : index
      %k4 = arith.constant 4 : i64
      %mask = arith.constant 0x3fff : i64
      scf.for %i = %t to %count step %c128 {
        %x = memref.load %words[%i] : memref<?xi32>
        memref.store %x, %w[%i] : !w
      }
      %base = memref.extract_aligned_pointer_as_index %w : !w -> index
      %base64 = arith.index_cast %base : index to i64
      %short = arith.shrui %base64, %k4 : i64
      %r = arith.andi %short, %mask : i64
      return %r : i64
    }

    gpu.func @f16_f32(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 12 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<12xi32>
      %v0 = vector.extract %v[0] : i32 from vector<12xi32>
      %f0 = arith.bitcast %v0 : i32 to f32
      %s0 = llvm.insertvalue %f0, %s[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v1 = vector.extract %v[1] : i32 from vector<12xi32>
      %f1 = arith.bitcast %v1 : i32 to f32
      %s1 = llvm.insertvalue %f1, %s0[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v2 = vector.extract %v[2] : i32 from vector<12xi32>
      %f2 = arith.bitcast %v2 : i32 to f32
      %s2 = llvm.insertvalue %f2, %s1[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v3 = vector.extract %v[3] : i32 from vector<12xi32>
      %f3 = arith.bitcast %v3 : i32 to f32
      %s3 = llvm.insertvalue %f3, %s2[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v4 = vector.extract %v[4] : i32 from vector<12xi32>
      %f4 = arith.bitcast %v4 : i32 to f32
      %s4 = llvm.insertvalue %f4, %s3[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v5 = vector.extract %v[5] : i32 from vector<12xi32>
      %f5 = arith.bitcast %v5 : i32 to f32
      %s5 = llvm.insertvalue %f5, %s4[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v6 = vector.extract %v[6] : i32 from vector<12xi32>
      %f6 = arith.bitcast %v6 : i32 to f32
      %s6 = llvm.insertvalue %f6, %s5[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v7 = vector.extract %v[7] : i32 from vector<12xi32>
      %f7 = arith.bitcast %v7 : i32 to f32
      %s7 = llvm.insertvalue %f7, %s6[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v8 = vector.extract %v[8] : i32 from vector<12xi32>
      %f8 = arith.bitcast %v8 : i32 to f32
      %s8 = llvm.insertvalue %f8, %s7[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v9 = vector.extract %v[9] : i32 from vector<12xi32>
      %f9 = arith.bitcast %v9 : i32 to f32
      %s9 = llvm.insertvalue %f9, %s8[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v10 = vector.extract %v[10] : i32 from vector<12xi32>
      %f10 = arith.bitcast %v10 : i32 to f32
      %s10 = llvm.insertvalue %f10, %s9[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v11 = vector.extract %v[11] : i32 from vector<12xi32>
      %f11 = arith.bitcast %v11 : i32 to f32
      %s11 = llvm.insertvalue %f11, %s10[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s11, #nvvm.shape<m = 64, n = 24, k = 16>,
          D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>), ^done(%d0 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>)
    ^more(%m: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 24, k = 16>,
          D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>)
    ^done(%d: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e4 = llvm.extractvalue %d[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e5 = llvm.extractvalue %d[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e6 = llvm.extractvalue %d[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e7 = llvm.extractvalue %d[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e8 = llvm.extractvalue %d[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e9 = llvm.extractvalue %d[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e10 = llvm.extractvalue %d[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %e11 = llvm.extractvalue %d[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11 : vector<12xf32>
      %bits = vector.bitcast %all : vector<12xf32> to vector<12xi32>
      vector.store %bits, %out[%to] : memref<?xi32>, vector<12xi32>
      gpu.return
    }
    gpu.func @f16_f16(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 4 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<4xi32>
      %v0 = vector.extract %v[0] : i32 from vector<4xi32>
      %s0 = llvm.insertvalue %v0, %s[0] : !llvm.struct<(i32, i32, i32, i32)>
      %v1 = vector.extract %v[1] : i32 from vector<4xi32>
      %s1 = llvm.insertvalue %v1, %s0[1] : !llvm.struct<(i32, i32, i32, i32)>
      %v2 = vector.extract %v[2] : i32 from vector<4xi32>
      %s2 = llvm.insertvalue %v2, %s1[2] : !llvm.struct<(i32, i32, i32, i32)>
      %v3 = vector.extract %v[3] : i32 from vector<4xi32>
      %s3 = llvm.insertvalue %v3, %s2[3] : !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s3, #nvvm.shape<m = 64, n = 16, k = 16>,
          D [<f16>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <row>]
          : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(i32, i32, i32, i32)>), ^done(%d0 : !llvm.struct<(i32, i32, i32, i32)>)
    ^more(%m: !llvm.struct<(i32, i32, i32, i32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 16, k = 16>,
          D [<f16>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <row>]
          : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(i32, i32, i32, i32)>)
    ^done(%d: !llvm.struct<(i32, i32, i32, i32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3 : vector<4xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @bf16_f32(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 4 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<4xi32>
      %v0 = vector.extract %v[0] : i32 from vector<4xi32>
      %f0 = arith.bitcast %v0 : i32 to f32
      %s0 = llvm.insertvalue %f0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
      %v1 = vector.extract %v[1] : i32 from vector<4xi32>
      %f1 = arith.bitcast %v1 : i32 to f32
      %s1 = llvm.insertvalue %f1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
      %v2 = vector.extract %v[2] : i32 from vector<4xi32>
      %f2 = arith.bitcast %v2 : i32 to f32
      %s2 = llvm.insertvalue %f2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
      %v3 = vector.extract %v[3] : i32 from vector<4xi32>
      %f3 = arith.bitcast %v3 : i32 to f32
      %s3 = llvm.insertvalue %f3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s3, #nvvm.shape<m = 64, n = 8, k = 16>,
          D [<f32>, <one>], A [<bf16>, <neg>, <col>], B [<bf16>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(f32, f32, f32, f32)>), ^done(%d0 : !llvm.struct<(f32, f32, f32, f32)>)
    ^more(%m: !llvm.struct<(f32, f32, f32, f32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 8, k = 16>,
          D [<f32>, <one>], A [<bf16>, <neg>, <col>], B [<bf16>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(f32, f32, f32, f32)>)
    ^done(%d: !llvm.struct<(f32, f32, f32, f32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3 : vector<4xf32>
      %bits = vector.bitcast %all : vector<4xf32> to vector<4xi32>
      vector.store %bits, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @tf32_f32(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 4 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<4xi32>
      %v0 = vector.extract %v[0] : i32 from vector<4xi32>
      %f0 = arith.bitcast %v0 : i32 to f32
      %s0 = llvm.insertvalue %f0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
      %v1 = vector.extract %v[1] : i32 from vector<4xi32>
      %f1 = arith.bitcast %v1 : i32 to f32
      %s1 = llvm.insertvalue %f1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
      %v2 = vector.extract %v[2] : i32 from vector<4xi32>
      %f2 = arith.bitcast %v2 : i32 to f32
      %s2 = llvm.insertvalue %f2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
      %v3 = vector.extract %v[3] : i32 from vector<4xi32>
      %f3 = arith.bitcast %v3 : i32 to f32
      %s3 = llvm.insertvalue %f3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s3, #nvvm.shape<m = 64, n = 8, k = 8>,
          D [<f32>, <zero>], A [<tf32>, <one>, <row>], B [<tf32>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(f32, f32, f32, f32)>), ^done(%d0 : !llvm.struct<(f32, f32, f32, f32)>)
    ^more(%m: !llvm.struct<(f32, f32, f32, f32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 8, k = 8>,
          D [<f32>, <one>], A [<tf32>, <one>, <row>], B [<tf32>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(f32, f32, f32, f32)>)
    ^done(%d: !llvm.struct<(f32, f32, f32, f32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3 : vector<4xf32>
      %bits = vector.bitcast %all : vector<4xf32> to vector<4xi32>
      vector.store %bits, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @s8_u8(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 4 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<4xi32>
      %v0 = vector.extract %v[0] : i32 from vector<4xi32>
      %s0 = llvm.insertvalue %v0, %s[0] : !llvm.struct<(i32, i32, i32, i32)>
      %v1 = vector.extract %v[1] : i32 from vector<4xi32>
      %s1 = llvm.insertvalue %v1, %s0[1] : !llvm.struct<(i32, i32, i32, i32)>
      %v2 = vector.extract %v[2] : i32 from vector<4xi32>
      %s2 = llvm.insertvalue %v2, %s1[2] : !llvm.struct<(i32, i32, i32, i32)>
      %v3 = vector.extract %v[3] : i32 from vector<4xi32>
      %s3 = llvm.insertvalue %v3, %s2[3] : !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s3, #nvvm.shape<m = 64, n = 8, k = 32>,
          D [<s32>, <one>, <satfinite>], A [<s8>, <one>, <row>], B [<u8>, <one>, <col>]
          : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(i32, i32, i32, i32)>), ^done(%d0 : !llvm.struct<(i32, i32, i32, i32)>)
    ^more(%m: !llvm.struct<(i32, i32, i32, i32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 8, k = 32>,
          D [<s32>, <one>, <satfinite>], A [<s8>, <one>, <row>], B [<u8>, <one>, <col>]
          : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(i32, i32, i32, i32)>)
    ^done(%d: !llvm.struct<(i32, i32, i32, i32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3 : vector<4xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @u8_u8(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 16 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<16xi32>
      %v0 = vector.extract %v[0] : i32 from vector<16xi32>
      %s0 = llvm.insertvalue %v0, %s[0] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v1 = vector.extract %v[1] : i32 from vector<16xi32>
      %s1 = llvm.insertvalue %v1, %s0[1] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v2 = vector.extract %v[2] : i32 from vector<16xi32>
      %s2 = llvm.insertvalue %v2, %s1[2] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v3 = vector.extract %v[3] : i32 from vector<16xi32>
      %s3 = llvm.insertvalue %v3, %s2[3] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v4 = vector.extract %v[4] : i32 from vector<16xi32>
      %s4 = llvm.insertvalue %v4, %s3[4] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v5 = vector.extract %v[5] : i32 from vector<16xi32>
      %s5 = llvm.insertvalue %v5, %s4[5] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v6 = vector.extract %v[6] : i32 from vector<16xi32>
      %s6 = llvm.insertvalue %v6, %s5[6] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v7 = vector.extract %v[7] : i32 from vector<16xi32>
      %s7 = llvm.insertvalue %v7, %s6[7] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v8 = vector.extract %v[8] : i32 from vector<16xi32>
      %s8 = llvm.insertvalue %v8, %s7[8] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v9 = vector.extract %v[9] : i32 from vector<16xi32>
      %s9 = llvm.insertvalue %v9, %s8[9] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v10 = vector.extract %v[10] : i32 from vector<16xi32>
      %s10 = llvm.insertvalue %v10, %s9[10] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v11 = vector.extract %v[11] : i32 from vector<16xi32>
      %s11 = llvm.insertvalue %v11, %s10[11] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v12 = vector.extract %v[12] : i32 from vector<16xi32>
      %s12 = llvm.insertvalue %v12, %s11[12] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v13 = vector.extract %v[13] : i32 from vector<16xi32>
      %s13 = llvm.insertvalue %v13, %s12[13] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v14 = vector.extract %v[14] : i32 from vector<16xi32>
      %s14 = llvm.insertvalue %v14, %s13[14] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %v15 = vector.extract %v[15] : i32 from vector<16xi32>
      %s15 = llvm.insertvalue %v15, %s14[15] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s15, #nvvm.shape<m = 64, n = 32, k = 32>,
          D [<s32>, <one>], A [<u8>, <one>, <row>], B [<u8>, <one>, <col>]
          : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>), ^done(%d0 : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>)
    ^more(%m: !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 32, k = 32>,
          D [<s32>, <one>], A [<u8>, <one>, <row>], B [<u8>, <one>, <col>]
          : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>)
    ^done(%d: !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e4 = llvm.extractvalue %d[4] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e5 = llvm.extractvalue %d[5] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e6 = llvm.extractvalue %d[6] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e7 = llvm.extractvalue %d[7] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e8 = llvm.extractvalue %d[8] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e9 = llvm.extractvalue %d[9] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e10 = llvm.extractvalue %d[10] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e11 = llvm.extractvalue %d[11] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e12 = llvm.extractvalue %d[12] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e13 = llvm.extractvalue %d[13] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e14 = llvm.extractvalue %d[14] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      %e15 = llvm.extractvalue %d[15] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15 : vector<16xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<16xi32>
      gpu.return
    }
    gpu.func @e4m3_e5m2(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 4 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<4xi32>
      %v0 = vector.extract %v[0] : i32 from vector<4xi32>
      %f0 = arith.bitcast %v0 : i32 to f32
      %s0 = llvm.insertvalue %f0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
      %v1 = vector.extract %v[1] : i32 from vector<4xi32>
      %f1 = arith.bitcast %v1 : i32 to f32
      %s1 = llvm.insertvalue %f1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
      %v2 = vector.extract %v[2] : i32 from vector<4xi32>
      %f2 = arith.bitcast %v2 : i32 to f32
      %s2 = llvm.insertvalue %f2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
      %v3 = vector.extract %v[3] : i32 from vector<4xi32>
      %f3 = arith.bitcast %v3 : i32 to f32
      %s3 = llvm.insertvalue %f3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s3, #nvvm.shape<m = 64, n = 8, k = 32>,
          D [<f32>, <one>], A [<e4m3>, <one>, <row>], B [<e5m2>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(f32, f32, f32, f32)>), ^done(%d0 : !llvm.struct<(f32, f32, f32, f32)>)
    ^more(%m: !llvm.struct<(f32, f32, f32, f32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 8, k = 32>,
          D [<f32>, <one>], A [<e4m3>, <one>, <row>], B [<e5m2>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(f32, f32, f32, f32)>)
    ^done(%d: !llvm.struct<(f32, f32, f32, f32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3 : vector<4xf32>
      %bits = vector.bitcast %all : vector<4xf32> to vector<4xi32>
      vector.store %bits, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @e5m2_f16(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 2 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(i32, i32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<2xi32>
      %v0 = vector.extract %v[0] : i32 from vector<2xi32>
      %s0 = llvm.insertvalue %v0, %s[0] : !llvm.struct<(i32, i32)>
      %v1 = vector.extract %v[1] : i32 from vector<2xi32>
      %s1 = llvm.insertvalue %v1, %s0[1] : !llvm.struct<(i32, i32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s1, #nvvm.shape<m = 64, n = 8, k = 32>,
          D [<f16>, <one>], A [<e5m2>, <neg>, <row>], B [<e4m3>, <one>, <col>]
          : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(i32, i32)>), ^done(%d0 : !llvm.struct<(i32, i32)>)
    ^more(%m: !llvm.struct<(i32, i32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 8, k = 32>,
          D [<f16>, <one>], A [<e5m2>, <neg>, <row>], B [<e4m3>, <one>, <col>]
          : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(i32, i32)>)
    ^done(%d: !llvm.struct<(i32, i32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1 : vector<2xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @b1(%words: memref<?xi32>, %out: memref<?xi32>, %ha: i64, %hb: i64)
        workgroup(%w: !w) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = arith.constant 3072 : index
      %each = arith.constant 4 : index
      %own = arith.muli %t, %each : index
      %from = arith.addi %own, %count : index
      %base = func.call @fetch(%words, %w, %count, %t) : (memref<?xi32>, !w, index, index) -> i64
      gpu.barrier
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %k512 = arith.constant 512 : i64
      %bb = arith.addi %base, %k512 : i64
      %da = arith.ori %base, %ha : i64
      %db = arith.ori %bb, %hb : i64
      %s = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32)>
      %v = vector.load %words[%from] : memref<?xi32>, vector<4xi32>
      %v0 = vector.extract %v[0] : i32 from vector<4xi32>
      %s0 = llvm.insertvalue %v0, %s[0] : !llvm.struct<(i32, i32, i32, i32)>
      %v1 = vector.extract %v[1] : i32 from vector<4xi32>
      %s1 = llvm.insertvalue %v1, %s0[1] : !llvm.struct<(i32, i32, i32, i32)>
      %v2 = vector.extract %v[2] : i32 from vector<4xi32>
      %s2 = llvm.insertvalue %v2, %s1[2] : !llvm.struct<(i32, i32, i32, i32)>
      %v3 = vector.extract %v[3] : i32 from vector<4xi32>
      %s3 = llvm.insertvalue %v3, %s2[3] : !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.fence.aligned
      %d0 = nvvm.wgmma.mma_async %da, %db, %s3, #nvvm.shape<m = 64, n = 8, k = 256>,
          D [<s32>, <one>], A [<b1>, <one>, <row>], B [<b1>, <one>, <col>]
          : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      // The second product of all blocks but the first.
      %b = gpu.block_id x
      %again = arith.cmpi ne, %b, %c0 : index
      cf.cond_br %again, ^more(%d0 : !llvm.struct<(i32, i32, i32, i32)>), ^done(%d0 : !llvm.struct<(i32, i32, i32, i32)>)
    ^more(%m: !llvm.struct<(i32, i32, i32, i32)>):
      %d1 = nvvm.wgmma.mma_async %da, %db, %m, #nvvm.shape<m = 64, n = 8, k = 256>,
          D [<s32>, <one>], A [<b1>, <one>, <row>], B [<b1>, <one>, <col>]
          : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.commit.group.sync.aligned
      cf.br ^done(%d1 : !llvm.struct<(i32, i32, i32, i32)>)
    ^done(%d: !llvm.struct<(i32, i32, i32, i32)>):
      %e0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
      %e1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
      %e2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
      %e3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
      nvvm.wgmma.wait.group.sync.aligned 0
      %grid = arith.constant 128 : index
      %first = arith.muli %b, %grid : index
      %number = arith.addi %first, %t : index
      %to = arith.muli %number, %each : index
      %all = vector.from_elements %e0, %e1, %e2, %e3 : vector<4xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
  }

  // Images of A and B, and sums; what descriptors have beside the address.
  func.func private @wgmma_fill(%which: i32, %layout: i32, %words: memref<?xi32>, %descriptors: memref<?xi64>)
  func.func private @wgmma_check(%which: i32, %layout: i32, %blocks: i32, %words: memref<?xi32>,
                                 %results: memref<?xi32>) -> i32

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %size = arith.constant 5120 : index
    %hw = memref.alloc(%size) : memref<?xi32>
    %hr = memref.alloc(%size) : memref<?xi32>
    %hd = memref.alloc(%c2) : memref<?xi64>
    %dw = gpu.alloc(%size) : memref<?xi32>
    %dr = gpu.alloc(%size) : memref<?xi32>
    // Not swizzled, by 32, 64 and 128 bytes.
    scf.for %l = %c0 to %c4 step %c1 {
      %layout = arith.index_cast %l : index to i32
      %w0 = arith.constant 0 : i32
      func.call @wgmma_fill(%w0, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a0 = memref.load %hd[%c0] : memref<?xi64>
      %b0 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@f16_f32 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a0 : i64, %b0 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n0 = func.call @wgmma_check(%w0, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s0 = arith.addi %zero, %n0 : i32
      %w1 = arith.constant 1 : i32
      func.call @wgmma_fill(%w1, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a1 = memref.load %hd[%c0] : memref<?xi64>
      %b1 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@f16_f16 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a1 : i64, %b1 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n1 = func.call @wgmma_check(%w1, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s1 = arith.addi %s0, %n1 : i32
      %w2 = arith.constant 2 : i32
      func.call @wgmma_fill(%w2, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a2 = memref.load %hd[%c0] : memref<?xi64>
      %b2 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@bf16_f32 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a2 : i64, %b2 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n2 = func.call @wgmma_check(%w2, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s2 = arith.addi %s1, %n2 : i32
      %w3 = arith.constant 3 : i32
      func.call @wgmma_fill(%w3, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a3 = memref.load %hd[%c0] : memref<?xi64>
      %b3 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@tf32_f32 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a3 : i64, %b3 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n3 = func.call @wgmma_check(%w3, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s3 = arith.addi %s2, %n3 : i32
      %w4 = arith.constant 4 : i32
      func.call @wgmma_fill(%w4, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a4 = memref.load %hd[%c0] : memref<?xi64>
      %b4 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@s8_u8 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a4 : i64, %b4 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n4 = func.call @wgmma_check(%w4, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s4 = arith.addi %s3, %n4 : i32
      %w5 = arith.constant 5 : i32
      func.call @wgmma_fill(%w5, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a5 = memref.load %hd[%c0] : memref<?xi64>
      %b5 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@u8_u8 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a5 : i64, %b5 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n5 = func.call @wgmma_check(%w5, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s5 = arith.addi %s4, %n5 : i32
      %w6 = arith.constant 6 : i32
      func.call @wgmma_fill(%w6, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a6 = memref.load %hd[%c0] : memref<?xi64>
      %b6 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@e4m3_e5m2 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a6 : i64, %b6 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n6 = func.call @wgmma_check(%w6, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s6 = arith.addi %s5, %n6 : i32
      %w7 = arith.constant 7 : i32
      func.call @wgmma_fill(%w7, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a7 = memref.load %hd[%c0] : memref<?xi64>
      %b7 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@e5m2_f16 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a7 : i64, %b7 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n7 = func.call @wgmma_check(%w7, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s7 = arith.addi %s6, %n7 : i32
      %w8 = arith.constant 8 : i32
      func.call @wgmma_fill(%w8, %layout, %hw, %hd) : (i32, i32, memref<?xi32>, memref<?xi64>) -> ()
      %a8 = memref.load %hd[%c0] : memref<?xi64>
      %b8 = memref.load %hd[%c1] : memref<?xi64>
      gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
      gpu.launch_func @kernels::@b1 blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
          args(%dw : memref<?xi32>, %dr : memref<?xi32>, %a8 : i64, %b8 : i64)
      gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
      %n8 = func.call @wgmma_check(%w8, %layout, %two, %hw, %hr)
          : (i32, i32, i32, memref<?xi32>, memref<?xi32>) -> i32
      %s8 = arith.addi %s7, %n8 : i32
      vector.print %s8 : i32
    }
    gpu.dealloc %dw : memref<?xi32>
    gpu.dealloc %dr : memref<?xi32>
    memref.dealloc %hw : memref<?xi32>
    memref.dealloc %hr : memref<?xi32>
    memref.dealloc %hd : memref<?xi64>
    return
  }
}
