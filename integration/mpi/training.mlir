// A weight w is fitted to y = 3 x by gradients over 28 samples, which the ranks share.
// The gradient of the first half of a rank's samples is summed over all ranks while
// that of the second half is computed. All numbers are exact: after three steps w is
// 3 - 3 (478 / 8192)^3.

func.func private @printI64(i64)
func.func private @printNewline()

// The sum of (w x - 3 x) x over samples from `first` up to `end`.
func.func @gradient(%w: f64, %first: index, %end: index) -> f64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3.0 : f64
  %sum = scf.for %i = %first to %end step %c1 iter_args(%so = %zero) -> f64 {
    %n = arith.addi %i, %c1 : index
    %n64 = arith.index_cast %n : index to i64
    %x = arith.sitofp %n64 : i64 to f64
    %guess = arith.mulf %w, %x : f64
    %y = arith.mulf %three, %x : f64
    %error = arith.subf %guess, %y : f64
    %part = arith.mulf %error, %x : f64
    %more = arith.addf %so, %part : f64
    scf.yield %more : f64
  }
  return %sum : f64
}

// RUN: ranks=1,2,4,7
// RUN: ranks=4 shim:SEED=5 NUM_THREADS=1
// CHECK: 1648939795608
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %steps = arith.constant 3 : index
  %samples = arith.constant 28 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f64
  %rate = arith.constant 0.0001220703125 : f64
  %ranks = arith.index_cast %size : i32 to index
  %number = arith.index_cast %rank : i32 to index
  %own = arith.divui %samples, %ranks : index
  %half = arith.divui %own, %c2 : index
  %first = arith.muli %number, %own : index
  %middle = arith.addi %first, %half : index
  %end = arith.addi %first, %own : index
  %a = memref.alloc() : memref<f64>
  %b = memref.alloc() : memref<f64>
  %w = scf.for %s = %c0 to %steps step %c1 iter_args(%so = %zero) -> f64 {
    %one = async.execute {
      %g = func.call @gradient(%so, %first, %middle) : (f64, index, index) -> f64
      memref.store %g, %a[] : memref<f64>
      mpi.allreduce(%a, %a, MPI_SUM, %world) : memref<f64>, memref<f64>
      async.yield
    }
    %computed = async.execute {
      %g = func.call @gradient(%so, %middle, %end) : (f64, index, index) -> f64
      memref.store %g, %b[] : memref<f64>
      async.yield
    }
    // Behind the first: all ranks reduce in one order.
    %two = async.execute [%one, %computed] {
      mpi.allreduce(%b, %b, MPI_SUM, %world) : memref<f64>, memref<f64>
      async.yield
    }
    async.await %two : !async.token
    %g1 = memref.load %a[] : memref<f64>
    %g2 = memref.load %b[] : memref<f64>
    %g = arith.addf %g1, %g2 : f64
    %step = arith.mulf %g, %rate : f64
    %new = arith.subf %so, %step : f64
    scf.yield %new : f64
  }
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    // 8192^3
    %scale = arith.constant 549755813888.0 : f64
    %scaled = arith.mulf %w, %scale : f64
    %result = arith.fptosi %scaled : f64 to i64
    func.call @printI64(%result) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %a : memref<f64>
  memref.dealloc %b : memref<f64>
  mpi.finalize
  return
}
