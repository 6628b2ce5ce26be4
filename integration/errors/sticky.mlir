// A kernel that fails takes its device along: what it was given has been freed.
// The region behind it does not run, nor does any other work of the device; the
// message is about the kernel.
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
