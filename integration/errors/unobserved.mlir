// A region fails and nobody looks: the end of the program reports it, once.
// CARD: unpacked, no device is used

// RUN: workers
// RUN: few-workers ahead-of-time
// CHECK: main returns
// ERROR: unobserved.mlir:[[@LINE+5]]:5: error: assertion failed: nobody looks
func.func @main() {
  %false = arith.constant false
  %t, %v = async.execute -> !async.value<i64> {
    %x = arith.constant 1 : i64
    cf.assert %false, "nobody looks"
    async.yield %x : i64
  }
  vector.print str "main returns\n"
  return
}
