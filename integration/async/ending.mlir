// The entry point returns first; the program ends when its regions have.
// MATRIX: ours-on-ours ours-on-upstream upstream-on-ours upstream-on-upstream

func.func private @usleep(i32) -> i32

// RUN: workers valgrind
// RUN: few-workers ahead-of-time
// CHECK: main returns
// CHECK: a region ends
// CHECK: and the one behind it
func.func @main() {
  %us = arith.constant 100000 : i32
  %t = async.execute {
    %r = func.call @usleep(%us) : (i32) -> i32
    vector.print str "a region ends\n"
    async.yield
  }
  %u = async.execute [%t] {
    vector.print str "and the one behind it\n"
    async.yield
  }
  vector.print str "main returns\n"
  return
}
