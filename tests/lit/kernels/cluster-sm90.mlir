// Clusters of blocks.
// CHIPS: sm_90 sm_100
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry cluster(
  // CHECK-DAG: %clusterid.x
  // CHECK-DAG: %nclusterid.x
  // CHECK-DAG: %cluster_ctaid.x
  // CHECK-DAG: %cluster_nctaid.x
  // CHECK: barrier.cluster.arrive
  // CHECK: barrier.cluster.wait
  gpu.func @cluster(%x: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %cx = gpu.cluster_id x
    %cd = gpu.cluster_dim x
    %cb = gpu.cluster_block_id x
    %cdb = gpu.cluster_dim_blocks x
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %s0 = arith.addi %cx, %cd : index
    %s1 = arith.addi %s0, %cb : index
    %s2 = arith.addi %s1, %cdb : index
    memref.store %s2, %x[%c0] : memref<?xindex>
    gpu.return
  }
}
