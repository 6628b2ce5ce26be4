// What goes wrong ends all ranks with one message, and none is left waiting.

func.func @start() -> (!mpi.comm, i32, i1) {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %i0 = arith.constant 0 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  return %world, %rank, %is_first : !mpi.comm, i32, i1
}

// Rank 0 waits for itself, and the others for rank 0.
// RUN: @deadlock ranks=1,4
// ERROR: errors.mlir:[[@LINE+12]]:7: error: the program cannot go on: all ranks wait ({{[14]}}), and none of them has sent what another one waits for
// ERROR: errors.mlir:[[@LINE+11]]:7: note: rank 0 waits in mpi.recv of 32 bytes from rank 0, tag 7
// ERROR: ...
func.func @deadlock() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %tag = arith.constant 7 : i32
  %all = mpi.comm_split(%world, %tag, %rank) : !mpi.comm
  %memory = memref.alloc() : memref<4xi64>
  scf.if %is_first {
    // Other work goes on until there is none.
    %other = async.execute { async.yield }
    %token = async.execute {
      mpi.recv(%memory, %tag, %rank, %world) : memref<4xi64>, i32, i32
      async.yield
    }
    async.await %token : !async.token
  }
  mpi.barrier(%all)
  mpi.finalize
  return
}

// Two pairs of ranks: one of each waits for its pair, and the others for what nobody
// sends, and for a group that stays short of a member.
// RUN: @pairs ranks=4
// ERROR: errors.mlir:[[@LINE+22]]:5: error: the program cannot go on: all ranks wait (4), and none of them has sent what another one waits for
// ERROR: errors.mlir:[[@LINE+21]]:5: note: rank 0 waits in mpi.barrier
// ERROR: errors.mlir:[[@LINE+26]]:7: note: rank 1 waits in mpi.recv of 32 bytes from rank 0, tag 2
// ERROR: note: rank 1: group {{[0-9]+}} waits for its member token {{[0-9]+}}
// ERROR: errors.mlir:[[@LINE+31]]:5: note: rank 1: the main thread waits for group {{[0-9]+}} (declared: 2 members, added: 1, complete: 0)
// ERROR: errors.mlir:[[@LINE+17]]:5: note: rank 2 waits in mpi.barrier
// ERROR: errors.mlir:[[@LINE+19]]:15: note: rank 3 waits in mpi.comm_split
// ERROR: ...
func.func @pairs() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %c2 = arith.constant 2 : index
  %number = arith.divui %rank, %i2 : i32
  %pair = mpi.comm_split(%world, %number, %rank) : !mpi.comm
  %place = arith.remui %rank, %i2 : i32
  %waits = arith.cmpi eq, %place, %i0 : i32
  %is_last = arith.cmpi eq, %rank, %i3 : i32
  %memory = memref.alloc() : memref<4xi64>
  scf.if %waits {
    mpi.barrier(%pair)
  } else {
    scf.if %is_last {
      %none = mpi.comm_split(%world, %i1, %rank) : !mpi.comm
    }
    %token = async.execute {
      mpi.recv(%memory, %i2, %i0, %pair) : memref<4xi64>, i32, i32
      %one = arith.constant 1 : i64
      memref.store %one, %memory[%c2] : memref<4xi64>
      async.yield
    }
    %group = async.create_group %c2 : !async.group
    %at = async.add_to_group %token, %group : !async.token
    async.await_all %group
  }
  mpi.finalize
  return
}

