// Regions call plain functions that spawn and await, to any depth: more threads
// wait than there are workers. Upstream deadlocks as soon as all of its workers
// wait.
// MATRIX: ours-on-ours upstream-on-ours, upstream's workers all wait in functions that regions call

func.func private @usleep(i32) -> i32

// 2^n leaves; each level waits for both halves of the next.
func.func @count(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %leaf = arith.cmpi eq, %n, %zero : i64
  %r = scf.if %leaf -> i64 {
    %us = arith.constant 100 : i32
    %x = func.call @usleep(%us) : (i32) -> i32
    scf.yield %one : i64
  } else {
    %m = arith.subi %n, %one : i64
    %t, %v = async.execute -> !async.value<i64> {
      %c = func.call @count(%m) : (i64) -> i64
      async.yield %c : i64
    }
    %right = func.call @count(%m) : (i64) -> i64
    %left = async.await %v : !async.value<i64>
    %s = arith.addi %left, %right : i64
    scf.yield %s : i64
  }
  return %r : i64
}

func.func private @helper() {
  %us = arith.constant 2000 : i32
  %r = call @usleep(%us) : (i32) -> i32
  %t = async.execute { async.yield }
  async.await %t : !async.token
  return
}

// RUN: workers valgrind
// CHECK: leaves: 64
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %g = async.create_group %c20 : !async.group
  scf.for %i = %c0 to %c20 step %c1 {
    %t = async.execute {
      func.call @helper() : () -> ()
      async.yield
    }
    %r = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  %n = arith.constant 6 : i64
  %leaves = call @count(%n) : (i64) -> i64
  vector.print str "leaves: "
  vector.print %leaves : i64
  return
}
