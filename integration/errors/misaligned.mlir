// A thread that reads at an address which is not a multiple of what it reads. Vectors
// of which the op promises no more than their elements' alignment may lie so.
// CARD: unpacked, it may go unnoticed
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_MISALIGNED_ADDRESS

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<256xi8>, %shift: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %floats = memref.view %x[%shift][] : memref<256xi8> to memref<4xf32>
      %v = vector.load %floats[%c0] : memref<4xf32>, vector<2xf32>
      vector.store %v, %floats[%c1] : memref<4xf32>, vector<2xf32>
      %quads = memref.view %x[%shift][] : memref<256xi8> to memref<2xvector<4xf32>>
      %q = memref.load %quads[%c0] : memref<2xvector<4xf32>>
      memref.store %q, %quads[%c1] : memref<2xvector<4xf32>>
      gpu.return
    }
  }

  // RUN: host EMU_CHECK=memory
  // ERROR: misaligned.mlir:[[@LINE+11]]:5: error: {{.*}}: CUDA_ERROR_MISALIGNED_ADDRESS: {{.*}}misaligned.mlir:[[@LINE-7]]:12: kernel 'k', block 0,0,0: thread 0,0,0 reads 16 bytes at 0x{{[0-9a-f]+}}, which is not a multiple of 16
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i8
    %d = gpu.alloc() : memref<256xi8>
    gpu.memset %d, %zero : memref<256xi8>, i8
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<256xi8>, %c16 : index)
    gpu.wait
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<256xi8>, %c4 : index)
    gpu.wait
    vector.print str "the program must not get here\n"
    return
  }
}
