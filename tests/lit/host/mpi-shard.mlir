// What ranks of a sharded program do together becomes calls that are awaited.
// RUN: async-gpu-opt %s --async-gpu-mpi | FileCheck %s

memref.global "private" @site : memref<1xi64> = dense<0>

// CHECK-LABEL: func.func @together(
// CHECK-SAME: %[[FROM:.*]]: memref<?xf32>, %[[TO:.*]]: memref<?xf32>, %[[N:.*]]: i32)
func.func @together(%from: memref<?xf32>, %to: memref<?xf32>, %n: i32) -> index {
  %c0 = arith.constant 0 : index
  %site = memref.get_global @site : memref<1xi64>
  %old = memref.load %site[%c0] : memref<1xi64>
  // CHECK: %[[NEW:.*]] = arith.cmpi eq, %[[OLD:.*]], %{{.*}} : i64
  // CHECK: %[[COMM:.*]] = scf.if %[[NEW]] -> (i64) {
  // CHECK: %[[BEGUN:.*]] = func.call @agpu_mpi_begin(
  // CHECK: async.await %[[BEGUN]] : !async.token
  // CHECK: %[[GROUP:.*]] = func.call @agpu_mpi_group(
  // CHECK: %[[MADE:.*]] = async.await %[[GROUP]] : !async.value<i64>
  // CHECK: scf.yield %[[MADE]]
  // CHECK: } else {
  // CHECK: scf.yield %[[OLD]]
  %comm = "agpu.shard_open"(%old) {numbers = array<i64: 2, -1, 1, 1>} : (i64) -> i64
  // CHECK: %[[RANK:.*]] = call @agpu_mpi_comm_rank(%[[COMM]],
  // CHECK: async.await %[[RANK]] : !async.value<i32>
  %rank = "agpu.shard_rank"(%comm) {numbers = array<i64>} : (i64) -> index
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK: call @agpu_mpi_agree(%[[WIDE]],
  "agpu.shard_agree"(%comm, %n) {numbers = array<i64: 2, -1>} : (i64, i32) -> ()
  // CHECK: %[[AT:.*]] = memref.load %{{.*}} {async_gpu.observes = false}
  // CHECK: %[[TOKEN:.*]] = call @mpi_exchange.0(%[[FROM]], %[[TO]], {{.*}}, %[[AT]],
  // CHECK: async.await %[[TOKEN]] : !async.token
  "agpu.exchange"(%from, %to, %site) {numbers = array<i64: 2, 0, 10, 10, 1, 1, 1, -1>} : (memref<?xf32>, memref<?xf32>, memref<1xi64>) -> ()
  // CHECK: %[[SUM:.*]] = call @mpi_shard_reduce.1(%[[FROM]], %[[TO]],
  // CHECK: async.await %[[SUM]] : !async.token
  "agpu.reduce"(%from, %to, %site) {numbers = array<i64: 3, -1>} : (memref<?xf32>, memref<?xf32>, memref<1xi64>) -> ()
  // CHECK: %[[MINE:.*]] = call @mpi_reduce_scatter.2(%[[FROM]], %[[TO]],
  // CHECK: async.await %[[MINE]] : !async.token
  "agpu.reduce"(%from, %to, %site) {numbers = array<i64: 3, 0>} : (memref<?xf32>, memref<?xf32>, memref<1xi64>) -> ()
  return %rank : index
}
