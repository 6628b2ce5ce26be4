// Two regions that wait for each other, by way of tokens that each would make
// ready afterwards.

func.func @main() {
  %a = async.runtime.create : !async.token
  %b = async.runtime.create : !async.token
  %t = async.execute {
    async.await %b : !async.token
    async.runtime.set_available %a : !async.token
    async.yield
  }
  %u = async.execute {
    async.await %a : !async.token
    async.runtime.set_available %b : !async.token
    async.yield
  }
  async.await %t : !async.token
  async.await %u : !async.token
  vector.print str "not reached\n"
  return
}
