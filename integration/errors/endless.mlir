// A kernel that waits for what nobody does.

// RUN: @endless EMU_KERNEL_SECONDS=1 endless
// ERROR: endless.mlir:[[@LINE+9]]:3: error: kernel 'endless_kernel' with grid 1x1x1, block 1x1x1 has run for 1 s without ending, the limit that ASYNC_GPU_EMU_KERNEL_SECONDS sets
// RUN: @endless EMU_CHECK=races EMU_KERNEL_SECONDS=1 endless
// ERROR: endless.mlir:[[@LINE+7]]:3: error: kernel 'endless_kernel' with grid 1x1x1, block 1x1x1 has run for 1 s without ending; ASYNC_GPU_EMU_CHECK=races runs one kernel {{.*}}, the limit that ASYNC_GPU_EMU_KERNEL_SECONDS sets
func.func @endless() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<1xi32>
  gpu.memset %d, %zero : memref<1xi32>, i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.while : () -> () {
      %seen = memref.atomic_rmw ori %zero, %d[%c0] : (i32, memref<1xi32>) -> i32
      %more = arith.cmpi eq, %seen, %zero : i32
      scf.condition(%more)
    } do {
      scf.yield
    }
    gpu.terminator
  }
  gpu.wait
  gpu.dealloc %d : memref<1xi32>
  vector.print str "the program must not get here\n"
  return
}
