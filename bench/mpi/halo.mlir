// 100 rounds of an exchange between two ranks behind an interior of 3 ms. Prints
// the time of a round.

func.func private @compute_interior(i64)
func.func private @read_clock() -> f64
func.func private @report_round(f64)

func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 100 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %time = arith.constant 3000 : i64
  %peer = arith.xori %rank, %i1 : i32
  %from = memref.alloc() : memref<1024xf32>
  %to = memref.alloc() : memref<1024xf32>
  mpi.barrier(%world)
  %begin = func.call @read_clock() : () -> f64
  scf.for %i = %c0 to %rounds step %c1 {
    %came = async.execute {
      mpi.recv(%to, %i0, %peer, %world) : memref<1024xf32>, i32, i32
      async.yield
    }
    %went = async.execute {
      mpi.send(%from, %i0, %peer, %world) : memref<1024xf32>, i32, i32
      async.yield
    }
    %interior = async.execute {
      func.call @compute_interior(%time) : (i64) -> ()
      async.yield
    }
    async.await %came : !async.token
    async.await %went : !async.token
    async.await %interior : !async.token
  }
  %end = func.call @read_clock() : () -> f64
  %all = arith.subf %end, %begin : f64
  %count = arith.constant 100.0 : f64
  %round = arith.divf %all, %count : f64
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    func.call @report_round(%round) : (f64) -> ()
  }
  memref.dealloc %from : memref<1024xf32>
  memref.dealloc %to : memref<1024xf32>
  mpi.finalize
  return
}
