// Long messages of device memory go in pieces where all ranks have agreed to that, and
// are one message each all the same: pieces have 64 bytes here, or as many as the
// runtime proposes, or there are none.

// RUN: ranks=2 MPI_PIECE_BYTES=64|0|4096
// RUN: ranks=2 shim:SEED=4|9 MPI_PIECE_BYTES=50 NUM_THREADS=1
// RUN: ranks=2 shim:THREADS=1 MPI_PIECE_BYTES=64
// RUN: ranks=2 DEVICE=cuda MPI_PIECE_BYTES=64
// RUN: ranks=2 EMU_CHECK=memory EMU_SEED=5 MPI_PIECE_BYTES=64
// CHECK: 0
// CHECK: 0
// CHECK: 0
// CHECK: 0
// CHECK: 0
// CHECK: 0

// Behind their heads, four messages of 1000 numbers have 62 pieces each, a column of 100
// has six, and what is as long as a head, one.
// RUN: ranks=2 shim:PIECES=1 MPI_PIECE_BYTES=64
// CHECK: 0
// CHECK: 0
// CHECK: 0
// CHECK: 0
// CHECK: 0
// CHECK: 0
// WARNING: shim: 255 pieces were sent
func.func private @printI64(i64)
func.func private @printNewline()

!column = memref<100xi32, strided<[3], offset: 1>>

// Element i of `memory` is to be first + i.
func.func @fill(%memory: memref<?xi32, strided<[?], offset: ?>>, %count: index, %first: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %number = arith.index_cast %i : index to i32
    %value = arith.addi %number, %first : i32
    memref.store %value, %memory[%i] : memref<?xi32, strided<[?], offset: ?>>
  }
  return
}

// How many are not.
func.func @wrong(%memory: memref<?xi32, strided<[?], offset: ?>>, %count: index, %first: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so = %none) -> i64 {
    %number = arith.index_cast %i : index to i32
    %value = arith.addi %number, %first : i32
    %is = memref.load %memory[%i] : memref<?xi32, strided<[?], offset: ?>>
    %differs = arith.cmpi ne, %is, %value : i32
    %one = arith.extui %differs : i1 to i64
    %more = arith.addi %so, %one : i64
    scf.yield %more : i64
  }
  func.call @printI64(%sum) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

func.func @give(%rank: i32, %world: !mpi.comm) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %c20 = arith.constant 20 : index
  %c1000 = arith.constant 1000 : index
  %c300 = arith.constant 300 : index
  %host = memref.alloc() : memref<1000xi32>
  %any = memref.cast %host : memref<1000xi32> to memref<?xi32, strided<[?], offset: ?>>
  func.call @fill(%any, %c1000, %i0) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
  %done = async.execute {
    %a = gpu.alloc() : memref<1000xi32>
    %b = gpu.alloc() : memref<1000xi32>
    %d = gpu.alloc() : memref<1000xi32>
    gpu.memcpy %a, %host : memref<1000xi32>, memref<1000xi32>
    gpu.memset %b, %i1 : memref<1000xi32>, i32
    // Two with one tag, in this order.
    %first = mpi.isend(%a, %i0, %i1, %world) : memref<1000xi32>, i32, i32 -> !mpi.request
    %second = mpi.isend(%b, %i0, %i1, %world) : memref<1000xi32>, i32, i32 -> !mpi.request
    mpi.wait(%first) : !mpi.request
    mpi.wait(%second) : !mpi.request
    // A column of a device's, whose rows have no pieces' length.
    %column = memref.subview %a[1] [100] [3] : memref<1000xi32> to !column
    mpi.send(%column, %i1, %i1, %world) : !column, i32, i32
    // To memory of the host, side by side and not.
    mpi.send(%a, %i2, %i1, %world) : memref<1000xi32>, i32, i32
    mpi.send(%a, %i3, %i1, %world) : memref<1000xi32>, i32, i32
    gpu.dealloc %a : memref<1000xi32>
    gpu.dealloc %b : memref<1000xi32>
    gpu.dealloc %d : memref<1000xi32>
    async.yield
  }
  async.await %done : !async.token
  // As long as a head, of the host: 80 bytes where pieces have 64.
  %short = memref.subview %host[0] [20] [1] : memref<1000xi32> to memref<20xi32, strided<[1]>>
  mpi.send(%short, %i0, %i1, %world) : memref<20xi32, strided<[1]>>, i32, i32
  memref.dealloc %host : memref<1000xi32>
  return
}

