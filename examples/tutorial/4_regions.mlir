// The tutorial's fourth step (docs/tutorial.md): regions say what belongs together, and
// tokens what is behind what. The host adds up what it expects while the device
// computes; a third region, behind both, compares.
//
// Run it: scripts/run.sh examples/tutorial/4_regions.mlir

// RUN: device
// CHECK: sum: 333328333650000
// CHECK: expected: 333328333650000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c400 = arith.constant 400 : index
  %c250 = arith.constant 250 : index
  %c100000 = arith.constant 100000 : index
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<100000xi64>

  // The device: out[i] = i * i + 3
  %computed = async.execute {
    %d = gpu.alloc() : memref<100000xi64>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c400, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c250, %sy = %c1, %sz = %c1) {
      %three = arith.constant 3 : i64
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = arith.index_cast %i : index to i64
      %square = arith.muli %x, %x : i64
      %y = arith.addi %square, %three : i64
      memref.store %y, %d[%i] : memref<100000xi64>
      gpu.terminator
    }
    gpu.memcpy %out, %d : memref<100000xi64>, memref<100000xi64>
    gpu.dealloc %d : memref<100000xi64>
    async.yield
  }

  // The host, beside it: the same sum without the array.
  %added, %expected = async.execute -> !async.value<i64> {
    %three = arith.constant 3 : i64
    %sum = scf.for %i = %c0 to %c100000 step %c1 iter_args(%acc = %zero) -> i64 {
      %x = arith.index_cast %i : index to i64
      %square = arith.muli %x, %x : i64
      %y = arith.addi %square, %three : i64
      %next = arith.addi %acc, %y : i64
      scf.yield %next : i64
    }
    async.yield %sum : i64
  }

  // The host, behind both.
  %compared = async.execute [%computed] (%expected as %e: !async.value<i64>) {
    %sum = scf.for %i = %c0 to %c100000 step %c1 iter_args(%acc = %zero) -> i64 {
      %y = memref.load %out[%i] : memref<100000xi64>
      %next = arith.addi %acc, %y : i64
      scf.yield %next : i64
    }
    vector.print str "sum: "
    vector.print %sum : i64
    vector.print str "expected: "
    vector.print %e : i64
    async.yield
  }
  async.await %compared : !async.token
  memref.dealloc %out : memref<100000xi64>
  return
}
