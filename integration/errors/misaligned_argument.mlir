// A kernel that is given memory at an address which is not a multiple of what its
// elements want may have it, and fails where it touches it.
// CARD: unpacked, it may go unnoticed
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_MISALIGNED_ADDRESS
// RUN: failing
// ERROR: misaligned_argument.mlir:[[@LINE+28]]:5: error: {{.*}}: CUDA_ERROR_MISALIGNED_ADDRESS: {{.*}}: kernel 'k', block 0,0,0: a thread reads 0x{{[0-9a-f]+}}, in argument 0, whose elements have to be at multiples of 4 bytes

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<4xf32>, %touch: i1) kernel {
      %t = gpu.thread_id x
      scf.if %touch {
        %v = memref.load %x[%t] : memref<4xf32>
        %twice = arith.addf %v, %v : f32
        memref.store %twice, %x[%t] : memref<4xf32>
      }
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %yes = arith.constant true
    %no = arith.constant false
    %zero = arith.constant 0 : i8
    %d = gpu.alloc() : memref<64xi8>
    gpu.memset %d, %zero : memref<64xi8>, i8
    %floats = memref.view %d[%c2][] : memref<64xi8> to memref<4xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c4, %c1, %c1) args(%floats : memref<4xf32>, %no : i1)
    gpu.wait
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c4, %c1, %c1) args(%floats : memref<4xf32>, %yes : i1)
    gpu.wait
    vector.print str "the program must not get here\n"
    return
  }
}