func.func @take(%rank: i32, %world: !mpi.comm) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %any_rank = arith.constant -1 : i32
  %any_tag = arith.constant -2 : i32
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %c100 = arith.constant 100 : index
  %c1000 = arith.constant 1000 : index
  %x = memref.alloc() : memref<1000xi32>
  %y = memref.alloc() : memref<1000xi32>
  %z = memref.alloc() : memref<500x3xi32>
  %w = memref.alloc() : memref<1200xi32>
  %spread = memref.alloc() : memref<1000x2xi32>
  %done = async.execute {
    %a = gpu.alloc() : memref<1000xi32>
    %b = gpu.alloc() : memref<1200xi32>
    %c = gpu.alloc() : memref<500x3xi32>
    gpu.memset %b, %seven : memref<1200xi32>, i32
    gpu.memset %c, %seven : memref<500x3xi32>, i32
    %third = memref.subview %c[0, 2] [500, 1] [1, 1] : memref<500x3xi32> to memref<500xi32, strided<[3], offset: 2>>
    // The column comes to more memory than it needs, and may come first.
    %in3 = mpi.irecv(%third, %i1, %any_rank, %world) : memref<500xi32, strided<[3], offset: 2>>, i32, i32 -> !mpi.request
    %in1 = mpi.irecv(%a, %i0, %any_rank, %world) : memref<1000xi32>, i32, i32 -> !mpi.request
    %in2 = mpi.irecv(%b, %i0, %i0, %world) : memref<1200xi32>, i32, i32 -> !mpi.request
    mpi.wait(%in1) : !mpi.request
    mpi.wait(%in2) : !mpi.request
    mpi.wait(%in3) : !mpi.request
    gpu.memcpy %x, %a : memref<1000xi32>, memref<1000xi32>
    gpu.memcpy %w, %b : memref<1200xi32>, memref<1200xi32>
    gpu.memcpy %z, %c : memref<500x3xi32>, memref<500x3xi32>
    mpi.recv(%y, %i2, %i0, %world) : memref<1000xi32>, i32, i32
    %every = memref.subview %spread[0, 1] [1000, 1] [1, 1] : memref<1000x2xi32> to memref<1000xi32, strided<[2], offset: 1>>
    mpi.recv(%every, %i3, %i0, %world) : memref<1000xi32, strided<[2], offset: 1>>, i32, i32
    gpu.dealloc %a : memref<1000xi32>
    gpu.dealloc %b : memref<1200xi32>
    gpu.dealloc %c : memref<500x3xi32>
    async.yield
  }
  async.await %done : !async.token
  %x_any = memref.cast %x : memref<1000xi32> to memref<?xi32, strided<[?], offset: ?>>
  func.call @wrong(%x_any, %c1000, %i0) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
  // Of the second message all are 1, and behind it nothing is touched.
  %ones = arith.constant 1000 : i64
  %c1 = arith.constant 1 : index
  %c1200 = arith.constant 1200 : index
  %none = arith.constant 0 : i64
  %wrong = scf.for %i = %c0 to %c1200 step %c1 iter_args(%so = %none) -> i64 {
    %is_one = arith.cmpi ult, %i, %c1000 : index
    %expected = arith.select %is_one, %i1, %seven : i32
    %value = memref.load %w[%i] : memref<1200xi32>
    %differs = arith.cmpi ne, %value, %expected : i32
    %one = arith.extui %differs : i1 to i64
    %more = arith.addi %so, %one : i64
    scf.yield %more : i64
  }
  func.call @printI64(%wrong) : (i64) -> ()
  func.call @printNewline() : () -> ()
  // The column, 1 + 3 i, and what is beside and behind it.
  %c500 = arith.constant 500 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %odd = scf.for %i = %c0 to %c500 step %c1 iter_args(%far = %none) -> i64 {
    %row = scf.for %k = %c0 to %c3 step %c1 iter_args(%so = %far) -> i64 {
      %is_there = arith.cmpi ult, %i, %c100 : index
      %is_third = arith.cmpi eq, %k, %c2 : index
      %both = arith.andi %is_there, %is_third : i1
      %three_i = arith.muli %i, %c3 : index
      %at = arith.addi %three_i, %c1 : index
      %number = arith.index_cast %at : index to i32
      %expected = arith.select %both, %number, %seven : i32
      %value = memref.load %z[%i, %k] : memref<500x3xi32>
      %differs = arith.cmpi ne, %value, %expected : i32
      %one = arith.extui %differs : i1 to i64
      %more = arith.addi %so, %one : i64
      scf.yield %more : i64
    }
    scf.yield %row : i64
  }
  func.call @printI64(%odd) : (i64) -> ()
  func.call @printNewline() : () -> ()
  %y_any = memref.cast %y : memref<1000xi32> to memref<?xi32, strided<[?], offset: ?>>
  func.call @wrong(%y_any, %c1000, %i0) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
  %every2 = memref.subview %spread[0, 1] [1000, 1] [1, 1] : memref<1000x2xi32> to memref<1000xi32, strided<[2], offset: 1>>
  %every_any = memref.cast %every2 : memref<1000xi32, strided<[2], offset: 1>> to memref<?xi32, strided<[?], offset: ?>>
  func.call @wrong(%every_any, %c1000, %i0) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
  mpi.recv(%y, %any_tag, %any_rank, %world) : memref<1000xi32>, i32, i32
  func.call @wrong(%y_any, %c20, %i0) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
  return
}

