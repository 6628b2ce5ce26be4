// An error that reaches an await outside any region ends the program: exit
// status 1 and one message, where upstream aborts. Dependents do not run.
// CARD: unpacked, no device is used
// MATRIX: upstream-on-ours, ours does not abort
// UPSTREAM-ABORT: error: an asynchronous operation failed{{\n}}note: the program awaited this

// RUN: workers
// ERROR: awaited.mlir:[[@LINE+4]]:5: error: assertion failed: it is false
func.func @main() {
  %false = arith.constant false
  %t = async.execute {
    cf.assert %false, "it is false"
    async.yield
  }
  %u = async.execute [%t] {
    vector.print str "not reached\n"
    async.yield
  }
  async.await %u : !async.token
  vector.print str "not reached\n"
  return
}
