// Regions that end hand on to what awaits them, on the same thread, while
// regions from other threads come in between and wait for some of it.

async.func @tree(%n: index) -> !async.token {
  %c1 = arith.constant 1 : index
  %big = arith.cmpi ugt, %n, %c1 : index
  scf.if %big {
    %half = arith.shrui %n, %c1 : index
    %left = async.execute {
      %t = async.call @tree(%half) : (index) -> !async.token
      async.await %t : !async.token
      async.yield
    }
    %right = async.call @tree(%half) : (index) -> !async.token
    async.await %left : !async.token
    async.await %right : !async.token
  }
  return
}

func.func @blocks() {
  %n = arith.constant 2 : index
  %t = async.call @tree(%n) : (index) -> !async.token
  async.await %t : !async.token
  return
}

func.func @spawns_and_blocks() -> i64 {
  %one = arith.constant 1 : i64
  %t, %v = async.execute -> !async.value<i64> {
    async.yield %one : i64
  }
  %x = async.await %v : !async.value<i64>
  %u, %w = async.execute [%t] -> !async.value<i64> {
    %y = arith.addi %x, %one : i64
    async.yield %y : i64
  }
  %y = async.await %w : !async.value<i64>
  return %y : i64
}

// RUN: workers
// CHECK: trees: 10
// CHECK: sum: 200
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c100 = arith.constant 100 : index
  %c1024 = arith.constant 1024 : index

  scf.for %i = %c0 to %c10 step %c1 {
    %a = async.call @tree(%c1024) : (index) -> !async.token
    %b = async.execute {
      func.call @blocks() : () -> ()
      async.yield
    }
    async.await %b : !async.token
    async.await %a : !async.token
  }
  vector.print str "trees: 10\n"

  %sums = memref.alloc() : memref<100xi64>
  %g = async.create_group %c100 : !async.group
  scf.for %i = %c0 to %c100 step %c1 {
    %t = async.execute {
      %y = func.call @spawns_and_blocks() : () -> i64
      memref.store %y, %sums[%i] : memref<100xi64>
      async.yield
    }
    %r = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%s = %zero) -> i64 {
    %y = memref.load %sums[%i] : memref<100xi64>
    %next = arith.addi %s, %y : i64
    scf.yield %next : i64
  }
  memref.dealloc %sums : memref<100xi64>
  vector.print str "sum: "
  vector.print %sum : i64
  return
}
