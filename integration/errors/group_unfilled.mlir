// A group that is given fewer members than it was created for, and awaited by
// a region: nothing is left that could add the others. Upstream waits for good.
// CARD: unpacked, no device is used
// MATRIX: upstream-on-ours, a standstill as ours has its place
// UPSTREAM-ERROR: {{\A}}error: {{.*}} and nothing is left that could {{.*\n}}note: 

// RUN: workers not=thread
// CHECK: waiting
// ERROR: group_unfilled.mlir:[[@LINE+12]]:5: error: a group created for 3 members has 2, and nothing is left that could add more
// ERROR: group_unfilled.mlir:[[@LINE+11]]:5: note: a suspended region waits for group 1 (declared: 3 members, added: 2, complete: 2)
// ERROR: group_unfilled.mlir:[[@LINE+13]]:3: note: the main thread waits for token {{[0-9]+}}
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
