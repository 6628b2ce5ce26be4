// Every op of the dialect, outside of regions and with return codes, and those
// that block in regions too.

func.func private @printI64(i64)
func.func private @printNewline()

func.func @check(%code: !mpi.retval) {
  %ok = mpi.retval_check %code = <MPI_SUCCESS> : i1
  cf.assert %ok, "a call of MPI failed"
  return
}

func.func @print(%rank: i32, %number: i64) {
  %i0 = arith.constant 0 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    func.call @printI64(%number) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}

// A rank sends itself a message: with a request that goes through a branch and
// a call.
func.func @finish(%request: !mpi.request) -> !mpi.retval {
  %code = mpi.wait(%request) : !mpi.request -> !mpi.retval
  return %code : !mpi.retval
}

func.func @self(%rank: i32, %world: !mpi.comm) -> i64 {
  %tag = arith.constant 3 : i32
  %value = arith.constant 42 : i64
  %from = memref.alloc() : memref<i64>
  %to = memref.alloc() : memref<i64>
  memref.store %value, %from[] : memref<i64>
  %c1, %in = mpi.irecv(%to, %tag, %rank, %world)
      : memref<i64>, i32, i32 -> !mpi.retval, !mpi.request
  %c2, %out = mpi.isend(%from, %tag, %rank, %world)
      : memref<i64>, i32, i32 -> !mpi.retval, !mpi.request
  func.call @check(%c1) : (!mpi.retval) -> ()
  func.call @check(%c2) : (!mpi.retval) -> ()
  %odd = arith.constant true
  %first, %second = scf.if %odd -> (!mpi.request, !mpi.request) {
    scf.yield %in, %out : !mpi.request, !mpi.request
  } else {
    scf.yield %out, %in : !mpi.request, !mpi.request
  }
  %c3 = func.call @finish(%first) : (!mpi.request) -> !mpi.retval
  func.call @check(%c3) : (!mpi.retval) -> ()
  mpi.wait(%second) : !mpi.request
  %got = memref.load %to[] : memref<i64>
  memref.dealloc %from : memref<i64>
  memref.dealloc %to : memref<i64>
  return %got : i64
}

// Short messages that are over at once have a return code, too: of the call that
// blocks, and of the wait for one whose call gives none.
func.func @self_at_once(%rank: i32, %world: !mpi.comm) -> i64 {
  %tag = arith.constant 4 : i32
  %value = arith.constant 43 : i64
  %from = memref.alloc() : memref<i64>
  %to = memref.alloc() : memref<i64>
  memref.store %value, %from[] : memref<i64>
  %in1 = mpi.irecv(%to, %tag, %rank, %world)
      : memref<i64>, i32, i32 -> !mpi.request
  %out = mpi.isend(%from, %tag, %rank, %world)
      : memref<i64>, i32, i32 -> !mpi.request
  %c1 = mpi.wait(%out) : !mpi.request -> !mpi.retval
  %c2 = mpi.wait(%in1) : !mpi.request -> !mpi.retval
  %in2 = mpi.irecv(%to, %tag, %rank, %world)
      : memref<i64>, i32, i32 -> !mpi.request
  %c3 = mpi.send(%from, %tag, %rank, %world)
      : memref<i64>, i32, i32 -> !mpi.retval
  %c4 = mpi.wait(%in2) : !mpi.request -> !mpi.retval
  func.call @check(%c1) : (!mpi.retval) -> ()
  func.call @check(%c2) : (!mpi.retval) -> ()
  func.call @check(%c3) : (!mpi.retval) -> ()
  func.call @check(%c4) : (!mpi.retval) -> ()
  %got = memref.load %to[] : memref<i64>
  memref.dealloc %from : memref<i64>
  memref.dealloc %to : memref<i64>
  return %got : i64
}

// Sums, products, extrema with their places, and bits.
func.func @reduce(%rank: i32, %size: i32, %world: !mpi.comm) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<2xi32>
  %y = memref.alloc() : memref<2xi32>
  %z = memref.alloc() : memref<f64>
  memref.store %rank, %x[%c0] : memref<2xi32>
  memref.store %rank, %x[%c1] : memref<2xi32>
  // The largest rank less the size is -1.
  %code = mpi.allreduce(%x, %y, MPI_MAX, %world)
      : memref<2xi32>, memref<2xi32> -> !mpi.retval
  func.call @check(%code) : (!mpi.retval) -> ()
  %most = memref.load %y[%c1] : memref<2xi32>
  %less = arith.subi %most, %size : i32
  %less64 = arith.extsi %less : i32 to i64
  func.call @print(%rank, %less64) : (i32, i64) -> ()
  %negative = arith.subi %size, %rank : i32
  memref.store %negative, %x[%c0] : memref<2xi32>
  // The least of size - rank is 1, and is that of the last rank.
  mpi.allreduce(%x, %y, MPI_MINLOC, %world) : memref<2xi32>, memref<2xi32>
  %least = memref.load %y[%c0] : memref<2xi32>
  %place = memref.load %y[%c1] : memref<2xi32>
  %is_last = arith.cmpi eq, %place, %most : i32
  cf.assert %is_last, "the least is not the last rank's"
  %least64 = arith.extsi %least : i32 to i64
  func.call @print(%rank, %least64) : (i32, i64) -> ()
  // In place, in a region.
  %half = arith.constant 0.5 : f64
  memref.store %half, %z[] : memref<f64>
  %token = async.execute {
    mpi.allreduce(%z, %z, MPI_SUM, %world) : memref<f64>, memref<f64>
    mpi.barrier(%world)
    async.yield
  }
  async.await %token : !async.token
  %sum = memref.load %z[] : memref<f64>
  %sizef = arith.sitofp %size : i32 to f64
  %ratio = arith.divf %sum, %sizef : f64
  %ten = arith.constant 10.0 : f64
  %tenfold = arith.mulf %ratio, %ten : f64
  %five = arith.fptosi %tenfold : f64 to i64
  func.call @print(%rank, %five) : (i32, i64) -> ()
  memref.dealloc %x : memref<2xi32>
  memref.dealloc %y : memref<2xi32>
  memref.dealloc %z : memref<f64>
  return
}

