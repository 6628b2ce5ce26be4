// What becomes of messages, as remarks.
// RUN: async-gpu-opt %s --async-gpu-mpi=remarks=true -o /dev/null --verify-diagnostics
// RUN: async-gpu-opt %s --async-gpu-remarks --async-gpu-mpi -o /dev/null --verify-diagnostics
// RUN: async-gpu-opt %s --async-gpu-remarks --async-gpu-lower -o /dev/null 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower=remarks=true -o /dev/null 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-mpi -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
// QUIET-NOT: remark
// CHECK: remark: mpi.recv: the region suspends on the request, without a thread
// CHECK: remark: mpi.send of device memory: staged through host memory, in pieces if it is long, unless the MPI library is CUDA-aware

func.func @main(%m: memref<8xf32>, %tag: i32, %peer: i32) {
  mpi.init
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %d = gpu.alloc() : memref<8x8xf32>
  %s = gpu.alloc host_shared() : memref<8xf32>
  %column = memref.subview %d[0, 3] [8, 1] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[8], offset: 3>>
  %a = async.execute {
    // Nothing is known of an argument.
    // expected-remark @+1 {{mpi.recv: the region suspends on the request, without a thread}}
    mpi.recv(%m, %tag, %peer, %c) : memref<8xf32>, i32, i32
    // expected-remark @+2 {{mpi.send: the region suspends on the request, without a thread}}
    // expected-remark @+1 {{mpi.send of device memory: staged through host memory, in pieces if it is long, unless the MPI library is CUDA-aware}}
    mpi.send(%column, %tag, %peer, %c) : memref<8xf32, strided<[8], offset: 3>>, i32, i32
    // expected-remark @+1 {{mpi.irecv of device memory: staged through host memory, in pieces if it is long, unless the MPI library is CUDA-aware}}
    %r = mpi.irecv(%d, %tag, %peer, %c) : memref<8x8xf32>, i32, i32 -> !mpi.request
    // expected-remark @+1 {{mpi.wait: the region suspends on the request, without a thread}}
    mpi.wait(%r) : !mpi.request
    async.yield
  }
  async.await %a : !async.token
  // A thread may wait here. The host addresses what it shares.
  mpi.send(%s, %tag, %peer, %c) : memref<8xf32>, i32, i32
  // expected-remark @+1 {{mpi.allreduce of device memory: staged through host memory, unless the MPI library is CUDA-aware}}
  mpi.allreduce(%d, %d, MPI_SUM, %c) : memref<8x8xf32>, memref<8x8xf32>
  mpi.finalize
  return
}

async.func @other(%c: !mpi.comm) -> !async.token {
  // expected-remark @+1 {{mpi.barrier: the function suspends on the request, without a thread}}
  mpi.barrier(%c)
  %i0 = arith.constant 0 : i32
  // expected-remark @+1 {{mpi.comm_split: the function suspends, and the call blocks a thread of the runtime's: MPI has no other form of it}}
  %half = mpi.comm_split(%c, %i0, %i0) : !mpi.comm
  return
}
