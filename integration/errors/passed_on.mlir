// An error that regions pass on, and that reaches nobody: the program has not
// done what it says, and its end tells.
// CARD: unpacked, no device is used

// RUN: workers
// RUN: few-workers ahead-of-time
// CHECK: done
// ERROR: passed_on.mlir:[[@LINE+5]]:7: error: assertion failed: nobody is told
func.func @main() {
  %false = arith.constant false
  %outer = async.execute {
    %inner = async.execute {
      cf.assert %false, "nobody is told"
      async.yield
    }
    async.await %inner : !async.token
    async.yield
  }
  %size = arith.constant 1 : index
  %group = async.create_group %size : !async.group
  %behind, %value = async.execute [%outer] -> !async.value<i64> {
    %one = arith.constant 1 : i64
    async.yield %one : i64
  }
  %rank = async.add_to_group %value, %group : !async.value<i64>
  %last = async.execute {
    async.await_all %group
    async.yield
  }
  vector.print str "done\n"
  return
}
