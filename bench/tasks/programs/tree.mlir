// W5: the sum of 0 .. n-1 by a tree of values: n leaves, and n - 1 tasks that
// each add the values of two others. One thread spawns all of them.

func.func private @sum(%from: i64, %to: i64) -> !async.value<i64> {
  %one = arith.constant 1 : i64
  %width = arith.subi %to, %from : i64
  %single = arith.cmpi eq, %width, %one : i64
  cf.cond_br %single, ^leaf, ^inner
^leaf:
  %token, %value = async.execute -> !async.value<i64> {
    async.yield %from : i64
  }
  return %value : !async.value<i64>
^inner:
  %half = arith.shrui %width, %one : i64
  %middle = arith.addi %from, %half : i64
  %left = func.call @sum(%from, %middle) : (i64, i64) -> !async.value<i64>
  %right = func.call @sum(%middle, %to) : (i64, i64) -> !async.value<i64>
  %token2, %both = async.execute
      (%left as %a: !async.value<i64>, %right as %b: !async.value<i64>)
      -> !async.value<i64> {
    %total = arith.addi %a, %b : i64
    async.yield %total : i64
  }
  return %both : !async.value<i64>
}

func.func @tree(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %value = call @sum(%none, %n) : (i64, i64) -> !async.value<i64>
  %result = async.await %value : !async.value<i64>
  return %result : i64
}

// The same with bodies that call a function of which the compiler knows nothing:
// it might block, so that each must be a task.
func.func private @bench_opaque()

func.func private @sum_opaque(%from: i64, %to: i64) -> !async.value<i64> {
  %one = arith.constant 1 : i64
  %width = arith.subi %to, %from : i64
  %single = arith.cmpi eq, %width, %one : i64
  cf.cond_br %single, ^leaf, ^inner
^leaf:
  %token, %value = async.execute -> !async.value<i64> {
    func.call @bench_opaque() : () -> ()
    async.yield %from : i64
  }
  return %value : !async.value<i64>
^inner:
  %half = arith.shrui %width, %one : i64
  %middle = arith.addi %from, %half : i64
  %left = func.call @sum_opaque(%from, %middle) : (i64, i64) -> !async.value<i64>
  %right = func.call @sum_opaque(%middle, %to) : (i64, i64) -> !async.value<i64>
  %token2, %both = async.execute
      (%left as %a: !async.value<i64>, %right as %b: !async.value<i64>)
      -> !async.value<i64> {
    func.call @bench_opaque() : () -> ()
    %total = arith.addi %a, %b : i64
    async.yield %total : i64
  }
  return %both : !async.value<i64>
}

func.func @tree_opaque(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %value = call @sum_opaque(%none, %n) : (i64, i64) -> !async.value<i64>
  %result = async.await %value : !async.value<i64>
  return %result : i64
}
