// A group that is given more members than it was created for: an error at the
// await. Upstream counts below zero, and waits for good or goes on early.
// CARD: unpacked, no device is used
// MATRIX: upstream-on-ours, ours does not abort
// UPSTREAM-ABORT: error: a group created for 1 members was given 2{{\n}}note: the program awaited this

// RUN: workers
// ERROR: group_overfull.mlir:[[@LINE+8]]:3: error: a group created for 1 members was given 2
func.func @main() {
  %c1 = arith.constant 1 : index
  %g = async.create_group %c1 : !async.group
  %t = async.execute { async.yield }
  %u = async.execute { async.yield }
  %r = async.add_to_group %t, %g : !async.token
  %s = async.add_to_group %u, %g : !async.token
  async.await_all %g
  vector.print str "not reached\n"
  return
}
