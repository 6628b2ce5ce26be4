// Products of matrices that not all lanes of a warp come to.
// CHIPS: sm_80 sm_90 sm_100
// CARD: never, their behaviour is undefined there

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%x: memref<?xvector<2xf16>>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xvector<2xf16>>
      %d = nvvm.mma.sync A[%v, %v] B[%v] C[%v, %v]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           shape = #nvvm.shape<m = 16, n = 8, k = 8>}
          : (vector<2xf16>, vector<2xf16>, vector<2xf16>)
          -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %r = llvm.extractvalue %d[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      memref.store %r, %x[%t] : memref<?xvector<2xf16>>
      gpu.return
    }
    gpu.func @apart(%x: memref<?xvector<2xf16>>) kernel {
      %t = gpu.thread_id x
      %c7 = arith.constant 7 : index
      %v = memref.load %x[%t] : memref<?xvector<2xf16>>
      %is_7 = arith.cmpi eq, %t, %c7 : index
      scf.if %is_7 {
        gpu.barrier
      }
      %d = nvvm.mma.sync A[%v, %v] B[%v] C[%v, %v]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
           shape = #nvvm.shape<m = 16, n = 8, k = 8>}
          : (vector<2xf16>, vector<2xf16>, vector<2xf16>)
          -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %r = llvm.extractvalue %d[1] : !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      memref.store %r, %x[%t] : memref<?xvector<2xf16>>
      gpu.return
    }
    gpu.func @ended(%x: memref<?x16xf16>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c9 = arith.constant 9 : index
      %is_9 = arith.cmpi eq, %t, %c9 : index
      cf.cond_br %is_9, ^end, ^load
    ^load:
      %a = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 16 : index}
          : memref<?x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
      gpu.subgroup_mma_store_matrix %a, %x[%c0, %c0] {leadDimension = 16 : index}
          : !gpu.mma_matrix<16x16xf16, "COp">, memref<?x16xf16>
      cf.br ^end
    ^end:
      gpu.return
    }
  }

  func.func @launch(%threads: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %x = gpu.alloc (%c64) : memref<?xvector<2xf16>>
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1)
        threads in (%threads, %c1, %c1) args(%x : memref<?xvector<2xf16>>)
    gpu.wait
    return
  }

  // RUN: @too_few
  // RUN: @too_few --gpu-native-threads=coroutines
  // ERROR: warp_products.mlir:[[@LINE-55]]:12: kernel 'product', block 0,0,0: thread 32,0,0 is at a product of matrices, which takes all 32 lanes of its warp: lane 8 is none of the block's
  func.func @too_few() {
    %c40 = arith.constant 40 : index
    func.call @launch(%c40) : (index) -> ()
    return
  }

  // RUN: @parted
  // ERROR: warp_products.mlir:[[@LINE-46]]:12: kernel 'apart', block 0,0,0: thread 0,0,0 waits at a product of matrices that thread 7,0,0 does not reach: it waits at a barrier at {{.*}}warp_products.mlir:[[@LINE-48]]:9
  func.func @parted() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %x = gpu.alloc (%c32) : memref<?xvector<2xf16>>
    gpu.launch_func @kernels::@apart blocks in (%c1, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%x : memref<?xvector<2xf16>>)
    gpu.wait
    return
  }

  // RUN: @gone
  // ERROR: warp_products.mlir:[[@LINE-42]]:12: kernel 'ended', block 0,0,0: thread 0,0,0 is at a load or store of a matrix, which takes all 32 lanes of its warp: lane 9 has ended
  func.func @gone() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %x = gpu.alloc (%c32) : memref<?x16xf16>
    gpu.launch_func @kernels::@ended blocks in (%c1, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%x : memref<?x16xf16>)
    gpu.wait
    return
  }
}
