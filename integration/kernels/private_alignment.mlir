// Memory of a thread's own that is aligned to more than a cache line, kept over a
// barrier: the low bits of its address, and what is in it.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?xi32>) kernel {
      %c1 = arith.constant 1 : index
      %c255 = arith.constant 255 : index
      %t = gpu.thread_id x
      %p = memref.alloca() {alignment = 256} : memref<2xindex>
      memref.store %t, %p[%c1] : memref<2xindex>
      gpu.barrier
      %v = memref.load %p[%c1] : memref<2xindex>
      %a = memref.extract_aligned_pointer_as_index %p : memref<2xindex> -> index
      %low = arith.andi %a, %c255 : index
      %sum = arith.addi %v, %low : index
      %n = arith.index_cast %sum : index to i32
      memref.store %n, %out[%t] : memref<?xi32>
      gpu.return
    }
    gpu.func @more(%out: memref<?xi32>) kernel {
      %c1 = arith.constant 1 : index
      %c1023 = arith.constant 1023 : index
      %t = gpu.thread_id x
      %p = memref.alloca() {alignment = 1024} : memref<2xindex>
      memref.store %t, %p[%c1] : memref<2xindex>
      gpu.barrier
      %v = memref.load %p[%c1] : memref<2xindex>
      %a = memref.extract_aligned_pointer_as_index %p : memref<2xindex> -> index
      %low = arith.andi %a, %c1023 : index
      %sum = arith.addi %v, %low : index
      %n = arith.index_cast %sum : index to i32
      memref.store %n, %out[%t] : memref<?xi32>
      gpu.return
    }
  }

  func.func @print(%out: memref<?xi32>) {
    %c0 = arith.constant 0 : index
    %c40 = arith.constant 40 : index
    %h = memref.alloc(%c40) : memref<?xi32>
    gpu.memcpy %h, %out : memref<?xi32>, memref<?xi32>
    %v = vector.load %h[%c0] : memref<?xi32>, vector<8xi32>
    vector.print %v : vector<8xi32>
    memref.dealloc %h : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: ( 0, 1, 2, 3, 4, 5, 6, 7 )
  // CHECK: ( 0, 1, 2, 3, 4, 5, 6, 7 )
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %out = gpu.alloc(%c40) : memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1)
        args(%out : memref<?xi32>)
    call @print(%out) : (memref<?xi32>) -> ()
    gpu.launch_func @kernels::@more
        blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1)
        args(%out : memref<?xi32>)
    call @print(%out) : (memref<?xi32>) -> ()
    gpu.dealloc %out : memref<?xi32>
    return
  }
}
