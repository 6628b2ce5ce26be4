// Ten times there and back: 64 MiB of device memory between two ranks. Prints the time
// of one way.

func.func private @read_clock() -> f64
func.func private @report_round(f64)

func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 10 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %peer = arith.xori %rank, %i1 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  %memory = gpu.alloc() : memref<16777216xf32>
  %zero = arith.constant 0.0 : f32
  gpu.memset %memory, %zero : memref<16777216xf32>, f32
  mpi.barrier(%world)
  %begin = func.call @read_clock() : () -> f64
  scf.for %i = %c0 to %rounds step %c1 {
    %done = async.execute {
      scf.if %is_first {
        mpi.send(%memory, %i0, %peer, %world) : memref<16777216xf32>, i32, i32
        mpi.recv(%memory, %i0, %peer, %world) : memref<16777216xf32>, i32, i32
      } else {
        mpi.recv(%memory, %i0, %peer, %world) : memref<16777216xf32>, i32, i32
        mpi.send(%memory, %i0, %peer, %world) : memref<16777216xf32>, i32, i32
      }
      async.yield
    }
    async.await %done : !async.token
  }
  %end = func.call @read_clock() : () -> f64
  %all = arith.subf %end, %begin : f64
  %count = arith.constant 20.0 : f64
  %way = arith.divf %all, %count : f64
  scf.if %is_first {
    func.call @report_round(%way) : (f64) -> ()
  }
  gpu.dealloc %memory : memref<16777216xf32>
  mpi.finalize
  return
}
