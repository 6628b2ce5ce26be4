// Regions in regions, a thousand deep: each spawns the next and awaits it, in
// the region itself and in a plain function that the region calls.
// MATRIX: ours-on-ours upstream-on-ours, upstream's workers all wait in functions that regions call

func.func @suspend(%n: i64) -> !async.value<i64> {
  %t, %v = async.execute -> !async.value<i64> {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %last = arith.cmpi eq, %n, %zero : i64
    %r = scf.if %last -> i64 {
      scf.yield %zero : i64
    } else {
      %m = arith.subi %n, %one : i64
      %inner = func.call @suspend(%m) : (i64) -> !async.value<i64>
      %x = async.await %inner : !async.value<i64>
      %y = arith.addi %x, %one : i64
      scf.yield %y : i64
    }
    async.yield %r : i64
  }
  return %v : !async.value<i64>
}

func.func @block(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %last = arith.cmpi eq, %n, %zero : i64
  %r = scf.if %last -> i64 {
    scf.yield %zero : i64
  } else {
    %t, %v = async.execute -> !async.value<i64> {
      %m = arith.subi %n, %one : i64
      %x = func.call @block(%m) : (i64) -> i64
      async.yield %x : i64
    }
    %x = async.await %v : !async.value<i64>
    %y = arith.addi %x, %one : i64
    scf.yield %y : i64
  }
  return %r : i64
}

// RUN: workers
// CHECK: suspended: 1000
// CHECK: blocked: 1000
func.func @main() {
  %n = arith.constant 1000 : i64
  %v = call @suspend(%n) : (i64) -> !async.value<i64>
  %x = async.await %v : !async.value<i64>
  vector.print str "suspended: "
  vector.print %x : i64
  %y = call @block(%n) : (i64) -> i64
  vector.print str "blocked: "
  vector.print %y : i64
  return
}
