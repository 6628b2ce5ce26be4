// A token that is not ready yet and a group, each awaited twice by one region
// and by several.
// MATRIX: ours-on-ours upstream-on-ours, upstream's runtime resumes a region under the lock of the token, which the region then awaits again

// RUN: device
// CHECK: 79999200000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c100000 = arith.constant 100000 : index
  %zero = arith.constant 0 : i64
  %results = memref.alloc() : memref<8xi64>

  %slow, %value = async.execute -> !async.value<i64> {
    %s = scf.for %i = %c0 to %c100000 step %c1 iter_args(%acc = %zero) -> i64 {
      %x = arith.index_cast %i : index to i64
      %next = arith.addi %acc, %x : i64
      scf.yield %next : i64
    }
    async.yield %s : i64
  }
  %inner = async.create_group %c1 : !async.group
  %rank = async.add_to_group %slow, %inner : !async.token
  %group = async.create_group %c8 : !async.group
  scf.for %k = %c0 to %c8 step %c1 {
    %t = async.execute {
      async.await %slow : !async.token
      async.await %slow : !async.token
      async.await_all %inner
      async.await_all %inner
      %x = async.await %value : !async.value<i64>
      %y = async.await %value : !async.value<i64>
      %both = arith.addi %x, %y : i64
      memref.store %both, %results[%k] : memref<8xi64>
      async.yield
    }
    %r = async.add_to_group %t, %group : !async.token
  }
  async.await_all %group
  async.await_all %group

  // 8 * 2 * 4999950000
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> i64 {
    %x = memref.load %results[%k] : memref<8xi64>
    %next = arith.addi %acc, %x : i64
    scf.yield %next : i64
  }
  vector.print %sum : i64
  memref.dealloc %results : memref<8xi64>
  return
}
