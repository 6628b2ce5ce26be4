// A thread that reads behind its block's workgroup memory is found where memory
// is checked.
// CARD: unpacked, it may go unnoticed
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_ILLEGAL_ADDRESS

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xf32>, %far: index)
        workgroup(%w: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %w[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      %v = memref.load %w[%far] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %v, %x[%t] : memref<?xf32>
      gpu.return
    }
  }

  // RUN: host EMU_CHECK=memory
  // ERROR: workgroup_bounds.mlir:[[@LINE-7]]:12: kernel 'k', block 0,0,0: thread 0,0,0 reads 4 bytes at offset 128 of workgroup memory of 128 bytes, in the launch of kernel
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %d = gpu.alloc(%c32) : memref<?xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%d : memref<?xf32>, %c32 : index)
    gpu.wait
    vector.print str "the program must not get here\n"
    return
  }
}
