// A plate of 56 by 56 cells in device memory, spread over the ranks by rows.
// Each round the border rows are computed first and sent while the interior is
// computed; the neighbours' rows come straight into device memory, and the next
// round's kernels for the border wait for them, and no thread does. Ranks at the
// ends have nobody above or below: MPI_PROC_NULL, -3.

!plate = memref<?x56xf32>
!row = memref<1x56xf32, strided<[56, 1], offset: ?>>

module attributes {gpu.container_module} {
func.func private @printI64(i64)
func.func private @printNewline()

gpu.module @kernels {
  // New rows from `first` on; the border columns stay.
  gpu.func @step(%old: !plate, %new: !plate, %first: index) kernel {
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : index
    %last = arith.constant 55 : index
    %quarter = arith.constant 0.25 : f32
    %block = gpu.block_id x
    %k = gpu.thread_id x
    %i = arith.addi %first, %block : index
    %is_left = arith.cmpi eq, %k, %zero : index
    %is_right = arith.cmpi eq, %k, %last : index
    %is_border = arith.ori %is_left, %is_right : i1
    scf.if %is_border {
      %same = memref.load %old[%i, %k] : !plate
      memref.store %same, %new[%i, %k] : !plate
    } else {
      %above = arith.subi %i, %one : index
      %below = arith.addi %i, %one : index
      %left = arith.subi %k, %one : index
      %right = arith.addi %k, %one : index
      %a = memref.load %old[%above, %k] : !plate
      %b = memref.load %old[%below, %k] : !plate
      %c = memref.load %old[%i, %left] : !plate
      %d = memref.load %old[%i, %right] : !plate
      %ab = arith.addf %a, %b : f32
      %cd = arith.addf %c, %d : f32
      %sum = arith.addf %ab, %cd : f32
      %value = arith.mulf %sum, %quarter : f32
      memref.store %value, %new[%i, %k] : !plate
    }
    gpu.return
  }
}

// Row `i` of the plate is row `first + i` of the whole one, which begins at 1;
// around that all is 0.
func.func @fill(%host: !plate, %first: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c56 = arith.constant 56 : index
  %c57 = arith.constant 57 : index
  %seven = arith.constant 7 : index
  %eleven = arith.constant 11 : index
  %end = arith.addi %rows, %c2 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c1 {
    %j = arith.addi %first, %i : index
    %is_above = arith.cmpi eq, %j, %c0 : index
    %is_below = arith.cmpi eq, %j, %c57 : index
    %is_outside = arith.ori %is_above, %is_below : i1
    scf.for %k = %c0 to %c56 step %c1 {
      %a = arith.muli %j, %seven : index
      %b = arith.muli %k, %eleven : index
      %ab = arith.xori %a, %b : index
      %i32 = arith.index_cast %ab : index to i32
      %inside = arith.sitofp %i32 : i32 to f32
      %value = arith.select %is_outside, %zero, %inside : f32
      memref.store %value, %host[%i, %k] : !plate
    }
  }
  return
}

// The sum of the elements' bits: the same however they are spread.
func.func @bits(%host: !plate, %rows: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c56 = arith.constant 56 : index
  %end = arith.addi %rows, %c1 : index
  %none = arith.constant 0 : i64
  %sum = scf.for %i = %c1 to %end step %c1 iter_args(%so = %none) -> i64 {
    %inner = scf.for %k = %c0 to %c56 step %c1 iter_args(%far = %so) -> i64 {
      %value = memref.load %host[%i, %k] : !plate
      %bits = arith.bitcast %value : f32 to i32
      %wide = arith.extui %bits : i32 to i64
      %more = arith.addi %far, %wide : i64
      scf.yield %more : i64
    }
    scf.yield %inner : i64
  }
  return %sum : i64
}

// RUN: ranks=1,2,4,7
// RUN: ranks=4 shim:SEED=3|8 NUM_THREADS=2
// RUN: ranks=4 shim:THREADS=1
// RUN: ranks=4 EMU_SEED=3|4 EMU_CHECK=memory
// RUN: ranks=4 EMU_DEVICES=3 NUM_THREADS=1
// CHECK: 3548927221072
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c56 = arith.constant 56 : index
  %rounds = arith.constant 10 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %up = arith.constant 1 : i32
  %down = arith.constant 2 : i32
  %nobody = arith.constant -3 : i32
  %last_rank = arith.subi %size, %i1 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  %is_last = arith.cmpi eq, %rank, %last_rank : i32
  %before = arith.subi %rank, %i1 : i32
  %behind = arith.addi %rank, %i1 : i32
  %above = arith.select %is_first, %nobody, %before : i32
  %below = arith.select %is_last, %nobody, %behind : i32

