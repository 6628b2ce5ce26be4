// Values whose payload is a token or a value: the storage owns the reference,
// and gives it back when the outer value dies, read or not.
// MATRIX: ours-on-ours ours-on-upstream, upstream's lowering counts no reference for a payload

// RUN: workers valgrind
// CHECK: inner: 5
// CHECK: done
func.func @main() {
  %five = arith.constant 5 : i64

  // MLIR's verifier lets no region yield a value as a payload; it can be put
  // there.
  %outer = async.runtime.create : !async.value<!async.value<i64>>
  %t0, %v = async.execute -> !async.value<i64> {
    async.yield %five : i64
  }
  async.runtime.store %v, %outer : !async.value<!async.value<i64>>
  async.runtime.set_available %outer : !async.value<!async.value<i64>>
  %inner = async.await %outer : !async.value<!async.value<i64>>
  %x = async.await %inner : !async.value<i64>
  vector.print str "inner: "
  vector.print %x : i64

  %u, %done = async.execute -> !async.value<!async.token> {
    %ti = async.execute {
      async.yield
    }
    async.yield %ti : !async.token
  }
  %token = async.await %done : !async.value<!async.token>
  async.await %token : !async.token

  // Nobody reads this one.
  %w, %unread = async.execute -> !async.value<!async.token> {
    async.yield %token : !async.token
  }
  async.await %w : !async.token
  vector.print str "done\n"
  return
}
