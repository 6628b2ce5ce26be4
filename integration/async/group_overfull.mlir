// A group that is given more members than it was created for: an error at the
// await. Upstream counts below zero, and waits for good or goes on early.

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