// Four numbers do not fit where two should come.
// RUN: @truncated ranks=2
// ERROR: errors.mlir:[[@LINE+15]]:7: error: mpi.recv of 16 bytes from rank 0, tag 3 failed on rank 1 of 2: {{.*}}runcate
// ERROR: ...
func.func @truncated() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %tag = arith.constant 3 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %memory = memref.alloc() : memref<4xi64>
  %short = memref.alloc() : memref<2xi64>
  scf.if %is_first {
    mpi.send(%memory, %tag, %i1, %world) : memref<4xi64>, i32, i32
    mpi.barrier(%world)
  } else {
    %token = async.execute {
      // Behind it nothing runs.
      mpi.recv(%short, %tag, %i0, %world) : memref<2xi64>, i32, i32
      mpi.barrier(%world)
      async.yield
    }
    async.await %token : !async.token
  }
  mpi.finalize
  return
}

// The same of device memory, in pieces: the sender goes on.
// RUN: @truncated_pieces ranks=2 MPI_PIECE_BYTES=64
// ERROR: errors.mlir:[[@LINE+16]]:7: error: mpi.recv of 2000 bytes from rank 0, tag 3 failed on rank 1 of 2: {{.*}}runcate
// ERROR: ...
func.func @truncated_pieces() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %tag = arith.constant 3 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %memory = gpu.alloc() : memref<1000xi32>
  %short = gpu.alloc() : memref<500xi32>
  gpu.memset %memory, %tag : memref<1000xi32>, i32
  scf.if %is_first {
    mpi.send(%memory, %tag, %i1, %world) : memref<1000xi32>, i32, i32
    mpi.barrier(%world)
  } else {
    %token = async.execute {
      // Behind it nothing runs.
      mpi.recv(%short, %tag, %i0, %world) : memref<500xi32>, i32, i32
      mpi.barrier(%world)
      async.yield
    }
    async.await %token : !async.token
  }
  mpi.finalize
  return
}

// One rank fails while the others wait for it.
// RUN: @assertion ranks=2,7
// ERROR: errors.mlir:[[@LINE+9]]:7: error: assertion failed: not on the last rank
// ERROR: ...
func.func @assertion() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %size = mpi.comm_size(%world) : i32
  %i1 = arith.constant 1 : i32
  %last = arith.subi %size, %i1 : i32
  %token = async.execute {
      %fine = arith.cmpi ne, %rank, %last : i32
      cf.assert %fine, "not on the last rank"
      async.yield
  }
  async.await %token : !async.token
  mpi.barrier(%world)
  mpi.finalize
  return
}

// RUN: @nobody ranks=2
// ERROR: errors.mlir:[[@LINE+8]]:3: error: mpi.send of 32 bytes to rank 1000, tag 3 failed on rank {{[01]}} of 2: {{.*}}rank
// ERROR: ...
func.func @nobody() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %tag = arith.constant 3 : i32
  %far = arith.constant 1000 : i32
  %memory = memref.alloc() : memref<4xi64>

  mpi.send(%memory, %tag, %far, %world) : memref<4xi64>, i32, i32
  return
}

// RUN: @before ranks=1
// ERROR: errors.mlir:[[@LINE+5]]:3: error: mpi.barrier before mpi.init
// ERROR: ...
func.func @before() {
  %world = mpi.comm_world : !mpi.comm

  mpi.barrier(%world)
  return
}

// What gives a return code has none there.
// RUN: @before_coded ranks=1
// ERROR: errors.mlir:[[@LINE+4]]:18: error: mpi.comm_rank before mpi.init
// ERROR: ...
func.func @before_coded() {
  %world = mpi.comm_world : !mpi.comm
  %code, %rank = mpi.comm_rank(%world) : !mpi.retval, i32
  return
}

// RUN: @after_coded ranks=1
// ERROR: errors.mlir:[[@LINE+9]]:11: error: mpi.send after mpi.finalize
// ERROR: ...
func.func @after_coded() {
  %i0 = arith.constant 0 : i32
  %memory = memref.alloc() : memref<4xi64>
  %world = mpi.comm_world : !mpi.comm
  mpi.init
  mpi.finalize

  %code = mpi.send(%memory, %i0, %i0, %world) : memref<4xi64>, i32, i32 -> !mpi.retval
  return
}

