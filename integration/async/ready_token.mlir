// A token that is ready is awaited a million times in a row, in a region and in
// a function. Without optimisation, upstream's coroutine resumes itself inside
// each await and overflows the stack.
// MATRIX: ours-on-ours ours-on-upstream, upstream's lowering has no loops with awaits in them

// RUN: workers -O0
// CHECK: awaits: 1000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %h = async.execute { async.yield }
  async.await %h : !async.token
  %t, %v = async.execute -> !async.value<index> {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> index {
      async.await %h : !async.token
      %y = arith.addi %x, %c1 : index
      scf.yield %y : index
    }
    async.yield %last : index
  }
  scf.for %i = %c0 to %n step %c1 {
    async.await %h : !async.token
  }
  %count = async.await %v : !async.value<index>
  vector.print str "awaits: "
  vector.print %count : index
  return
}
