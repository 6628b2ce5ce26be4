// 20 numbers go through 28 stages, which the ranks share: while a rank works on one,
// the next comes and the one before goes. The last rank adds them up.

func.func private @printI64(i64)
func.func private @printNewline()

// RUN: ranks=1,2,4,7
// RUN: ranks=4 shim:SEED=5 NUM_THREADS=1
// CHECK: 10957928
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %items = arith.constant 20 : index
  %stages = arith.constant 28 : index
  %nobody = arith.constant -3 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %last_rank = arith.subi %size, %i1 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  %is_last = arith.cmpi eq, %rank, %last_rank : i32
  %down = arith.subi %rank, %i1 : i32
  %up = arith.addi %rank, %i1 : i32
  // Nothing comes to the first rank, and what it has is its own.
  %previous = arith.select %is_first, %nobody, %down : i32
  %next = arith.select %is_last, %nobody, %up : i32
  %ranks = arith.index_cast %size : i32 to index
  %own = arith.divui %stages, %ranks : index
  %numbers = memref.alloc() : memref<20xi64>
  scf.for %i = %c0 to %items step %c1 {
    %value = arith.index_cast %i : index to i64
    memref.store %value, %numbers[%i] : memref<20xi64>
  }
  %group = async.create_group %items : !async.group
  scf.for %i = %c0 to %items step %c1 {
    %tag = arith.index_cast %i : index to i32
    %item = memref.subview %numbers[%i] [1] [1]
        : memref<20xi64> to memref<1xi64, strided<[1], offset: ?>>
    %done = async.execute {
      %three = arith.constant 3 : i64
      %one = arith.constant 1 : i64
      %prime = arith.constant 1000003 : i64
      mpi.recv(%item, %tag, %previous, %world)
          : memref<1xi64, strided<[1], offset: ?>>, i32, i32
      %before = memref.load %numbers[%i] : memref<20xi64>
      %after = scf.for %s = %c0 to %own step %c1
          iter_args(%x = %before) -> i64 {
        %threefold = arith.muli %x, %three : i64
        %more = arith.addi %threefold, %one : i64
        %rest = arith.remui %more, %prime : i64
        scf.yield %rest : i64
      }
      memref.store %after, %numbers[%i] : memref<20xi64>
      mpi.send(%item, %tag, %next, %world)
          : memref<1xi64, strided<[1], offset: ?>>, i32, i32
      async.yield
    }
    async.add_to_group %done, %group : !async.token
  }
  async.await_all %group
  scf.if %is_last {
    %zero = arith.constant 0 : i64
    %sum = scf.for %i = %c0 to %items step %c1 iter_args(%so = %zero) -> i64 {
      %value = memref.load %numbers[%i] : memref<20xi64>
      %more = arith.addi %so, %value : i64
      scf.yield %more : i64
    }
    func.call @printI64(%sum) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %numbers : memref<20xi64>
  mpi.finalize
  return
}
