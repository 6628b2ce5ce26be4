// A kernel that fails takes its device along: what it was given has been freed.
// The region behind it does not run, nor does any other work of the device; the
// message is about the kernel.
// CARD: unpacked, it may go unnoticed
// CARD-ERROR: CUDA_ERROR_ILLEGAL_ADDRESS
// RUN: failing
// ERROR: sticky.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}a kernel parameter points to freed device memory: {{.*}}, in the launch of kernel 'main_kernel' with grid 2x1x1, block 1x1x1 at {{.*}}sticky.mlir:[[@LINE+9]]:5
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %t = async.execute {
    %d = gpu.alloc() : memref<4xi32>
    gpu.dealloc %d : memref<4xi32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %one, %d[%bx] : memref<4xi32>
      gpu.terminator
    }
    async.yield
  }
  %u = async.execute [%t] {
    %e = gpu.alloc() : memref<4xi32>
    gpu.memset %e, %one : memref<4xi32>, i32
    gpu.dealloc %e : memref<4xi32>
    async.yield
  }
  async.await %u : !async.token
  vector.print %one : i32
  return
}
