// Four blocks in clusters of three.
// CARD-ERROR: CUDA_ERROR_INVALID_CLUSTER_SIZE

// RUN: device
// ERROR: cluster.mlir:[[@LINE+6]]:5: error: launch of kernel 'main_kernel' with clusters of 3x1x1, grid 4x1x1, block 1x1x1{{.*}}: a grid has 4 blocks in dimension x, which is no multiple of a cluster's 3
func.func @main() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %t = async.execute {
    gpu.launch clusters(%kx, %ky, %kz) in (%ax = %c3, %ay = %c1, %az = %c1)
               blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      gpu.terminator
    }
    async.yield
  }
  async.await %t : !async.token
  return
}
