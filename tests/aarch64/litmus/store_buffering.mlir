// Two tasks that each mark their own word and then look at the other's: atomic
// operations of programs acquire and release, so that both sides are barriers.

// ORDER: left: ldaxr | stlxr | ldaxr | stlxr
// ORDER: exchange: ldaxr | stlxr

// --mcpu=neoverse-v2: the same in one instruction each.
// LSE: left: ldaddal | ldsetal|ldaddal
// LSE: exchange: casal|swpal

func.func @left(%own: memref<1xi64>, %other: memref<1xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %before = memref.atomic_rmw addi %one, %own[%c0] : (i64, memref<1xi64>) -> i64
  %seen = memref.atomic_rmw addi %zero, %other[%c0] : (i64, memref<1xi64>) -> i64
  return %seen : i64
}

func.func @exchange(%own: memref<1xi64>, %new: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %old = memref.generic_atomic_rmw %own[%c0] : memref<1xi64> {
  ^bb0(%current: i64):
    %next = arith.maxsi %current, %new : i64
    memref.atomic_yield %next : i64
  }
  return %old : i64
}
