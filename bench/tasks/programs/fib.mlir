// W1: Fibonacci numbers, two tasks a call. fib(n) spawns 2 fib(n+1) - 1 tasks
// in all; each gives its result as a value, and suspends until it has those of
// the two below.

func.func private @spawn(%n: i64) -> !async.value<i64> {
  %token, %value = async.execute -> !async.value<i64> {
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %small = arith.cmpi slt, %n, %two : i64
    %result = scf.if %small -> i64 {
      scf.yield %n : i64
    } else {
      %below = arith.subi %n, %one : i64
      %second = arith.subi %n, %two : i64
      %a = func.call @spawn(%below) : (i64) -> !async.value<i64>
      %b = func.call @spawn(%second) : (i64) -> !async.value<i64>
      %x = async.await %a : !async.value<i64>
      %y = async.await %b : !async.value<i64>
      %sum = arith.addi %x, %y : i64
      scf.yield %sum : i64
    }
    async.yield %result : i64
  }
  return %value : !async.value<i64>
}

func.func @fib(%n: i64) -> i64 {
  %value = call @spawn(%n) : (i64) -> !async.value<i64>
  %result = async.await %value : !async.value<i64>
  return %result : i64
}
