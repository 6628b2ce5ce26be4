// Values through regions of the host: captured, yielded, combined, awaited,
// and made by a region inside a region.
// MATRIX: ours-on-ours ours-on-upstream upstream-on-ours upstream-on-upstream

// RUN: device
// CHECK: 21
// CHECK: 42
// CHECK: 52.5
// CHECK: 63
func.func @main() {
  %a = arith.constant 20 : i64
  %b = arith.constant 2.5 : f64

  // Captures %a; yields 21.
  %t0, %v0 = async.execute -> !async.value<i64> {
    %one = arith.constant 1 : i64
    %r = arith.addi %a, %one : i64
    async.yield %r : i64
  }
  // Two results of different types: 42 and 52.5.
  %t1, %v1, %w1 = async.execute [%t0] (%v0 as %x: !async.value<i64>)
      -> (!async.value<i64>, !async.value<f64>) {
    %two = arith.constant 2 : i64
    %r = arith.muli %x, %two : i64
    %f = arith.sitofp %x : i64 to f64
    %s = arith.mulf %f, %b : f64
    async.yield %r, %s : i64, f64
  }
  // A region inside: its value is awaited there, 42 + 21 = 63.
  %t2, %v2 = async.execute (%v1 as %x: !async.value<i64>)
      -> !async.value<i64> {
    %t, %inner = async.execute (%v0 as %y: !async.value<i64>)
        -> !async.value<i64> {
      %r = arith.addi %x, %y : i64
      async.yield %r : i64
    }
    %r = async.await %inner : !async.value<i64>
    async.yield %r : i64
  }
  %r0 = async.await %v0 : !async.value<i64>
  %r1 = async.await %v1 : !async.value<i64>
  %s1 = async.await %w1 : !async.value<f64>
  %r2 = async.await %v2 : !async.value<i64>
  vector.print %r0 : i64
  vector.print %r1 : i64
  vector.print %s1 : f64
  vector.print %r2 : i64
  return
}
