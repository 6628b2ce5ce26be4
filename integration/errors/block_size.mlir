// No device has blocks of 2048 threads: the launch fails, and what waits for
// it neither runs nor hangs.
// CARD-ERROR: CUDA_ERROR_INVALID_VALUE

// RUN: device
// ERROR: block_size.mlir:[[@LINE+8]]:5: error: {{.*}}kernel 'main_kernel'{{.*}}grid 3x1x1, block 2048x1x1{{.*}}: a block has 2048 threads in dimension x; it can have 1 to 1024
func.func @main() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0 : i32
  %t0, %v = async.execute -> !async.value<memref<1xi32>> {
    %d = gpu.alloc() : memref<1xi32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c2048, %sy = %c1, %sz = %c1) {
      %i = arith.constant 0 : index
      memref.store %zero, %d[%i] : memref<1xi32>
      gpu.terminator
    }
    async.yield %d : memref<1xi32>
  }
  %t1 = async.execute [%t0] {
    vector.print str "this region must not run\n"
    async.yield
  }
  async.await %t1 : !async.token
  vector.print str "the program must not get here\n"
  return
}
