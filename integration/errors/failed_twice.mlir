// Two calls of an async function fail alike on the program's own thread. It asks
// about the second alone: the first is reported.
// CARD: unpacked, no device is used

async.func @fails(%value: i64) -> (!async.token, !async.value<i64>) {
  %zero = arith.constant 0 : i64
  %positive = arith.cmpi sgt, %value, %zero : i64
  cf.assert %positive, "it is not positive"
  return %value : i64
}

// RUN: workers
// CHECK: 1
// ERROR: failed_twice.mlir:[[@LINE-6]]:3: error: assertion failed: it is not positive
func.func @main() {
  %zero = arith.constant 0 : i64
  %t0, %v0 = async.call @fails(%zero) : (i64) -> (!async.token, !async.value<i64>)
  %t1, %v1 = async.call @fails(%zero) : (i64) -> (!async.token, !async.value<i64>)
  %failed = async.runtime.is_error %v1 : !async.value<i64>
  vector.print %failed : i1
  return
}
