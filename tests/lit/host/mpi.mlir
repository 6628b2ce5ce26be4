// Requests become tokens, and ops that block await them.
// RUN: async-gpu-opt %s --async-gpu-mpi | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s --check-prefix=LOWERED

// LOWERED-NOT: {{ mpi\.}}
// LOWERED: llvm.call @agpu_mpi_init

// CHECK-LABEL: func.func @blocking(
// CHECK-SAME: %[[M:.*]]: memref<8xf32>, %[[TAG:.*]]: i32, %[[PEER:.*]]: i32
func.func @blocking(%m: memref<8xf32>, %tag: i32, %peer: i32) {
  // CHECK: %[[INIT:.*]] = call @agpu_mpi_init(%{{.*}}) {async_gpu.observes = false}
  // CHECK: async.await %[[INIT]] : !async.token
  mpi.init
  // CHECK: %[[WORLD:.*]] = arith.constant 0 : i64
  %c = mpi.comm_world : !mpi.comm
  // CHECK: %[[KIND:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[SENT:.*]] = call @[[STUB:mpi_start.0]](%[[M]], %[[KIND]], %[[TAG]], %[[PEER]], %[[WORLD]], %{{.*}})
  // CHECK: async.await %[[SENT]] : !async.token
  mpi.send(%m, %tag, %peer, %c) : memref<8xf32>, i32, i32
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: %[[CAME:.*]] = call @[[STUB]](
  // CHECK: %[[CODED:.*]] = call @agpu_mpi_code(%[[CAME]], %{{.*}}) : (!async.token, !llvm.ptr) -> !async.value<i32>
  // CHECK: %[[CODE:.*]] = async.await %[[CODED]] : !async.value<i32>
  // CHECK: %[[CLASS:.*]] = arith.constant 55 : i32
  // CHECK: arith.cmpi eq, %[[CODE]], %[[CLASS]]
  %e = mpi.recv(%m, %tag, %peer, %c) : memref<8xf32>, i32, i32 -> !mpi.retval
  %f = mpi.error_class %e : !mpi.retval
  %b = mpi.retval_check %f = <MPI_ERR_TRUNCATE> : i1
  cf.assert %b, "no"
  // CHECK: call @agpu_mpi_finalize(
  // CHECK-NOT: observes
  // CHECK: async.await
  mpi.finalize
  return
}

// A rank is a value; with a return code it is there in case of an error too.
// CHECK-LABEL: func.func @ranks(
// CHECK-SAME: %[[C:.*]]: i64) -> (i32, i32)
// CHECK: %[[R:.*]] = call @agpu_mpi_comm_rank(%[[C]], %{{.*}}) {async_gpu.observes = false}
// CHECK: %[[RANK:.*]] = async.await %[[R]] : !async.value<i32>
// CHECK: %[[S:.*]] = call @agpu_mpi_comm_size(
// CHECK: %[[V:.*]] = call @agpu_mpi_number_code(%[[S]],
// CHECK: async.await %[[V]]
// CHECK: %[[SIZE:.*]] = async.runtime.load %[[S]] : <i32>
// CHECK: return %[[RANK]], %[[SIZE]]
func.func @ranks(%c: !mpi.comm) -> (i32, i32) {
  %r = mpi.comm_rank(%c) : i32
  %e, %s = mpi.comm_size(%c) : !mpi.retval, i32
  return %r, %s : i32, i32
}

// CHECK-LABEL: func.func @halves(
// CHECK: call @agpu_mpi_comm_split(%{{.*}}) {async_gpu.observes = false} : (i64, i32, i32, !llvm.ptr) -> !async.value<i64>
// CHECK: call @agpu_mpi_barrier(
func.func @halves(%c: !mpi.comm, %color: i32, %key: i32) {
  %h = mpi.comm_split(%c, %color, %key) : !mpi.comm
  mpi.barrier(%h)
  return
}

// Types change wherever they stand: in values, functions and regions.
// CHECK-LABEL: func.func @requests(
// CHECK-SAME: %[[T:.*]]: !async.value<!async.token>, %[[C:.*]]: i64) -> !async.token
func.func @requests(%m: memref<4xi8>, %i: i32, %t: !async.value<!mpi.request>, %c: !mpi.comm) -> !mpi.request {
  // CHECK: %[[IN:.*]] = call @mpi_start.
  // CHECK: %[[START:.*]] = call @agpu_mpi_start_code(%[[IN]])
  // CHECK: arith.cmpi eq, %[[START]]
  %e, %r = mpi.irecv(%m, %i, %i, %c) : memref<4xi8>, i32, i32 -> !mpi.retval, !mpi.request
  %b = mpi.retval_check %e = <MPI_SUCCESS> : i1
  // CHECK: scf.if %{{.*}} -> (!async.token)
  %x = scf.if %b -> (!mpi.request) {
    scf.yield %r : !mpi.request
  } else {
    %o = mpi.isend(%m, %i, %i, %c) : memref<4xi8>, i32, i32 -> !mpi.request
    scf.yield %o : !mpi.request
  }
  // CHECK: async.execute
  // CHECK: async.await %[[IN]] : !async.token
  %d = async.execute {
    mpi.wait(%r) : !mpi.request
    async.yield
  }
  return %x : !mpi.request
}

// CHECK-LABEL: func.func @sums(
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: call @mpi_allreduce.
// CHECK: llvm.mlir.constant(11 : i32)
// CHECK: call @mpi_allreduce.
func.func @sums(%x: memref<4x2xi32>, %y: memref<4x2xi32, strided<[8, 1]>>, %c: !mpi.comm) {
  mpi.allreduce(%x, %y, MPI_SUM, %c) : memref<4x2xi32>, memref<4x2xi32, strided<[8, 1]>>
  mpi.allreduce(%x, %x, MPI_MINLOC, %c) : memref<4x2xi32>, memref<4x2xi32>
  return
}

// CHECK-LABEL: func.func @elements(
func.func @elements(%i: i32, %c: !mpi.comm, %a: memref<?x3xbf16, strided<[?, ?], offset: ?>, 1>,
                    %v: memref<2xvector<4xf64>>, %w: memref<2xvector<3xf64>>) {
  mpi.send(%a, %i, %i, %c) : memref<?x3xbf16, strided<[?, ?], offset: ?>, 1>, i32, i32
  mpi.send(%v, %i, %i, %c) : memref<2xvector<4xf64>>, i32, i32
  mpi.send(%w, %i, %i, %c) : memref<2xvector<3xf64>>, i32, i32
  return
}
// What an element consists of: a type of MPI, and bytes where there is none.
// CHECK-LABEL: func.func private @mpi_start.0(%{{.*}}: memref<8xf32>
// Side by side: one element of as many bytes.
// CHECK: %[[SIZE:.*]] = arith.index_cast %sizes : index to i64
// CHECK: llvm.mul %{{.*}}, %[[SIZE]] : i64
// CHECK-NEXT: llvm.mlir.constant(0 : i64) : i64
// CHECK: llvm.mlir.constant(10 : i32)
// CHECK: call @agpu_mpi_start(
// CHECK-LABEL: func.func private @mpi_start.{{[0-9]+}}(%{{.*}}: memref<?x3xbf16,
// CHECK: memref.extract_strided_metadata
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK-LABEL: func.func private @mpi_start.{{[0-9]+}}(%{{.*}}: memref<2xvector<4xf64>>
// CHECK: llvm.mlir.constant(11 : i32)
// CHECK-LABEL: func.func private @mpi_start.{{[0-9]+}}(%{{.*}}: memref<2xvector<3xf64>>
// CHECK: llvm.mlir.constant(0 : i32)
