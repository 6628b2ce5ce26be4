// A group that is given fewer members than it was created for, and awaited by
// a region: nothing is left that could add the others. Upstream waits for good.

func.func @main() {
  %c3 = arith.constant 3 : index
  %g = async.create_group %c3 : !async.group
  %t = async.execute { async.yield }
  %u = async.execute { async.yield }
  %r = async.add_to_group %t, %g : !async.token
  %s = async.add_to_group %u, %g : !async.token
  vector.print str "waiting\n"
  %o = async.execute {
    async.await_all %g
    async.yield
  }
  async.await %o : !async.token
  vector.print str "not reached\n"
  return
}
