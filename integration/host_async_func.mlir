// Asynchronous functions: called from main and from each other, with tokens and
// values as results.
// MATRIX: ours-on-ours ours-on-upstream upstream-on-ours upstream-on-upstream

async.func @square(%x: i64) -> !async.value<i64> {
  %y = arith.muli %x, %x : i64
  return %y : i64
}

async.func @sum_of_squares(%a: i64, %b: i64) -> (!async.token, !async.value<i64>) {
  %p = async.call @square(%a) : (i64) -> !async.value<i64>
  %q = async.call @square(%b) : (i64) -> !async.value<i64>
  %x = async.await %p : !async.value<i64>
  %y = async.await %q : !async.value<i64>
  %s = arith.addi %x, %y : i64
  return %s : i64
}

// RUN: device
// CHECK: 25
func.func @main() {
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %t, %v = async.call @sum_of_squares(%three, %four)
    : (i64, i64) -> (!async.token, !async.value<i64>)
  async.await %t : !async.token
  %r = async.await %v : !async.value<i64>
  vector.print %r : i64
  return
}
