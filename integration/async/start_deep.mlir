// Regions that start where they are spawned lie on top of each other on the
// stack, each a level deeper: it has an end, the recursion has not.

func.func private @down(%n: i64) -> !async.value<i64> {
  %token, %value = async.execute -> !async.value<i64> {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %last = arith.cmpi eq, %n, %zero : i64
    %depth = scf.if %last -> i64 {
      scf.yield %zero : i64
    } else {
      %below = arith.subi %n, %one : i64
      %v = func.call @down(%below) : (i64) -> !async.value<i64>
      %d = async.await %v : !async.value<i64>
      %deeper = arith.addi %d, %one : i64
      scf.yield %deeper : i64
    }
    async.yield %depth : i64
  }
  return %value : !async.value<i64>
}

// RUN: few-workers ahead-of-time not=sanitizer
// CHECK: 1000000
func.func @main() {
  %n = arith.constant 1000000 : i64
  %v = call @down(%n) : (i64) -> !async.value<i64>
  %depth = async.await %v : !async.value<i64>
  vector.print %depth : i64
  return
}