  %ranks = arith.index_cast %size : i32 to index
  %own = arith.index_cast %rank : i32 to index
  %rows = arith.divui %c56, %ranks : index
  %first = arith.muli %own, %rows : index
  %with_halo = arith.addi %rows, %c2 : index
  %halo = arith.addi %rows, %c1 : index
  %host = memref.alloc(%with_halo) : !plate
  func.call @fill(%host, %first, %rows) : (!plate, index, index) -> ()

  %x = gpu.alloc(%with_halo) : !plate
  %y = gpu.alloc(%with_halo) : !plate
  gpu.memcpy %x, %host : !plate, !plate
  gpu.memcpy %y, %host : !plate, !plate
  %inner = arith.subi %rows, %c2 : index
  %result, %other = scf.for %round = %c0 to %rounds step %c1
      iter_args(%old = %x, %new = %y) -> (!plate, !plate) {
    %top = memref.subview %new[%c1, 0] [1, 56] [1, 1] : !plate to !row
    %bottom = memref.subview %new[%rows, 0] [1, 56] [1, 1] : !plate to !row
    %over = memref.subview %new[0, 0] [1, 56] [1, 1] : !plate to memref<1x56xf32, strided<[56, 1]>>
    %under = memref.subview %new[%halo, 0] [1, 56] [1, 1] : !plate to !row
    %border = async.execute {
      gpu.launch_func @kernels::@step
          blocks in (%c1, %c1, %c1) threads in (%c56, %c1, %c1)
          args(%old : !plate, %new : !plate, %c1 : index)
      gpu.launch_func @kernels::@step
          blocks in (%c1, %c1, %c1) threads in (%c56, %c1, %c1)
          args(%old : !plate, %new : !plate, %rows : index)
      async.yield
    }
    %interior = async.execute {
      gpu.launch_func @kernels::@step
          blocks in (%inner, %c1, %c1) threads in (%c56, %c1, %c1)
          args(%old : !plate, %new : !plate, %c2 : index)
      async.yield
    }
    %came1 = async.execute {
      mpi.recv(%over, %down, %above, %world)
          : memref<1x56xf32, strided<[56, 1]>>, i32, i32
      async.yield
    }
    %came2 = async.execute {
      mpi.recv(%under, %up, %below, %world) : !row, i32, i32
      async.yield
    }
    %went = async.execute [%border] {
      %one = mpi.isend(%top, %up, %above, %world)
          : !row, i32, i32 -> !mpi.request
      %two = mpi.isend(%bottom, %down, %below, %world)
          : !row, i32, i32 -> !mpi.request
      mpi.wait(%one) : !mpi.request
      mpi.wait(%two) : !mpi.request
      async.yield
    }
    async.await %interior : !async.token
    async.await %came1 : !async.token
    async.await %came2 : !async.token
    async.await %went : !async.token
    scf.yield %new, %old : !plate, !plate
  }
  gpu.memcpy %host, %result : !plate, !plate
  gpu.dealloc %x : !plate
  gpu.dealloc %y : !plate
  %bits = func.call @bits(%host, %rows) : (!plate, index) -> i64
  %mine = memref.alloc() : memref<i64>
  memref.store %bits, %mine[] : memref<i64>
  mpi.allreduce(%mine, %mine, MPI_SUM, %world) : memref<i64>, memref<i64>
  scf.if %is_first {
    %total = memref.load %mine[] : memref<i64>
    func.call @printI64(%total) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %mine : memref<i64>
  memref.dealloc %host : !plate
  mpi.finalize
  return
}
}
