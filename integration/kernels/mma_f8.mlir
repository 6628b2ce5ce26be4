// mma of e4m3 and e5m2, which the NVVM dialect has no op for, beside what
// matrix_reference.c has of it.
// CHIPS: sm_89 sm_120a
// FLAGS: --gpu-features=+ptx87
// LINK: matrix_reference.c

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k16_f16(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = llvm.inline_asm has_side_effects asm_dialect = att
          "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {$0, $1}, {$2, $3}, {$4}, {$5, $6};",
          "=r,=r,r,r,r,r,r" %a0, %a1, %b0, %c0, %c1
          : (i32, i32, i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      %v = vector.from_elements %d0, %d1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @k32_f32(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = llvm.inline_asm has_side_effects asm_dialect = att
          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};",
          "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f" %a0, %a1, %a2, %a3, %b0, %b1, %f0, %f1, %f2, %f3
          : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %v = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
      %b = vector.bitcast %v : vector<4xf32> to vector<4xi32>
      vector.store %b, %out[%to] : memref<?xi32>, vector<4xi32>
      gpu.return
    }
    gpu.func @k32_f16(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = llvm.inline_asm has_side_effects asm_dialect = att
          "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16 {$0, $1}, {$2, $3, $4, $5}, {$6, $7}, {$8, $9};",
          "=r,=r,r,r,r,r,r,r,r,r" %a0, %a1, %a2, %a3, %b0, %b1, %c0, %c1
          : (i32, i32, i32, i32, i32, i32, i32, i32) -> !llvm.struct<(i32, i32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>
      %v = vector.from_elements %d0, %d1 : vector<2xi32>
      vector.store %v, %out[%to] : memref<?xi32>, vector<2xi32>
      gpu.return
    }
    gpu.func @sparse_k64(%words: memref<?xi32>, %out: memref<?xi32>) kernel {
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
      %d = llvm.inline_asm has_side_effects asm_dialect = att
          "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e5m2.e5m2.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9, $10, $11}, {$12, $13, $14, $15}, $16, 0x0;",
          "=f,=f,=f,=f,r,r,r,r,r,r,r,r,f,f,f,f,r" %a0, %a1, %a2, %a3, %b0, %b1, %b2, %b3, %f0, %f1, %f2, %f3, %meta
          : (i32, i32, i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32) -> !llvm.struct<(f32, f32, f32, f32)>
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
    %w5 = arith.constant 5 : i32
    func.call @matrix_fill(%w5, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k16_f16 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n5 = func.call @matrix_check(%w5, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n5 : i32
    %w6 = arith.constant 6 : i32
    func.call @matrix_fill(%w6, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k32_f32 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n6 = func.call @matrix_check(%w6, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n6 : i32
    %w7 = arith.constant 7 : i32
    func.call @matrix_fill(%w7, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k32_f16 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n7 = func.call @matrix_check(%w7, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n7 : i32
    %w8 = arith.constant 8 : i32
    func.call @matrix_fill(%w8, %warps32, %hw) : (i32, i32, memref<?xi32>) -> ()
    gpu.memcpy %dw, %hw : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@sparse_k64 blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dw : memref<?xi32>, %dr : memref<?xi32>)
    gpu.memcpy %hr, %dr : memref<?xi32>, memref<?xi32>
    %n8 = func.call @matrix_check(%w8, %warps32, %hw, %hr)
        : (i32, i32, memref<?xi32>, memref<?xi32>) -> i32
    vector.print %n8 : i32
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
