// A token that nothing makes ready, awaited by a plain function in a region.

func.func @wait(%t: !async.token) {
  async.await %t : !async.token
  return
}

func.func @main() {
  %t = async.runtime.create : !async.token
  %u = async.execute {
    func.call @wait(%t) : (!async.token) -> ()
    async.yield
  }
  async.await %u : !async.token
  vector.print str "not reached\n"
  return
}
