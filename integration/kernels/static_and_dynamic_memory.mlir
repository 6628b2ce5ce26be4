// Workgroup memory of a fixed size and of one that the launch gives, each of less
// than 48 KiB, which take more together.

!buffer = memref<8192xi32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<256xi32>) workgroup(%w: !buffer) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i32
      %last = arith.constant 8191 : index
      %t = gpu.thread_id x
      %raw = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %x = memref.view %raw[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !buffer
      %i = arith.index_cast %t : index to i32
      %next = arith.addi %i, %c1 : i32
      %at = arith.subi %last, %t : index
      memref.store %i, %w[%at] : !buffer
      memref.store %next, %x[%at] : !buffer
      gpu.barrier
      %a = memref.load %w[%last] : !buffer
      %b = memref.load %x[%at] : !buffer
      %sum = arith.addi %a, %b : i32
      memref.store %sum, %out[%t] : memref<256xi32>
      gpu.return
    }
  }

  // Thread t writes 0 + (t + 1).
  // RUN: kernel
  // CHECK: 1
  // CHECK: 256
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c255 = arith.constant 255 : index
    %n = arith.constant 256 : index
    %bytes = arith.constant 32768 : i32
    %out = gpu.alloc host_shared () : memref<256xi32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        dynamic_shared_memory_size %bytes args(%out : memref<256xi32>)
    %first = memref.load %out[%c0] : memref<256xi32>
    %last = memref.load %out[%c255] : memref<256xi32>
    vector.print %first : i32
    vector.print %last : i32
    gpu.dealloc %out : memref<256xi32>
    return
  }
}
