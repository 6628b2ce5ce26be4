// A fill that should wait for the kernel, and does not: the region lacks its
// dependency on %t0.
// CARD: never, a race may go well
// FAULTS: none, its two streams may become one

// RUN: EMU_CHECK=races EMU_SEED=|1|2|3|4|5
// ERROR: race.mlir:{{[0-9:]+}}: error: race: nothing orders
// SAME: launch of kernel 'main_kernel' at {{.*}}race.mlir:[[@LINE+8]]:5, which writes
// SAME: fill at {{.*}}race.mlir:[[@LINE+17]]:10, which writes
func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %five = arith.constant 5 : i32
  %a = gpu.alloc() : memref<64xi32>
  %t0 = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
      %one = arith.constant 1 : i32
      memref.store %one, %a[%tx] : memref<64xi32>
      gpu.terminator
    }
    async.yield
  }
  %t1 = async.execute {
    %t = gpu.wait async
    %u = gpu.memset async [%t] %a, %five : memref<64xi32>, i32
    gpu.wait [%u]
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  gpu.dealloc %a : memref<64xi32>
  return
}
