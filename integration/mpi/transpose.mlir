// A matrix is spread by rows; each rank sends each other one the block of its
// columns, and has the transposed rows then. The blocks are sent as they lie,
// and received as columns: no element is copied by the program.

func.func private @printI64(i64)
func.func private @printNewline()

!block = memref<?x?xi64, strided<[?, 1], offset: ?>>
!turned = memref<?x?xi64, strided<[1, ?], offset: ?>>

func.func @fill(%rows: memref<?x?xi64>, %first: index, %all: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = memref.dim %rows, %c0 : memref<?x?xi64>
  scf.for %i = %c0 to %count step %c1 {
    scf.for %k = %c0 to %all step %c1 {
      %row = arith.addi %first, %i : index
      %base = arith.muli %row, %all : index
      %number = arith.addi %base, %k : index
      %value = arith.index_cast %number : index to i64
      memref.store %value, %rows[%i, %k] : memref<?x?xi64>
    }
  }
  return
}

// How many elements of the rows are not those of the transposed matrix.
func.func @wrong(%rows: memref<?x?xi64>, %first: index, %all: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %count = memref.dim %rows, %c0 : memref<?x?xi64>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so = %zero) -> i64 {
    %inner = scf.for %k = %c0 to %all step %c1 iter_args(%far = %so) -> i64 {
      %row = arith.addi %first, %i : index
      %base = arith.muli %k, %all : index
      %number = arith.addi %base, %row : index
      %expected = arith.index_cast %number : index to i64
      %value = memref.load %rows[%i, %k] : memref<?x?xi64>
      %differs = arith.cmpi ne, %value, %expected : i64
      %one = arith.extui %differs : i1 to i64
      %more = arith.addi %far, %one : i64
      scf.yield %more : i64
    }
    scf.yield %inner : i64
  }
  return %sum : i64
}

// RUN: ranks=1,2,4,7
// RUN: ranks=4 shim:SEED=3|8 NUM_THREADS=2
// RUN: ranks=4 shim:THREADS=1
// CHECK: 0
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // 28 rows of 28 are 28, 14, 7 and 4 for each.
  %all = arith.constant 28 : index
  %ranks = arith.index_cast %size : i32 to index
  %own = arith.index_cast %rank : i32 to index
  %count = arith.divui %all, %ranks : index
  %first = arith.muli %own, %count : index
  %rows = memref.alloc(%count, %all) : memref<?x?xi64>
  %columns = memref.alloc(%count, %all) : memref<?x?xi64>
  func.call @fill(%rows, %first, %all) : (memref<?x?xi64>, index, index) -> ()

  %parts = arith.addi %ranks, %ranks : index
  %group = async.create_group %parts : !async.group
  scf.for %peer = %c0 to %ranks step %c1 {
    %to = arith.index_cast %peer : index to i32
    %at = arith.muli %peer, %count : index
    %tag = arith.constant 0 : i32
    %in = async.execute {
      %place = memref.subview %columns[0, %at] [%count, %count] [1, 1]
          : memref<?x?xi64> to !block
      %turned = memref.transpose %place (i, j) -> (j, i)
          : !block to !turned
      mpi.recv(%turned, %tag, %to, %world) : !turned, i32, i32
      async.yield
    }
    %out = async.execute {
      %block = memref.subview %rows[0, %at] [%count, %count] [1, 1]
          : memref<?x?xi64> to !block
      mpi.send(%block, %tag, %to, %world) : !block, i32, i32
      async.yield
    }
    async.add_to_group %in, %group : !async.token
    async.add_to_group %out, %group : !async.token
  }
  async.await_all %group

  %wrong = func.call @wrong(%columns, %first, %all)
      : (memref<?x?xi64>, index, index) -> i64
  %mine = memref.alloc() : memref<i64>
  %sum = memref.alloc() : memref<i64>
  memref.store %wrong, %mine[] : memref<i64>
  mpi.allreduce(%mine, %sum, MPI_SUM, %world) : memref<i64>, memref<i64>
  %i0 = arith.constant 0 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    %total = memref.load %sum[] : memref<i64>
    func.call @printI64(%total) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %mine : memref<i64>
  memref.dealloc %sum : memref<i64>
  memref.dealloc %rows : memref<?x?xi64>
  memref.dealloc %columns : memref<?x?xi64>
  mpi.finalize
  return
}
