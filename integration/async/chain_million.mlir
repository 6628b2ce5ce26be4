// A chain of a million regions, each behind the one before: runs in a few
// megabytes, since the loop does not get far ahead of the regions.
// MATRIX: ours-on-ours, upstream's lowering has no tokens carried by loops, and its runtime resumes a region inside the one before

// RUN: few-workers ahead-of-time peak-mib=64
// CHECK: done
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %first = async.execute { async.yield }
  %last = scf.for %i = %c0 to %n step %c1
      iter_args(%previous = %first) -> (!async.token) {
    %t = async.execute [%previous] {
      // What loops goes by the executor.
      scf.for %k = %c0 to %c1 step %c1 {
      }
      async.yield
    }
    scf.yield %t : !async.token
  }
  async.await %last : !async.token
  vector.print str "done\n"
  return
}
