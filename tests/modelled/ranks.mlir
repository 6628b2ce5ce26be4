// What check_ranks.py runs with two ranks. Each function is a program of its own.

module attributes {gpu.container_module} {

func.func private @echo_i64(%rank: i32, %here: memref<?xi64>, %there: memref<?xi64>,
                            %world: !mpi.comm) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %tag = arith.constant 7 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 4 : index
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.for %i = %c0 to %rounds step %c1 {
    scf.if %is_first {
      mpi.send(%here, %tag, %i1, %world) : memref<?xi64>, i32, i32
      mpi.recv(%there, %tag, %i1, %world) : memref<?xi64>, i32, i32
    } else {
      mpi.recv(%there, %tag, %i0, %world) : memref<?xi64>, i32, i32
      mpi.send(%here, %tag, %i0, %world) : memref<?xi64>, i32, i32
    }
  }
  return
}

// There and back: 8 bytes, and 64 KiB.
func.func @short() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %c1 = arith.constant 1 : index
  %here = memref.alloc(%c1) : memref<?xi64>
  %there = memref.alloc(%c1) : memref<?xi64>
  func.call @echo_i64(%rank, %here, %there, %world)
    : (i32, memref<?xi64>, memref<?xi64>, !mpi.comm) -> ()
  mpi.finalize
  return
}
func.func @long() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = arith.constant 8192 : index
  %here = memref.alloc(%size) : memref<?xi64>
  %there = memref.alloc(%size) : memref<?xi64>
  func.call @echo_i64(%rank, %here, %there, %world)
    : (i32, memref<?xi64>, memref<?xi64>, !mpi.comm) -> ()
  mpi.finalize
  return
}

// Both get 1 MiB from the other one, beside a kernel or before it.
func.func private @exchange(%rank: i32, %here: memref<131072xi64>,
                            %there: memref<131072xi64>, %world: !mpi.comm)
    -> (!mpi.request, !mpi.request) {
  %i1 = arith.constant 1 : i32
  %tag = arith.constant 7 : i32
  %other = arith.subi %i1, %rank : i32
  %a = mpi.irecv(%there, %tag, %other, %world) : memref<131072xi64>, i32, i32 -> !mpi.request
  %b = mpi.isend(%here, %tag, %other, %world) : memref<131072xi64>, i32, i32 -> !mpi.request
  return %a, %b : !mpi.request, !mpi.request
}
func.func private @compute(%memory: memref<8192xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %blocks = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %steps = arith.constant 4000 : index
  %factor = arith.constant 0.99 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %at = arith.muli %bx, %sx : index
    %i = arith.addi %at, %tx : index
    %first = memref.load %memory[%i] : memref<8192xf32>
    %last = scf.for %k = %c0 to %steps step %c1 iter_args(%x = %first) -> f32 {
      %y = arith.mulf %x, %factor : f32
      %z = arith.addf %y, %factor : f32
      scf.yield %z : f32
    }
    memref.store %last, %memory[%i] : memref<8192xf32>
    gpu.terminator
  }
  return
}
func.func @beside() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %here = memref.alloc() : memref<131072xi64>
  %there = memref.alloc() : memref<131072xi64>
  %memory = gpu.alloc() : memref<8192xf32>
  %a, %b = func.call @exchange(%rank, %here, %there, %world)
    : (i32, memref<131072xi64>, memref<131072xi64>, !mpi.comm) -> (!mpi.request, !mpi.request)
  func.call @compute(%memory) : (memref<8192xf32>) -> ()
  mpi.wait(%a) : !mpi.request
  mpi.wait(%b) : !mpi.request
  mpi.finalize
  return
}
func.func @before() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %here = memref.alloc() : memref<131072xi64>
  %there = memref.alloc() : memref<131072xi64>
  %memory = gpu.alloc() : memref<8192xf32>
  %a, %b = func.call @exchange(%rank, %here, %there, %world)
    : (i32, memref<131072xi64>, memref<131072xi64>, !mpi.comm) -> (!mpi.request, !mpi.request)
  mpi.wait(%a) : !mpi.request
  mpi.wait(%b) : !mpi.request
  func.call @compute(%memory) : (memref<8192xf32>) -> ()
  mpi.finalize
  return
}

// Two sums over both ranks at once, of 1 MiB each.
func.func @sums() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<131072xi64>
  %b = memref.alloc() : memref<131072xi64>
  %first = async.execute {
    mpi.allreduce(%a, %a, MPI_SUM, %world) : memref<131072xi64>, memref<131072xi64>
    async.yield
  }
  %second = async.execute {
    mpi.allreduce(%b, %b, MPI_SUM, %world) : memref<131072xi64>, memref<131072xi64>
    async.yield
  }
  async.await %first : !async.token
  async.await %second : !async.token
  mpi.finalize
  return
}

// Each of these ends with an error.
func.func @anybody() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %anybody = arith.constant -1 : i32
  %tag = arith.constant 7 : i32
  %there = memref.alloc() : memref<i64>
  mpi.recv(%there, %tag, %anybody, %world) : memref<i64>, i32, i32
  mpi.finalize
  return
}
func.func @nobody() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %i1 = arith.constant 1 : i32
  %tag = arith.constant 7 : i32
  %other = arith.subi %i1, %rank : i32
  %there = memref.alloc() : memref<i64>
  mpi.recv(%there, %tag, %other, %world) : memref<i64>, i32, i32
  mpi.finalize
  return
}
// The second rank fails while the first one waits for it.
func.func @one_fails() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i9 = arith.constant 9 : i32
  %tag = arith.constant 7 : i32
  %there = memref.alloc() : memref<i64>
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    mpi.recv(%there, %tag, %i1, %world) : memref<i64>, i32, i32
  } else {
    mpi.send(%there, %tag, %i9, %world) : memref<i64>, i32, i32
  }
  mpi.finalize
  return
}
}
