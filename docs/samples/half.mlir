// A kernel doubles all of a buffer of which half is filled.
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @double(%d: memref<8xi32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %d[%i] : memref<8xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %d[%i] : memref<8xi32>
    gpu.return
  }
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %d = gpu.alloc() : memref<8xi32>
  %front = memref.subview %d[0] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  gpu.memset %front, %one : memref<4xi32, strided<[1]>>, i32
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1)
      threads in (%c8, %c1, %c1) args(%d : memref<8xi32>)
  gpu.dealloc %d : memref<8xi32>
  return
}
}
