// Memory of a device, side by side and not, goes to a library that takes it, or
// through memory of the host.

// RUN: ranks=2
// RUN: ranks=2 DEVICE=cuda
// CHECK: ( 3, 1, 1, 2 )
// CHECK: ( 3, 1, 1, 2 )
// CHECK: ( 6, 3, 3, 3 )
// CHECK: ( 3, 1, 1, 2 )

// The message, its receive, and the sum over a row. What lies apart is packed for a
// sum, by the host.
// RUN: ranks=2 DEVICE=cuda shim:CUDA=1
// CHECK: ( 3, 1, 1, 2 )
// CHECK: ( 3, 1, 1, 2 )
// CHECK: ( 6, 3, 3, 3 )
// CHECK: ( 3, 1, 1, 2 )
// WARNING: shim: 3 calls were given device memory
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %number = arith.addi %rank, %i1 : i32
  %other = arith.subi %i1, %rank : i32
  %here = memref.alloc() : memref<4x4xi32>
  %done = async.execute {
    %there = gpu.alloc() : memref<4x4xi32>
    gpu.memset %there, %number : memref<4x4xi32>, i32
    %first = memref.subview %there[0, 0] [4, 1] [1, 1] : memref<4x4xi32> to memref<4xi32, strided<[4]>>
    %second = memref.subview %there[0, 1] [4, 1] [1, 1] : memref<4x4xi32> to memref<4xi32, strided<[4], offset: 1>>
    %last = memref.subview %there[0, 3] [4, 1] [1, 1] : memref<4x4xi32> to memref<4xi32, strided<[4], offset: 3>>
    %row = memref.subview %there[2, 0] [1, 4] [1, 1] : memref<4x4xi32> to memref<4xi32, strided<[1], offset: 8>>
    %in = mpi.irecv(%last, %i0, %other, %world) : memref<4xi32, strided<[4], offset: 3>>, i32, i32 -> !mpi.request
    mpi.send(%second, %i0, %other, %world) : memref<4xi32, strided<[4], offset: 1>>, i32, i32
    mpi.wait(%in) : !mpi.request
    mpi.allreduce(%first, %first, MPI_SUM, %world) : memref<4xi32, strided<[4]>>, memref<4xi32, strided<[4]>>
    mpi.allreduce(%row, %row, MPI_SUM, %world) : memref<4xi32, strided<[1], offset: 8>>, memref<4xi32, strided<[1], offset: 8>>
    gpu.memcpy %here, %there : memref<4x4xi32>, memref<4x4xi32>
    gpu.dealloc %there : memref<4x4xi32>
    async.yield
  }
  async.await %done : !async.token
  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    scf.for %i = %c0 to %c4 step %c1 {
      %row = vector.load %here[%i, %c0] : memref<4x4xi32>, vector<4xi32>
      vector.print %row : vector<4xi32>
    }
  }
  memref.dealloc %here : memref<4x4xi32>
  mpi.finalize
  return
}
