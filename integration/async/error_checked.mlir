// Errors that the program looks for: every second of a hundred regions fails,
// with a value of its own still under way; the group has failed, and so has a
// region that awaits the group. The program goes on.
// MATRIX: ours-on-ours ours-on-upstream upstream-on-ours upstream-on-upstream

func.func private @one(%i: i64) -> !async.token {
  %t = async.execute {
    %c1 = arith.constant 1 : i64
    %c0 = arith.constant 0 : i64
    %ti, %vi = async.execute -> !async.value<i64> { async.yield %i : i64 }
    %b = arith.andi %i, %c1 : i64
    %even = arith.cmpi eq, %b, %c0 : i64
    cf.assert %even, "odd"
    %x = async.await %vi : !async.value<i64>
    async.yield
  }
  return %t : !async.token
}

// RUN: workers valgrind
// CHECK: 1
// CHECK: 1
func.func @main() {
  %n = arith.constant 100 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %ii = arith.index_cast %i : index to i64
    %t = func.call @one(%ii) : (i64) -> !async.token
    %r = async.add_to_group %t, %g : !async.token
  }
  async.runtime.await %g : !async.group
  %e = async.runtime.is_error %g : !async.group
  vector.print %e : i1
  %t2 = async.execute {
    async.await_all %g
    async.yield
  }
  async.runtime.await %t2 : !async.token
  %e2 = async.runtime.is_error %t2 : !async.token
  vector.print %e2 : i1
  return
}
