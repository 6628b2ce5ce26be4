// Regions that run where they are spawned, and such that would, but for an
// operand that is not ready, or has failed. Nobody can tell the difference.
// MATRIX: ours-on-ours ours-on-upstream, upstream's lowering releases the results of a region twice where one of several operands has failed

func.func private @increment(%m: memref<i64>) {
  %one = arith.constant 1 : i64
  %old = memref.load %m[] : memref<i64>
  %new = arith.addi %old, %one : i64
  memref.store %new, %m[] : memref<i64>
  return
}

// Adds two values behind a token, and counts; fails where the sum is negative.
func.func private @add(%t: !async.token, %v: !async.value<i64>,
                       %w: !async.value<i64>, %m: memref<i64>)
    -> (!async.token, !async.value<i64>) {
  %token, %sum = async.execute [%t]
      (%v as %x: !async.value<i64>, %w as %y: !async.value<i64>)
      -> !async.value<i64> {
    %zero = arith.constant 0 : i64
    %s = arith.addi %x, %y : i64
    %fine = arith.cmpi sge, %s, %zero : i64
    cf.assert %fine, "negative"
    func.call @increment(%m) : (memref<i64>) -> ()
    async.yield %s : i64
  }
  return %token, %sum : !async.token, !async.value<i64>
}

func.func private @value(%x: i64) -> !async.value<i64> {
  %token, %value = async.execute -> !async.value<i64> {
    async.yield %x : i64
  }
  return %value : !async.value<i64>
}

// RUN: workers valgrind
// RUN: few-workers ahead-of-time
// CHECK: 42
// CHECK: 86
// CHECK: 4
// CHECK: 0
// CHECK: 1
// CHECK: 1
// CHECK: 1
// CHECK: 1
// CHECK: 4
func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %none = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %forty = arith.constant 40 : i64
  %minus = arith.constant -100 : i64
  %m = memref.alloc() : memref<i64>
  memref.store %none, %m[] : memref<i64>
  %a = call @value(%two) : (i64) -> !async.value<i64>
  %b = call @value(%forty) : (i64) -> !async.value<i64>
  %c = call @value(%minus) : (i64) -> !async.value<i64>
  %ready = async.execute { async.yield }

  // All is ready: so is what it gives.
  %t0, %v0 = call @add(%ready, %a, %b, %m) : (!async.token, !async.value<i64>,
      !async.value<i64>, memref<i64>) -> (!async.token, !async.value<i64>)
  %x0 = async.await %v0 : !async.value<i64>
  vector.print %x0 : i64

  // Behind a gate: a chain of three, one of which waits for two others.
  %gate = async.runtime.create : !async.token
  %t1, %v1 = call @add(%gate, %a, %b, %m) : (!async.token, !async.value<i64>,
      !async.value<i64>, memref<i64>) -> (!async.token, !async.value<i64>)
  %t2, %v2 = call @add(%t1, %v1, %a, %m) : (!async.token, !async.value<i64>,
      !async.value<i64>, memref<i64>) -> (!async.token, !async.value<i64>)
  %t3, %v3 = call @add(%ready, %v1, %v2, %m) : (!async.token, !async.value<i64>,
      !async.value<i64>, memref<i64>) -> (!async.token, !async.value<i64>)
  %group = async.create_group %c3 : !async.group
  %r1 = async.add_to_group %t1, %group : !async.token
  %r2 = async.add_to_group %t2, %group : !async.token
  %r3 = async.add_to_group %t3, %group : !async.token
  async.runtime.set_available %gate : !async.token
  async.await_all %group
  %x3 = async.await %v3 : !async.value<i64>
  vector.print %x3 : i64
  %count = memref.load %m[] : memref<i64>
  vector.print %count : i64

  // It fails where it is spawned, and what depends on it fails there too.
  %t4, %v4 = call @add(%ready, %a, %c, %m) : (!async.token, !async.value<i64>,
      !async.value<i64>, memref<i64>) -> (!async.token, !async.value<i64>)
  %t5, %v5 = call @add(%t4, %a, %b, %m) : (!async.token, !async.value<i64>,
      !async.value<i64>, memref<i64>) -> (!async.token, !async.value<i64>)
  // A region sets its token's error before its values': who awaits the token,
  // or what depends on it, has not awaited the values.
  async.runtime.await %t0 : !async.token
  async.runtime.await %t4 : !async.token
  async.runtime.await %v4 : !async.value<i64>
  async.runtime.await %t5 : !async.token
  async.runtime.await %v5 : !async.value<i64>
  %e0 = async.runtime.is_error %t0 : !async.token
  %e4 = async.runtime.is_error %t4 : !async.token
  %f4 = async.runtime.is_error %v4 : !async.value<i64>
  %e5 = async.runtime.is_error %t5 : !async.token
  %f5 = async.runtime.is_error %v5 : !async.value<i64>
  vector.print %e0 : i1
  vector.print %e4 : i1
  vector.print %f4 : i1
  vector.print %e5 : i1
  vector.print %f5 : i1
  %after = memref.load %m[] : memref<i64>
  vector.print %after : i64
  memref.dealloc %m : memref<i64>
  return
}
