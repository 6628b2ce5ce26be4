// A thread that writes behind the buffer is found where memory is checked.
// CARD: unpacked, it may go unnoticed
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_ILLEGAL_ADDRESS

// RUN: host EMU_CHECK=memory
// ERROR: CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}out_of_bounds.mlir:[[@LINE+10]]:5: kernel 'main_kernel', block 0,0,0: thread 40,0,0 writes out of the bounds of an allocation: 4 bytes at 0x{{[0-9a-f]+}}; allocated at {{.*}}out_of_bounds.mlir:[[@LINE+5]]:8, in the launch of kernel
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
