// A number goes around: each rank waits for it in one region and passes it on
// in another, which a token puts behind the first. Rank 0 begins, and is its own
// neighbour where it is alone: then the send waits for the receive.

func.func private @printI64(i64)
func.func private @printNewline()

// RUN: ranks=1,2,4,7
// RUN: ranks=4 shim:SEED=3|8 NUM_THREADS=2
// RUN: ranks=3 shim:THREADS=1
// RUN: ranks=2 shim:INIT_MS=100
// CHECK: 1
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %laps = arith.constant 50 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %tag = arith.constant 7 : i32
  %up = arith.addi %rank, %i1 : i32
  %next = arith.remsi %up, %size : i32
  %around = arith.addi %rank, %size : i32
  %down = arith.subi %around, %i1 : i32
  %previous = arith.remsi %down, %size : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  %here = memref.alloc() : memref<i64>
  %there = memref.alloc() : memref<i64>
  %zero = arith.constant 0 : i64
  memref.store %zero, %here[] : memref<i64>

  scf.for %lap = %c0 to %laps step %c1 {
    // Rank 0 sends before it receives, and the others the other way round.
    %began = async.execute {
      scf.if %is_first {
        mpi.send(%here, %tag, %next, %world) : memref<i64>, i32, i32
      }
      async.yield
    }
    %came = async.execute {
      mpi.recv(%there, %tag, %previous, %world) : memref<i64>, i32, i32
      async.yield
    }
    %went = async.execute [%began, %came] {
      %number = memref.load %there[] : memref<i64>
      %own = arith.extsi %up : i32 to i64
      %sum = arith.addi %number, %own : i64
      memref.store %sum, %here[] : memref<i64>
      scf.if %is_first {
      } else {
        mpi.send(%here, %tag, %next, %world) : memref<i64>, i32, i32
      }
      async.yield
    }
    async.await %went : !async.token
  }

  scf.if %is_first {
    // laps * size * (size + 1) / 2
    %sum = memref.load %here[] : memref<i64>
    %size64 = arith.extsi %size : i32 to i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %fifty = arith.constant 50 : i64
    %more = arith.addi %size64, %one : i64
    %product = arith.muli %size64, %more : i64
    %lapped = arith.muli %product, %fifty : i64
    %expected = arith.divsi %lapped, %two : i64
    %same = arith.cmpi eq, %sum, %expected : i64
    %is_right = arith.extui %same : i1 to i64
    func.call @printI64(%is_right) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %here : memref<i64>
  memref.dealloc %there : memref<i64>
  mpi.finalize
  return
}
