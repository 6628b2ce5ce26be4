// RUN: async-gpu-opt %s --async-gpu-mpi --split-input-file --verify-diagnostics
// RUN: not async-gpu-opt %S/Inputs/mpi.mlir --async-gpu-lower=abi=upstream 2>&1 | FileCheck %s

// CHECK: mpi.mlir:2:3: error: this program uses MPI, which upstream's runtime has no calls for: abi=upstream is for programs without

func.func @reduction(%x: memref<4xbf16>, %c: !mpi.comm) {
  // expected-error @+1 {{MPI reduces integers of 8 to 64 bits, i1, index, f32, f64 and complex numbers of these, and no bf16}}
  mpi.allreduce(%x, %x, MPI_SUM, %c) : memref<4xbf16>, memref<4xbf16>
  return
}

// -----

func.func @types(%x: memref<4xf32>, %y: memref<4xi32>, %c: !mpi.comm) {
  // expected-error @+1 {{mpi.allreduce of memrefs with different types of elements}}
  mpi.allreduce(%x, %y, MPI_SUM, %c) : memref<4xf32>, memref<4xi32>
  return
}

// -----

func.func @pairs(%x: memref<4xi32>, %c: !mpi.comm) {
  // expected-error @+1 {{MPI_MINLOC and MPI_MAXLOC reduce pairs of a number and its place: a memref of i32 whose last size is 2}}
  mpi.allreduce(%x, %x, MPI_MAXLOC, %c) : memref<4xi32>, memref<4xi32>
  return
}

// -----

func.func @layout(%x: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j)>>, %i: i32, %c: !mpi.comm) {
  // expected-error @+1 {{mpi.send of a memref whose layout is not strided is not supported}}
  mpi.send(%x, %i, %i, %c) : memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j)>>, i32, i32
  return
}

// -----

func.func @addresses(%x: memref<4xmemref<4xf32>>, %i: i32, %c: !mpi.comm) {
  // expected-error @+1 {{mpi.recv of memrefs in memory: other ranks have no use for addresses}}
  mpi.recv(%x, %i, %i, %c) : memref<4xmemref<4xf32>>, i32, i32
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%c: !mpi.comm) kernel {
    // expected-error @+1 {{mpi.barrier cannot stand in a kernel: the host sends and receives}}
    mpi.barrier(%c)
    gpu.return
  }
}
