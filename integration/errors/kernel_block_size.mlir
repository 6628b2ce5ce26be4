// A kernel says that its blocks have 64 threads, and a launch gives them 32. The
// code for the emulated device is made for 64.
// CARD: unpacked, the launch is refused as such
// FAULTS: brief, all kernels make the same calls
// CARD-ERROR: CUDA_ERROR_INVALID_VALUE

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %x[%t] : memref<?xi32>
      gpu.return
    }
  }

  // RUN: host
  // ERROR: kernel 'k', block 0,0,0: launched with 32x1x1 threads, but it says that its blocks have 64x1x1
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %x = gpu.alloc(%c64) : memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x : memref<?xi32>)
    gpu.dealloc %x : memref<?xi32>
    return
  }
}
