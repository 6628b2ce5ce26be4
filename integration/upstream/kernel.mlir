// A kernel as upstream embeds it runs on a CUDA device. The emulated one does
// not run PTX, and says so.

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_75">] {
    gpu.func @fill(%a: memref<?xi32>) kernel {
      %i = gpu.thread_id x
      %x = arith.index_cast %i : index to i32
      memref.store %x, %a[%i] : memref<?xi32>
      gpu.return
    }
  }
  // RUN: @main
  // ERROR: error: loading a module (the emulated device runs native code that
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %a = gpu.alloc host_shared (%c8) : memref<?xi32>
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1)
      threads in (%c8, %c1, %c1) args(%a : memref<?xi32>)
    scf.for %i = %c0 to %c8 step %c1 {
      %x = memref.load %a[%i] : memref<?xi32>
      vector.print %x : i32
    }
    return
  }
}
