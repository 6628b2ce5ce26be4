// The same pending token, group and value are awaited twice by one region, and
// by other regions as well. Upstream's runtime deadlocks on itself there: it
// runs the region's rest while it still holds the lock of the token.
// MATRIX: ours-on-ours upstream-on-ours, upstream's runtime resumes a region under the lock of the token, which the region then awaits again

func.func private @usleep(i32) -> i32

// RUN: workers valgrind
// CHECK: sum: 14
func.func @main() {
  %c1 = arith.constant 1 : index
  %us = arith.constant 50000 : i32
  %seven = arith.constant 7 : i64

  %h, %v = async.execute -> !async.value<i64> {
    %r = func.call @usleep(%us) : (i32) -> i32
    async.yield %seven : i64
  }
  %g = async.create_group %c1 : !async.group
  %rank = async.add_to_group %h, %g : !async.token

  %t1 = async.execute {
    async.await %h : !async.token
    async.await %h : !async.token
    async.yield
  }
  %t2 = async.execute {
    async.await_all %g
    async.await_all %g
    async.yield
  }
  %t3, %sum = async.execute -> !async.value<i64> {
    %a = async.await %v : !async.value<i64>
    %b = async.await %v : !async.value<i64>
    %s = arith.addi %a, %b : i64
    async.yield %s : i64
  }
  async.await %t1 : !async.token
  async.await %t2 : !async.token
  %s = async.await %sum : !async.value<i64>
  async.await %h : !async.token
  async.await_all %g
  vector.print str "sum: "
  vector.print %s : i64
  return
}
