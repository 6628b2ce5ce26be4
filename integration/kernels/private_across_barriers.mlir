// Memory of a thread's own keeps what it holds from one iteration to the next
// where a barrier stands between them, though no other code uses it. Thread t
// counts from t on, four times.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?xi32>) private(%p: memref<1xi32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      %t32 = arith.index_cast %t : index to i32
      scf.for %i = %c0 to %c4 step %c1 {
        %first = arith.cmpi eq, %i, %c0 : index
        scf.if %first {
          memref.store %t32, %p[%c0] : memref<1xi32, #gpu.address_space<private>>
        }
        %v = memref.load %p[%c0] : memref<1xi32, #gpu.address_space<private>>
        %next = arith.addi %v, %one : i32
        memref.store %next, %p[%c0] : memref<1xi32, #gpu.address_space<private>>
        memref.store %next, %out[%t] : memref<?xi32>
        gpu.barrier
      }
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: ( 4, 5, 6, 7, 8 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %out = gpu.alloc(%c5) : memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%c1, %c1, %c1) threads in (%c5, %c1, %c1)
        args(%out : memref<?xi32>)
    %h = memref.alloc(%c5) : memref<?xi32>
    gpu.memcpy %h, %out : memref<?xi32>, memref<?xi32>
    %v = vector.load %h[%c0] : memref<?xi32>, vector<5xi32>
    vector.print %v : vector<5xi32>
    memref.dealloc %h : memref<?xi32>
    gpu.dealloc %out : memref<?xi32>
    return
  }
}
