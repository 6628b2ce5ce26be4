// Thousands of messages are on their way at a time, on two workers: each
// region suspends at its own, and none holds a thread. They come in another
// order than they are waited for.

func.func private @printI64(i64)
func.func private @printNewline()

// RUN: ranks=2,4 NUM_THREADS=2
// CHECK: 4000
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4000 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  // Ranks in pairs.
  %partner = arith.xori %rank, %i1 : i32
  %to = memref.alloc(%n) : memref<?xi64>
  %from = memref.alloc(%n) : memref<?xi64>
  %received = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %tag = arith.index_cast %i : index to i32
    %in = async.execute {
      %place = memref.subview %to[%i] [1] [1]
          : memref<?xi64> to memref<1xi64, strided<[1], offset: ?>>
      mpi.recv(%place, %tag, %partner, %world)
          : memref<1xi64, strided<[1], offset: ?>>, i32, i32
      async.yield
    }
    async.add_to_group %in, %received : !async.token
  }
  // The last one first.
  %sent = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %last = arith.subi %n, %c1 : index
    %k = arith.subi %last, %i : index
    %tag = arith.index_cast %k : index to i32
    %value = arith.index_cast %k : index to i64
    memref.store %value, %from[%k] : memref<?xi64>
    %out = async.execute {
      %place = memref.subview %from[%k] [1] [1]
          : memref<?xi64> to memref<1xi64, strided<[1], offset: ?>>
      mpi.send(%place, %tag, %partner, %world)
          : memref<1xi64, strided<[1], offset: ?>>, i32, i32
      async.yield
    }
    async.add_to_group %out, %sent : !async.token
  }
  async.await_all %received
  async.await_all %sent
  %zero = arith.constant 0 : i64
  %right = scf.for %i = %c0 to %n step %c1 iter_args(%so = %zero) -> i64 {
    %expected = arith.index_cast %i : index to i64
    %value = memref.load %to[%i] : memref<?xi64>
    %same = arith.cmpi eq, %value, %expected : i64
    %one = arith.extui %same : i1 to i64
    %more = arith.addi %so, %one : i64
    scf.yield %more : i64
  }
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    func.call @printI64(%right) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %to : memref<?xi64>
  memref.dealloc %from : memref<?xi64>
  mpi.finalize
  return
}
