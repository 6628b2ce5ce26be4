// A token that nothing makes ready, awaited by a plain function in a region.
// CARD: unpacked, no device is used
// MATRIX: upstream-on-ours, a standstill as ours has its place
// UPSTREAM-ERROR: {{\A}}error: {{.*}} and nothing is left that could {{.*\n}}note: 

func.func @wait(%t: !async.token) {
  async.await %t : !async.token
  return
}

// RUN: workers not=thread
// ERROR: token_never.mlir:[[@LINE+9]]:3: error: the program cannot go on: every thread is idle, and nothing is left that could end a wait
// ERROR: token_never.mlir:[[@LINE-6]]:3: note: a function called from a region waits for token 1
// ERROR: token_never.mlir:[[@LINE+7]]:3: note: the main thread waits for token {{[0-9]+}}
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
