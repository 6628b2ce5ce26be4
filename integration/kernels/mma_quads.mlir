// mma.sync of f16 in the shape of sm_70, where each eight lanes have a product of their
// own, in all layouts: sums of what lanes hold, each by its place.
// CHIPS: sm_70 sm_75

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k_row_row_f16(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f16
      %cv = vector.broadcast %cs : f16 to vector<2xf16>
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cv, %cv, %cv, %cv] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<row>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e0 = vector.extract %m0[0] : f16 from vector<2xf16>
      %f0 = arith.extf %e0 : f16 to f32
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %e1 = vector.extract %m0[1] : f16 from vector<2xf16>
      %f1 = arith.extf %e1 : f16 to f32
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e2 = vector.extract %m1[0] : f16 from vector<2xf16>
      %f2 = arith.extf %e2 : f16 to f32
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %e3 = vector.extract %m1[1] : f16 from vector<2xf16>
      %f3 = arith.extf %e3 : f16 to f32
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e4 = vector.extract %m2[0] : f16 from vector<2xf16>
      %f4 = arith.extf %e4 : f16 to f32
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %e5 = vector.extract %m2[1] : f16 from vector<2xf16>
      %f5 = arith.extf %e5 : f16 to f32
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e6 = vector.extract %m3[0] : f16 from vector<2xf16>
      %f6 = arith.extf %e6 : f16 to f32
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %e7 = vector.extract %m3[1] : f16 from vector<2xf16>
      %f7 = arith.extf %e7 : f16 to f32
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_row_row_f32(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f32
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cs, %cs, %cs, %cs, %cs, %cs, %cs, %cs] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<row>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %f0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %f1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %f2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %f3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %f4 = llvm.extractvalue %m[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %f5 = llvm.extractvalue %m[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %f6 = llvm.extractvalue %m[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %f7 = llvm.extractvalue %m[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_row_col_f16(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f16
      %cv = vector.broadcast %cs : f16 to vector<2xf16>
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cv, %cv, %cv, %cv] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e0 = vector.extract %m0[0] : f16 from vector<2xf16>
      %f0 = arith.extf %e0 : f16 to f32
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %e1 = vector.extract %m0[1] : f16 from vector<2xf16>
      %f1 = arith.extf %e1 : f16 to f32
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e2 = vector.extract %m1[0] : f16 from vector<2xf16>
      %f2 = arith.extf %e2 : f16 to f32
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %e3 = vector.extract %m1[1] : f16 from vector<2xf16>
      %f3 = arith.extf %e3 : f16 to f32
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e4 = vector.extract %m2[0] : f16 from vector<2xf16>
      %f4 = arith.extf %e4 : f16 to f32
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %e5 = vector.extract %m2[1] : f16 from vector<2xf16>
      %f5 = arith.extf %e5 : f16 to f32
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e6 = vector.extract %m3[0] : f16 from vector<2xf16>
      %f6 = arith.extf %e6 : f16 to f32
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %e7 = vector.extract %m3[1] : f16 from vector<2xf16>
      %f7 = arith.extf %e7 : f16 to f32
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_row_col_f32(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f32
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cs, %cs, %cs, %cs, %cs, %cs, %cs, %cs] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %f0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %f1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %f2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %f3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %f4 = llvm.extractvalue %m[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %f5 = llvm.extractvalue %m[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %f6 = llvm.extractvalue %m[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %f7 = llvm.extractvalue %m[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_col_row_f16(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f16
      %cv = vector.broadcast %cs : f16 to vector<2xf16>
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cv, %cv, %cv, %cv] {layoutA = #nvvm.mma_layout<col>, layoutB = #nvvm.mma_layout<row>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e0 = vector.extract %m0[0] : f16 from vector<2xf16>
      %f0 = arith.extf %e0 : f16 to f32
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %e1 = vector.extract %m0[1] : f16 from vector<2xf16>
      %f1 = arith.extf %e1 : f16 to f32
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e2 = vector.extract %m1[0] : f16 from vector<2xf16>
      %f2 = arith.extf %e2 : f16 to f32
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %e3 = vector.extract %m1[1] : f16 from vector<2xf16>
      %f3 = arith.extf %e3 : f16 to f32
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e4 = vector.extract %m2[0] : f16 from vector<2xf16>
      %f4 = arith.extf %e4 : f16 to f32
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %e5 = vector.extract %m2[1] : f16 from vector<2xf16>
      %f5 = arith.extf %e5 : f16 to f32
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e6 = vector.extract %m3[0] : f16 from vector<2xf16>
      %f6 = arith.extf %e6 : f16 to f32
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %e7 = vector.extract %m3[1] : f16 from vector<2xf16>
      %f7 = arith.extf %e7 : f16 to f32
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_col_row_f32(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f32
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cs, %cs, %cs, %cs, %cs, %cs, %cs, %cs] {layoutA = #nvvm.mma_layout<col>, layoutB = #nvvm.mma_layout<row>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %f0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %f1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %f2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %f3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %f4 = llvm.extractvalue %m[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %f5 = llvm.extractvalue %m[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %f6 = llvm.extractvalue %m[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %f7 = llvm.extractvalue %m[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_col_col_f16(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f16
      %cv = vector.broadcast %cs : f16 to vector<2xf16>
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cv, %cv, %cv, %cv] {layoutA = #nvvm.mma_layout<col>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %m0 = llvm.extractvalue %m[0] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e0 = vector.extract %m0[0] : f16 from vector<2xf16>
      %f0 = arith.extf %e0 : f16 to f32
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %e1 = vector.extract %m0[1] : f16 from vector<2xf16>
      %f1 = arith.extf %e1 : f16 to f32
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %m1 = llvm.extractvalue %m[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e2 = vector.extract %m1[0] : f16 from vector<2xf16>
      %f2 = arith.extf %e2 : f16 to f32
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %e3 = vector.extract %m1[1] : f16 from vector<2xf16>
      %f3 = arith.extf %e3 : f16 to f32
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %m2 = llvm.extractvalue %m[2] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e4 = vector.extract %m2[0] : f16 from vector<2xf16>
      %f4 = arith.extf %e4 : f16 to f32
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %e5 = vector.extract %m2[1] : f16 from vector<2xf16>
      %f5 = arith.extf %e5 : f16 to f32
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %m3 = llvm.extractvalue %m[3] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
      %e6 = vector.extract %m3[0] : f16 from vector<2xf16>
      %f6 = arith.extf %e6 : f16 to f32
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %e7 = vector.extract %m3[1] : f16 from vector<2xf16>
      %f7 = arith.extf %e7 : f16 to f32
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_col_col_f32(%a: memref<?xvector<2xf16>>, %b: memref<?xvector<2xf16>>, %o: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %p = arith.muli %t, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.muli %t, %c8 : index
      %lane = arith.index_cast %t : index to i32
      %cs = arith.sitofp %lane : i32 to f32
      %a0 = memref.load %a[%p] : memref<?xvector<2xf16>>
      %a1 = memref.load %a[%q] : memref<?xvector<2xf16>>
      %b0 = memref.load %b[%p] : memref<?xvector<2xf16>>
      %b1 = memref.load %b[%q] : memref<?xvector<2xf16>>
      %m = nvvm.mma.sync A[%a0, %a1] B[%b0, %b1] C[%cs, %cs, %cs, %cs, %cs, %cs, %cs, %cs] {layoutA = #nvvm.mma_layout<col>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %i0 = arith.constant 0 : index
      %x0 = arith.addi %r, %i0 : index
      %f0 = llvm.extractvalue %m[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f0, %o[%x0] : memref<?xf32>
      %i1 = arith.constant 1 : index
      %x1 = arith.addi %r, %i1 : index
      %f1 = llvm.extractvalue %m[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f1, %o[%x1] : memref<?xf32>
      %i2 = arith.constant 2 : index
      %x2 = arith.addi %r, %i2 : index
      %f2 = llvm.extractvalue %m[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f2, %o[%x2] : memref<?xf32>
      %i3 = arith.constant 3 : index
      %x3 = arith.addi %r, %i3 : index
      %f3 = llvm.extractvalue %m[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f3, %o[%x3] : memref<?xf32>
      %i4 = arith.constant 4 : index
      %x4 = arith.addi %r, %i4 : index
      %f4 = llvm.extractvalue %m[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f4, %o[%x4] : memref<?xf32>
      %i5 = arith.constant 5 : index
      %x5 = arith.addi %r, %i5 : index
      %f5 = llvm.extractvalue %m[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f5, %o[%x5] : memref<?xf32>
      %i6 = arith.constant 6 : index
      %x6 = arith.addi %r, %i6 : index
      %f6 = llvm.extractvalue %m[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f6, %o[%x6] : memref<?xf32>
      %i7 = arith.constant 7 : index
      %x7 = arith.addi %r, %i7 : index
      %f7 = llvm.extractvalue %m[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      memref.store %f7, %o[%x7] : memref<?xf32>
      gpu.return
    }
  }
  // RUN: kernel
  // CHECK: 69858
  // CHECK: 69983
  // CHECK: 69736
  // CHECK: 69688
  // CHECK: 70444
  // CHECK: 70544
  // CHECK: 69882
  // CHECK: 69951
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %n = arith.constant 256 : index
    %a = gpu.alloc host_shared (%c64) : memref<?xvector<2xf16>>
    %b = gpu.alloc host_shared (%c64) : memref<?xvector<2xf16>>
    %o = gpu.alloc host_shared (%n) : memref<?xf32>
    scf.for %i = %c0 to %c64 step %c1 {
      %c7 = arith.constant 7 : index
      %c5 = arith.constant 5 : index
      %c3 = arith.constant 3 : index
      %e0 = arith.muli %i, %c2 : index
      %e1 = arith.addi %e0, %c1 : index
      %x0 = arith.muli %e0, %c3 : index
      %x1 = arith.muli %e1, %c3 : index
      %u0 = arith.remui %x0, %c7 : index
      %u1 = arith.remui %x1, %c7 : index
      %w0 = arith.remui %x0, %c5 : index
      %w1 = arith.remui %x1, %c5 : index
      %u0i = arith.index_cast %u0 : index to i32
      %u1i = arith.index_cast %u1 : index to i32
      %w0i = arith.index_cast %w0 : index to i32
      %w1i = arith.index_cast %w1 : index to i32
      %u0f = arith.sitofp %u0i : i32 to f16
      %u1f = arith.sitofp %u1i : i32 to f16
      %w0f = arith.sitofp %w0i : i32 to f16
      %w1f = arith.sitofp %w1i : i32 to f16
      %av = vector.from_elements %u0f, %u1f : vector<2xf16>
      %bv = vector.from_elements %w0f, %w1f : vector<2xf16>
      memref.store %av, %a[%i] : memref<?xvector<2xf16>>
      memref.store %bv, %b[%i] : memref<?xvector<2xf16>>
    }
    gpu.launch_func @kernels::@k_row_row_f16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_row_row_f32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_row_col_f16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_row_col_f32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_col_row_f16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_col_row_f32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_col_col_f16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.launch_func @kernels::@k_col_col_f32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xvector<2xf16>>, %b : memref<?xvector<2xf16>>, %o : memref<?xf32>)
    gpu.wait
    func.call @print(%o) : (memref<?xf32>) -> ()
    gpu.dealloc %a : memref<?xvector<2xf16>>
    gpu.dealloc %b : memref<?xvector<2xf16>>
    gpu.dealloc %o : memref<?xf32>
    return
  }

  // The sum of all, the i-th of each 13 counting i times.
  func.func private @print(%o: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c13 = arith.constant 13 : index
    %n = arith.constant 256 : index
    %zero = arith.constant 0.0 : f64
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
      %v = memref.load %o[%i] : memref<?xf32>
      %w = arith.extf %v : f32 to f64
      %r = arith.remui %i, %c13 : index
      %k = arith.addi %r, %c1 : index
      %k32 = arith.index_cast %k : index to i32
      %f = arith.sitofp %k32 : i32 to f64
      %p = arith.mulf %w, %f : f64
      %t = arith.addf %s, %p : f64
      scf.yield %t : f64
    }
    vector.print %all : f64
    return
  }
}
