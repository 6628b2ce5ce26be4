// An assertion fails in a region of the host; what depends on it does not run,
// the kernel of a region included.
// FAULTS: none, the host fails before any work is put on a device

// RUN: device
// ERROR: assert.mlir:[[@LINE+7]]:5: error: {{.*}}four is not less than three
func.func @main() {
  %c1 = arith.constant 1 : index
  %a = arith.constant 3 : i64
  %b = arith.constant 4 : i64
  %t0, %v = async.execute -> !async.value<i64> {
    %less = arith.cmpi slt, %b, %a : i64
    cf.assert %less, "four is not less than three"
    async.yield %a : i64
  }
  %t1 = async.execute (%v as %x: !async.value<i64>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      gpu.terminator
    }
    async.yield
  }
  %t2 = async.execute [%t1] {
    vector.print str "this region must not run\n"
    async.yield
  }
  async.await %t2 : !async.token
  vector.print str "the program must not get here\n"
  return
}