// RUN: @twice ranks=1
// ERROR: errors.mlir:[[@LINE+4]]:3: error: mpi.init: MPI is initialized already
// ERROR: ...
func.func @twice() {
  mpi.init
  mpi.init
  return
}

func.func private @raise(i32) -> i32
func.func private @_exit(i32)

// A rank that is gone sends nothing, and says nothing: those that wait for it end.
// RUN: @killed ranks=3 dies
func.func @killed() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %kill = arith.constant 9 : i32
  mpi.barrier(%world)
  scf.if %is_first {
    func.call @raise(%kill) : (i32) -> i32
  }
  %token = async.execute {
    mpi.barrier(%world)
    async.yield
  }
  async.await %token : !async.token
  mpi.finalize
  return
}

// The same of one that leaves without a word and without mpi.finalize. (With the
// exit status 0 MPICH's launcher may end all of them with that, too.)
// RUN: @left ranks=3 dies
func.func @left() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  %memory = memref.alloc() : memref<4xi64>
  mpi.barrier(%world)
  scf.if %is_first {
    func.call @_exit(%i3) : (i32) -> ()
  }
  %token = async.execute {
    mpi.recv(%memory, %i0, %i0, %world) : memref<4xi64>, i32, i32
    async.yield
  }
  async.await %token : !async.token
  mpi.finalize
  return
}

// The profiling layer has one call after the other fail on one rank.
// RUN: @injected ranks=3 shim:RANK=1 shim:FAIL=Comm_size:1|Comm_split:1|Isend:2|Irecv:1|Iallreduce:1|Ibarrier:1|Done:2|Finalize:1
// ERROR: error: mpi.{{.*}} failed on rank 1{{.*}}: 
// ERROR: ...
func.func @injected() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %size = mpi.comm_size(%world) : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %half = mpi.comm_split(%world, %i0, %rank) : !mpi.comm
  %up = arith.addi %rank, %i1 : i32
  %next = arith.remsi %up, %size : i32
  %around = arith.addi %rank, %size : i32
  %down = arith.subi %around, %i1 : i32
  %previous = arith.remsi %down, %size : i32
  %from = memref.alloc() : memref<4xi64>
  %to = memref.alloc() : memref<4xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %in = async.execute {
      mpi.recv(%to, %i0, %previous, %half) : memref<4xi64>, i32, i32
      async.yield
    }
    %out = async.execute {
      mpi.send(%from, %i0, %next, %half) : memref<4xi64>, i32, i32
      async.yield
    }
    %sum = async.execute [%in, %out] {
      mpi.allreduce(%to, %to, MPI_MAX, %half) : memref<4xi64>, memref<4xi64>
      mpi.barrier(%world)
      async.yield
    }
    async.await %sum : !async.token
  }
  mpi.finalize
  return
}

// The driver does not say where a message's memory is: no guess is made.
// RUN: @unknown_memory ranks=1 EMU_FAULT=cuPointerGetAttribute:2:CUDA_ERROR_UNKNOWN
// ERROR: errors.mlir:[[@LINE+10]]:5: error: asking where memory is: CUDA_ERROR_UNKNOWN: unknown error
// ERROR: ...
func.func @unknown_memory() {
  %world, %rank, %is_first = func.call @start() : () -> (!mpi.comm, i32, i1)
  %tag = arith.constant 7 : i32
  %done = async.execute {
    %there = gpu.alloc() : memref<4xi32>
    gpu.memset %there, %tag : memref<4xi32>, i32
    %in = memref.alloc() : memref<4xi32>
    %request = mpi.irecv(%in, %tag, %rank, %world) : memref<4xi32>, i32, i32 -> !mpi.request
    mpi.send(%there, %tag, %rank, %world) : memref<4xi32>, i32, i32
    mpi.wait(%request) : !mpi.request
    async.yield
  }
  async.await %done : !async.token
  mpi.finalize
  return
}
