// No standstill: the token is made ready by a region that sleeps first, while
// everything else waits.
// MATRIX: ours-on-ours ours-on-upstream upstream-on-ours upstream-on-upstream

func.func private @usleep(i32) -> i32

// RUN: workers
// CHECK: done
func.func @main() {
  %us = arith.constant 400000 : i32
  %a = async.runtime.create : !async.token
  %t = async.execute {
    %r = func.call @usleep(%us) : (i32) -> i32
    async.runtime.set_available %a : !async.token
    async.yield
  }
  %u = async.execute {
    async.await %a : !async.token
    async.yield
  }
  async.await %a : !async.token
  async.await %u : !async.token
  vector.print str "done\n"
  return
}