// 4 MiB, with what the runtime proposes: pieces of 1 MiB, where nobody else has the
// library, and none behind a profiling layer unless it is said so.
// RUN: @long ranks=2
// CHECK: 0

// RUN: @long ranks=2 shim:PIECES=1
// CHECK: 0
// WARNING: shim: 0 pieces were sent

// RUN: @long ranks=2 shim:PIECES=1 MPI_PIECE_BYTES=1048576
// CHECK: 0
// WARNING: shim: 3 pieces were sent
func.func @long() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %all = arith.constant 1048576 : index
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  %host = memref.alloc() : memref<1048576xi32>
  %any = memref.cast %host : memref<1048576xi32> to memref<?xi32, strided<[?], offset: ?>>
  %there = gpu.alloc() : memref<1048576xi32>
  scf.if %is_first {
    func.call @fill(%any, %all, %i1) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
    gpu.memcpy %there, %host : memref<1048576xi32>, memref<1048576xi32>
    mpi.send(%there, %i0, %i1, %world) : memref<1048576xi32>, i32, i32
  } else {
    mpi.recv(%there, %i0, %i0, %world) : memref<1048576xi32>, i32, i32
    gpu.memcpy %host, %there : memref<1048576xi32>, memref<1048576xi32>
    func.call @wrong(%any, %all, %i1) : (memref<?xi32, strided<[?], offset: ?>>, index, i32) -> ()
  }
  gpu.dealloc %there : memref<1048576xi32>
  memref.dealloc %host : memref<1048576xi32>
  mpi.finalize
  return
}

func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %i0 = arith.constant 0 : i32
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    func.call @give(%rank, %world) : (i32, !mpi.comm) -> ()
  } else {
    func.call @take(%rank, %world) : (i32, !mpi.comm) -> ()
  }
  mpi.finalize
  return
}
