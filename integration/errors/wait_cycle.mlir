// Two regions that wait for each other, by way of tokens that each would make
// ready afterwards.
// CARD: unpacked, no device is used
// MATRIX: upstream-on-ours, a standstill as ours has its place
// UPSTREAM-ERROR: {{\A}}error: {{.*}} and nothing is left that could {{.*\n}}note: 

// RUN: workers not=thread
// ERROR: wait_cycle.mlir:[[@LINE+17]]:3: error: the program cannot go on: every thread is idle, and nothing is left that could end a wait
// ERROR: wait_cycle.mlir:[[@LINE+12]]:5: note: a suspended region waits for token 1
// ERROR: wait_cycle.mlir:[[@LINE+6]]:5: note: a suspended region waits for token 2
// ERROR: wait_cycle.mlir:[[@LINE+14]]:3: note: the main thread waits for token {{[0-9]+}}
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
