// An error that reaches an await outside any region ends the program: exit
// status 1 and one message, where upstream aborts. Dependents do not run.

func.func @main() {
  %false = arith.constant false
  %t = async.execute {
    cf.assert %false, "it is false"
    async.yield
  }
  %u = async.execute [%t] {
    vector.print str "not reached\n"
    async.yield
  }
  async.await %u : !async.token
  vector.print str "not reached\n"
  return
}
