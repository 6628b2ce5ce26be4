// Regions call a plain function that waits for what the main thread does after
// a wait of its own. Were the main thread to run one of them meanwhile, on top
// of its wait, neither would end.

func.func private @wait_for(%t: !async.token) {
  async.await %t : !async.token
  return
}

func.func private @usleep(i32) -> i32

// RUN: workers
// CHECK: the main thread went on
// CHECK: so did the regions
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %us = arith.constant 100000 : i32
  %late = async.runtime.create : !async.token
  %g = async.create_group %c40 : !async.group
  scf.for %i = %c0 to %c40 step %c1 {
    %t = async.execute {
      func.call @wait_for(%late) : (!async.token) -> ()
      async.yield
    }
    %r = async.add_to_group %t, %g : !async.token
  }
  %slow = async.execute {
    %r = func.call @usleep(%us) : (i32) -> i32
    async.yield
  }
  async.await %slow : !async.token
  vector.print str "the main thread went on\n"
  async.runtime.set_available %late : !async.token
  async.await_all %g
  vector.print str "so did the regions\n"
  return
}
