// For counting instructions: W1 and W2 from inside a task. With one worker all
// of it runs on one thread, one task after the other, while the thread that
// started it waits in a semaphore; so the count is the same in every run.

func.func private @bench_post()

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

func.func @start_fib(%n: i64, %result: memref<i64>)
    attributes {llvm.emit_c_interface} {
  %root = async.execute {
    %value = func.call @spawn(%n) : (i64) -> !async.value<i64>
    %sum = async.await %value : !async.value<i64>
    memref.store %sum, %result[] : memref<i64>
    func.call @bench_post() : () -> ()
    async.yield
  }
  return
}

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

func.func @start_fib_func(%n: i64, %result: memref<i64>)
    attributes {llvm.emit_c_interface} {
  %root = async.execute {
    %value = async.call @fib_coroutine(%n) : (i64) -> !async.value<i64>
    %sum = async.await %value : !async.value<i64>
    memref.store %sum, %result[] : memref<i64>
    func.call @bench_post() : () -> ()
    async.yield
  }
  return
}

func.func @start_fan_out(%n: i64, %result: memref<i64>)
    attributes {llvm.emit_c_interface} {
  %root = async.execute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %count = arith.index_cast %n : i64 to index
    %group = async.create_group %count : !async.group
    scf.for %i = %c0 to %count step %c1 {
      %token = async.execute {
        async.yield
      }
      %rank = async.add_to_group %token, %group : !async.token
    }
    async.await_all %group
    memref.store %n, %result[] : memref<i64>
    func.call @bench_post() : () -> ()
    async.yield
  }
  return
}
