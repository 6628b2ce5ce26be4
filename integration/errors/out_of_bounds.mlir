// A thread that writes past the end of a buffer, by less than 256 bytes, is found
// where memory is checked; by more, always.
// CARD: unpacked, it may go unnoticed
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_ILLEGAL_ADDRESS

// RUN: host EMU_CHECK=memory
// ERROR: CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}out_of_bounds.mlir:[[@LINE+10]]:5: kernel 'main_kernel', block 0,0,0: thread 40,0,0 writes out of the bounds of an allocation: 4 bytes at 0x{{[0-9a-f]+}}, just past the end of the 160 allocated at {{.*}}out_of_bounds.mlir:[[@LINE+5]]:8, in the launch of kernel
func.func @main() {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc(%c40) : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %seven = arith.constant 7 : i32
    gpu.barrier
    memref.store %seven, %d[%tx] : memref<?xi32>
    gpu.terminator
  }
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}

// RUN: @far host
// ERROR: out_of_bounds.mlir:[[@LINE+6]]:3: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}kernel 'far_kernel', block 0,0,0: a thread writes out of the bounds of an allocation, 3744 bytes past the end of the 256 allocated at {{.*}}out_of_bounds.mlir:[[@LINE+5]]:8 (async-gpu-runner --check=memory or ASYNC_GPU_EMU_CHECK=memory says where), in the launch of kernel
// RUN: @far EMU_CHECK=memory
// ERROR: CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}out_of_bounds.mlir:[[@LINE+9]]:5: kernel 'far_kernel', block 0,0,0: thread 0,0,0 writes out of the bounds of an allocation: 4 bytes at 0x{{[0-9a-f]+}}, 3744 bytes past the end of the 256 allocated at {{.*}}out_of_bounds.mlir:[[@LINE+3]]:8, in the launch of kernel
func.func @far() {
  %c1 = arith.constant 1 : index
  %d = gpu.alloc() : memref<64xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %seven = arith.constant 7 : i32
    %c1000 = arith.constant 1000 : index
    %all = memref.reinterpret_cast %d to offset: [0], sizes: [1001], strides: [1] : memref<64xi32> to memref<1001xi32>
    memref.store %seven, %all[%c1000] : memref<1001xi32>
    gpu.terminator
  }
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}
