// A program whose kernel is called NAME, which endless.test makes long.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @NAME(%memory: memref<4xi32>) kernel {
      %i = gpu.thread_id x
      %seven = arith.constant 7 : i32
      memref.store %seven, %memory[%i] : memref<4xi32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %memory = gpu.alloc () : memref<4xi32>
    gpu.launch_func @kernels::@NAME blocks in (%c1, %c1, %c1)
      threads in (%c4, %c1, %c1) args(%memory : memref<4xi32>)
    %host = memref.alloc() : memref<4xi32>
    gpu.memcpy %host, %memory : memref<4xi32>, memref<4xi32>
    gpu.dealloc %memory : memref<4xi32>
    %value = memref.load %host[%c0] : memref<4xi32>
    vector.print %value : i32
    memref.dealloc %host : memref<4xi32>
    return
  }
}
