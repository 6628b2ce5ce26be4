// W2: one thread spawns n empty tasks into a group and waits for all. The
// result is how many the group has taken.

func.func @fan_out(%n: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %count = arith.index_cast %n : i64 to index
  %group = async.create_group %count : !async.group
  %taken = scf.for %i = %c0 to %count step %c1 iter_args(%t = %none) -> i64 {
    %token = async.execute {
      async.yield
    }
    %rank = async.add_to_group %token, %group : !async.token
    %next = arith.addi %t, %one : i64
    scf.yield %next : i64
  }
  async.await_all %group
  return %taken : i64
}

// The same with bodies that call a function of which the compiler knows nothing:
// it might block, so that each must be a task.
func.func private @bench_opaque()

func.func @fan_out_opaque(%n: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %count = arith.index_cast %n : i64 to index
  %group = async.create_group %count : !async.group
  %taken = scf.for %i = %c0 to %count step %c1 iter_args(%t = %none) -> i64 {
    %token = async.execute {
      func.call @bench_opaque() : () -> ()
      async.yield
    }
    %rank = async.add_to_group %token, %group : !async.token
    %next = arith.addi %t, %one : i64
    scf.yield %next : i64
  }
  async.await_all %group
  return %taken : i64
}