// Even and odd ranks apart, the other way round.
func.func @split(%rank: i32, %size: i32, %world: !mpi.comm) {
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %color = arith.remsi %rank, %i2 : i32
  %key = arith.subi %size, %rank : i32
  %code, %half = mpi.comm_split(%world, %color, %key) : !mpi.retval, !mpi.comm
  func.call @check(%code) : (!mpi.retval) -> ()
  %c2, %own = mpi.comm_rank(%half) : !mpi.retval, i32
  func.call @check(%c2) : (!mpi.retval) -> ()
  %c3, %count = mpi.comm_size(%half) : !mpi.retval, i32
  func.call @check(%c3) : (!mpi.retval) -> ()
  // Of the ranks of this color so many are above: half of what is left.
  %above = arith.subi %size, %rank : i32
  %a1 = arith.subi %above, %i1 : i32
  %place = arith.divsi %a1, %i2 : i32
  %right = arith.cmpi eq, %own, %place : i32
  cf.assert %right, "a rank in the new communicator is wrong"
  %up = arith.addi %size, %i1 : i32
  %odd = arith.subi %up, %color : i32
  %expected = arith.divsi %odd, %i2 : i32
  %fits = arith.cmpi eq, %count, %expected : i32
  cf.assert %fits, "the size of the new communicator is wrong"
  %done = async.execute {
    mpi.barrier(%half)
    async.yield
  }
  async.await %done : !async.token
  return
}

// Nobody: ends at once, and leaves the memory as it is.
func.func @nobody(%world: !mpi.comm) -> i64 {
  %none = arith.constant -3 : i32
  %tag = arith.constant 1 : i32
  %seven = arith.constant 7 : i64
  %memory = memref.alloc() : memref<i64>
  memref.store %seven, %memory[] : memref<i64>
  %token = async.execute {
    mpi.recv(%memory, %tag, %none, %world) : memref<i64>, i32, i32
    mpi.send(%memory, %tag, %none, %world) : memref<i64>, i32, i32
    async.yield
  }
  async.await %token : !async.token
  %still = memref.load %memory[] : memref<i64>
  memref.dealloc %memory : memref<i64>
  return %still : i64
}

// An error that the program asks for is its own: a class, the same with each
// library.
func.func @codes(%rank: i32, %world: !mpi.comm) {
  %tag = arith.constant 1 : i32
  %far = arith.constant 1000 : i32
  %memory = memref.alloc() : memref<4xi64>
  %code = mpi.send(%memory, %tag, %far, %world)
      : memref<4xi64>, i32, i32 -> !mpi.retval
  %class = mpi.error_class %code : !mpi.retval
  %is_rank = mpi.retval_check %class = <MPI_ERR_RANK> : i1
  %is_comm = mpi.retval_check %class = <MPI_ERR_COMM> : i1
  %rank64 = arith.extui %is_rank : i1 to i64
  %comm64 = arith.extui %is_comm : i1 to i64
  func.call @print(%rank, %rank64) : (i32, i64) -> ()
  func.call @print(%rank, %comm64) : (i32, i64) -> ()
  %c2, %request = mpi.isend(%memory, %tag, %far, %world)
      : memref<4xi64>, i32, i32 -> !mpi.retval, !mpi.request
  %again = mpi.retval_check %c2 = <MPI_ERR_RANK> : i1
  cf.assert %again, "no error of the start"
  memref.dealloc %memory : memref<4xi64>
  return
}

// RUN: ranks=1,2,4,7
// CHECK: 42
// CHECK: 43
// CHECK: -1
// CHECK: 1
// CHECK: 5
// CHECK: 7
// CHECK: 1
// CHECK: 0
func.func @main() {
  %c1 = mpi.init : !mpi.retval
  func.call @check(%c1) : (!mpi.retval) -> ()
  %world = mpi.comm_world : !mpi.comm
  %c2, %rank = mpi.comm_rank(%world) : !mpi.retval, i32
  func.call @check(%c2) : (!mpi.retval) -> ()
  %c3, %size = mpi.comm_size(%world) : !mpi.retval, i32
  func.call @check(%c3) : (!mpi.retval) -> ()
  %self = func.call @self(%rank, %world) : (i32, !mpi.comm) -> i64
  func.call @print(%rank, %self) : (i32, i64) -> ()
  %once = func.call @self_at_once(%rank, %world) : (i32, !mpi.comm) -> i64
  func.call @print(%rank, %once) : (i32, i64) -> ()
  func.call @reduce(%rank, %size, %world) : (i32, i32, !mpi.comm) -> ()
  func.call @split(%rank, %size, %world) : (i32, i32, !mpi.comm) -> ()
  %nobody = func.call @nobody(%world) : (!mpi.comm) -> i64
  func.call @print(%rank, %nobody) : (i32, i64) -> ()
  func.call @codes(%rank, %world) : (i32, !mpi.comm) -> ()
  %c4 = mpi.barrier(%world) -> !mpi.retval
  func.call @check(%c4) : (!mpi.retval) -> ()
  %c5 = mpi.finalize : !mpi.retval
  func.call @check(%c5) : (!mpi.retval) -> ()
  return
}
