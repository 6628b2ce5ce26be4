// A program for several chips.

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %x[%t] : memref<4xi32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = gpu.alloc () : memref<4xi32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>)
    gpu.dealloc %x : memref<4xi32>
    return
  }
}
