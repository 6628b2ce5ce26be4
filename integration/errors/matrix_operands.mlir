// Operands of products and loads of matrices that no instruction means: one kernel for each,
// which the function of the same name launches.
// CHIPS: sm_120a
// FLAGS: --gpu-chip=sm_120a
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {

gpu.module @kernels {
  // Metadata that names an element twice, in lane 5.
  gpu.func @twice(%x: memref<32xf32>) kernel {
    %t = gpu.thread_id x
    %c5 = arith.constant 5 : index
    %f = memref.load %x[%t] : memref<32xf32>
    %v = arith.constant 0 : i32
    %is_5 = arith.cmpi eq, %t, %c5 : index
    %good = arith.constant 0x44444444 : i32
    %bad = arith.constant 0x44444440 : i32
    %metadata = arith.select %is_5, %bad, %good : i32
    %selector = arith.constant 0 : i32
    %d = nvvm.mma.sp.sync A[%v, %v, %v, %v] B[%v, %v, %v, %v] C[%v, %v, %v, %v]
        sparseMetadata[%metadata] selector[%selector]
        {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
         multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>,
         shape = #nvvm.shape<m = 16, n = 8, k = 64>}
        : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
    %w = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
    %r = arith.bitcast %w : i32 to f32
    memref.store %r, %x[%t] : memref<32xf32>
    gpu.return
  }
  // Indices that fall, where they are to rise.
  gpu.func @unordered(%x: memref<32xf32>) kernel {
    %t = gpu.thread_id x
    %c5 = arith.constant 5 : index
    %f = memref.load %x[%t] : memref<32xf32>
    %v = arith.constant 0 : i32
    %is_5 = arith.cmpi eq, %t, %c5 : index
    %good = arith.constant 0x44444444 : i32
    %bad = arith.constant 0x44444441 : i32
    %metadata = arith.select %is_5, %bad, %good : i32
    %selector = arith.constant 0 : i32
    %d = nvvm.mma.sp.sync A[%v, %v, %v, %v] B[%v, %v, %v, %v] C[%v, %v, %v, %v]
        sparseMetadata[%metadata] selector[%selector]
        {orderedMetadata, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
         multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>,
         shape = #nvvm.shape<m = 16, n = 8, k = 64>}
        : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
    %w = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
    %r = arith.bitcast %w : i32 to f32
    memref.store %r, %x[%t] : memref<32xf32>
    gpu.return
  }
  // Two scales from byte 3 on.
  gpu.func @scale(%x: memref<32xf32>) kernel {
    %t = gpu.thread_id x
    %c5 = arith.constant 5 : index
    %f = memref.load %x[%t] : memref<32xf32>
    %v = arith.constant 0 : i32
    %byte = arith.constant 3 : i16
    %lane = arith.constant 0 : i16
    %d = nvvm.mma.block_scale A[%v, %v, %v, %v] B[%v, %v] C[%f, %f, %f, %f]
        scaleA[%v, %byte, %lane] scaleB[%v, %lane, %lane]
        {shape = #nvvm.shape<m = 16, n = 8, k = 64>,
         multiplicandAPtxType = #nvvm.mma_type<e2m1>, multiplicandBPtxType = #nvvm.mma_type<e2m1>,
         scaleVecSize = #nvvm.scale_vec_size<x2>, blockScaleFormat = #nvvm.block_scale_format<ue8m0>,
         kind = #nvvm.block_scale_kind<mxf4>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %r = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %r, %x[%t] : memref<32xf32>
    gpu.return
  }
  // A row of elements of 4 bits at no multiple of 16.
  gpu.func @row(%x: memref<32xf32>) workgroup(%w: memref<256xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %base = memref.extract_aligned_pointer_as_index %w : memref<256xi32, #gpu.address_space<workgroup>> -> index
    %bytes = arith.muli %t, %c8 : index
    %place = arith.addi %base, %bytes : index
    %place64 = arith.index_cast %place : index to i64
    %p = llvm.inttoptr %place64 : i64 to !llvm.ptr<3>
    %m = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<row>,
        shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>}
        : (!llvm.ptr<3>) -> i32
    %r = arith.bitcast %m : i32 to f32
    memref.store %r, %x[%t] : memref<32xf32>
    gpu.return
  }
}

// RUN: @twice
// ERROR: matrix_operands.mlir:[[@LINE-71]]:10: kernel 'twice', block 0,0,0: thread 5,0,0 has metadata for a product of matrices that names one element twice, or none
func.func @twice() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %x = gpu.alloc() : memref<32xf32>
  gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%x : memref<32xf32>)
  gpu.wait
  return
}

// RUN: @unordered
// ERROR: matrix_operands.mlir:[[@LINE-61]]:10: kernel 'unordered', block 0,0,0: thread 5,0,0 has metadata for a product of matrices whose indices are not in order
func.func @unordered() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %x = gpu.alloc() : memref<32xf32>
  gpu.launch_func @kernels::@unordered blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%x : memref<32xf32>)
  gpu.wait
  return
}

// RUN: @scale
// ERROR: matrix_operands.mlir:[[@LINE-54]]:10: kernel 'scale', block 0,0,0: thread 0,0,0 selects scales by a byte or a thread that these have not, or that is not the same in all lanes
func.func @scale() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %x = gpu.alloc() : memref<32xf32>
  gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%x : memref<32xf32>)
  gpu.wait
  return
}

// RUN: @row EMU_CHECK=memory
// ERROR: matrix_operands.mlir:[[@LINE-46]]:10: kernel 'row', block 0,0,0: thread 1,0,0 reads 16 bytes at 0x{{[0-9a-f]+8}}, which is not a multiple of 16
func.func @row() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %x = gpu.alloc() : memref<32xf32>
  gpu.launch_func @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%x : memref<32xf32>)
  gpu.wait
  return
}

}
