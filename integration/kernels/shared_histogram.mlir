// A histogram in workgroup memory: 256 threads count into places, 64 of them
// into each of the first three, 32 into the next, 32 into the last.

#shared = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?xi32>)
        workgroup(%w: memref<256xi32, #shared>) kernel
        attributes {known_block_size = array<i32: 256, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      memref.store %zero, %w[%t] : memref<256xi32, #shared>
      gpu.barrier
      // Threads 0 to 223 go by their number, the others to place 7.
      %c224 = arith.constant 224 : index
      %c64 = arith.constant 64 : index
      %c7 = arith.constant 7 : index
      %early = arith.cmpi ult, %t, %c224 : index
      %own = arith.divui %t, %c64 : index
      %place = arith.select %early, %own, %c7 : index
      %old = memref.atomic_rmw addi %one, %w[%place]
          : (i32, memref<256xi32, #shared>) -> i32
      gpu.barrier
      %n = memref.load %w[%t] : memref<256xi32, #shared>
      memref.store %n, %out[%t] : memref<?xi32>
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: ( 64, 64, 64, 32, 0, 0, 0, 32 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %out = gpu.alloc(%c256) : memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%out : memref<?xi32>)
    %h = memref.alloc(%c256) : memref<?xi32>
    gpu.memcpy %h, %out : memref<?xi32>, memref<?xi32>
    %v = vector.load %h[%c0] : memref<?xi32>, vector<8xi32>
    vector.print %v : vector<8xi32>
    memref.dealloc %h : memref<?xi32>
    gpu.dealloc %out : memref<?xi32>
    return
  }
}
