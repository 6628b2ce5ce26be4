// Ten million regions in one group.
// CARD: unpacked, no device is used

// RUN: few-workers ahead-of-time peak-mib=64 seconds=120 not=sanitizer
// CHECK: done
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10000000 : index
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %t = async.execute {
      // What loops goes by the executor.
      scf.for %k = %c0 to %c1 step %c1 {
      }
      async.yield
    }
    %r = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  vector.print str "done\n"
  return
}
