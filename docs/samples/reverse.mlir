// A block reverses 64 numbers, without the barrier that it takes.
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @reverse(%d: memref<64xi32>)
      workgroup(%buffer : memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %c63 = arith.constant 63 : index
    %i = gpu.thread_id x
    %j = arith.subi %c63, %i : index
    %x = memref.load %d[%i] : memref<64xi32>
    memref.store %x, %buffer[%i] : memref<64xi32, #gpu.address_space<workgroup>>
    %y = memref.load %buffer[%j] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %y, %d[%i] : memref<64xi32>
    gpu.return
  }
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %one : memref<64xi32>, i32
  gpu.launch_func @kernels::@reverse blocks in (%c1, %c1, %c1)
      threads in (%c64, %c1, %c1) args(%d : memref<64xi32>)
  gpu.dealloc %d : memref<64xi32>
  return
}
}
