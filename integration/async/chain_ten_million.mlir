// A chain of ten million regions: neither stack nor memory grow with it.
// CARD: unpacked, no device is used

// RUN: few-workers ahead-of-time peak-mib=64 seconds=120 not=sanitizer
// CHECK: done
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10000000 : index
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
