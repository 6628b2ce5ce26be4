// A function that fails before it adds to its caller's group: the error comes
// first, and what is waited for in vain because of it in notes.

func.func private @add(%g: !async.group, %ok: i1) {
  cf.assert %ok, "nothing to add"
  %t = async.execute { async.yield }
  async.add_to_group %t, %g : !async.token
  return
}

// RUN: host
// ERROR: group_helper.mlir:[[@LINE-7]]:3: error: {{.*}}nothing to add
// ERROR: group_helper.mlir:[[@LINE+12]]:3: note: a group created for 2 members has 1, and nothing is left that could add more
// ERROR: ...
func.func @main() {
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %g = async.create_group %c2 : !async.group
  %r = async.execute {
    func.call @add(%g, %true) : (!async.group, i1) -> ()
    func.call @add(%g, %false) : (!async.group, i1) -> ()
    async.yield
  }
  async.await_all %g
  async.await %r : !async.token
  return
}
