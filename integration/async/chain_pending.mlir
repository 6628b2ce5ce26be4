// A chain of a million regions that all wait for the first: when it is done,
// they run one after the other in constant stack. Upstream resumes each inside
// the one before, and overflows the stack at about 110,000.

// RUN: few-workers ahead-of-time peak-mib=512
// CHECK: done
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %head = async.runtime.create : !async.token
  %last = scf.for %i = %c0 to %n step %c1
      iter_args(%previous = %head) -> (!async.token) {
    %t = async.execute [%previous] { async.yield }
    scf.yield %t : !async.token
  }
  async.runtime.set_available %head : !async.token
  async.await %last : !async.token
  vector.print str "done\n"
  return
}
