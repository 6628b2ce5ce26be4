// Regions that call a function of which the program says that it does not block may
// run where they are spawned; they still run after what they depend on.

func.func private @printI64(i64) attributes {async_gpu.non_blocking}
func.func private @printNewline() attributes {async_gpu.non_blocking}

// RUN: schedules=200
// RUN: NUM_THREADS=1|2
// CHECK: 0
// CHECK: 1
// CHECK: 2
// CHECK: 3
// CHECK: 4
// CHECK: 5
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %begin = async.execute {
    async.yield
  }
  // All of them are there before the first may run.
  %gate = async.runtime.create : !async.token
  %last = scf.for %i = %c0 to %c6 step %c1 iter_args(%before = %gate) -> !async.token {
    %number = arith.index_cast %i : index to i64
    %token = async.execute [%before, %begin] {
      func.call @printI64(%number) : (i64) -> ()
      func.call @printNewline() : () -> ()
      async.yield
    }
    scf.yield %token : !async.token
  }
  async.runtime.set_available %gate : !async.token
  async.await %last : !async.token
  return
}
