// Four blocks in clusters of three.

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
