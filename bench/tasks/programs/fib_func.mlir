// W1 with async.func: a coroutine a call, which starts on the caller's thread.

async.func @fib_coroutine(%n: i64) -> !async.value<i64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %small = arith.cmpi slt, %n, %two : i64
  %result = scf.if %small -> i64 {
    scf.yield %n : i64
  } else {
    %below = arith.subi %n, %one : i64
    %second = arith.subi %n, %two : i64
    %a = async.call @fib_coroutine(%below) : (i64) -> !async.value<i64>
    %b = async.call @fib_coroutine(%second) : (i64) -> !async.value<i64>
    %x = async.await %a : !async.value<i64>
    %y = async.await %b : !async.value<i64>
    %sum = arith.addi %x, %y : i64
    scf.yield %sum : i64
  }
  return %result : i64
}

func.func @fib_func(%n: i64) -> i64 {
  %value = async.call @fib_coroutine(%n) : (i64) -> !async.value<i64>
  %result = async.await %value : !async.value<i64>
  return %result : i64
}
