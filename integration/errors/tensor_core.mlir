// A kernel for tensor cores compiles beside its PTX; launched on the emulated
// device, it fails with the place.
// CARD: never, it has tensor cores
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<16x16xf32>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %c, %x[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
    gpu.func @plain(%x: memref<16x16xf32>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %two = arith.constant 2.5 : f32
      memref.store %two, %x[%t, %c0] : memref<16x16xf32>
      gpu.return
    }
  }

  // RUN: ahead-of-time
  // CHECK: 2.5
  // ERROR: tensor_core.mlir:[[@LINE-14]]:7: kernel 'k', block 0,0,0: a tensor core operation ('nvvm.wmma.store') is not supported on the emulated device
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c16 = arith.constant 16 : index
    %d = gpu.alloc() : memref<16x16xf32>
    %h = memref.alloc() : memref<16x16xf32>
    gpu.launch_func @kernels::@plain blocks in (%c1, %c1, %c1)
        threads in (%c16, %c1, %c1) args(%d : memref<16x16xf32>)
    gpu.memcpy %h, %d : memref<16x16xf32>, memref<16x16xf32>
    %v = memref.load %h[%c0, %c0] : memref<16x16xf32>
    vector.print %v : f32
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%d : memref<16x16xf32>)
    gpu.wait
    vector.print str "the program must not get here\n"
    return
  }
}
