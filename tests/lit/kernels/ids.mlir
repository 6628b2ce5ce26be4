// Where a thread is, as special registers. Ids are 32 bits wide, and what is
// computed of them by themselves stays so.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry ids(
  // CHECK-DAG: %tid.x
  // CHECK-DAG: %tid.y
  // CHECK-DAG: %tid.z
  // CHECK-DAG: %ctaid.x
  // CHECK-DAG: %ctaid.y
  // CHECK-DAG: %ctaid.z
  // CHECK-DAG: %ntid.x
  // CHECK-DAG: %ntid.y
  // CHECK-DAG: %ntid.z
  // CHECK-DAG: %nctaid.x
  // CHECK-DAG: %nctaid.y
  // CHECK-DAG: %nctaid.z
  // CHECK-DAG: %laneid
  gpu.func @ids(%x: memref<?xindex>) kernel {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %dx = gpu.block_dim x
    %dy = gpu.block_dim y
    %dz = gpu.block_dim z
    %gx = gpu.grid_dim x
    %gy = gpu.grid_dim y
    %gz = gpu.grid_dim z
    %lane = gpu.lane_id
    %sg = gpu.subgroup_id : index
    %nsg = gpu.num_subgroups : index
    %ss = gpu.subgroup_size : index
    %glx = gpu.global_id x
    %gly = gpu.global_id y
    %glz = gpu.global_id z
    %c0 = arith.constant 0 : index
    %s0 = arith.addi %tx, %ty : index
    %s1 = arith.addi %s0, %tz : index
    %s2 = arith.addi %s1, %bx : index
    %s3 = arith.addi %s2, %by : index
    %s4 = arith.addi %s3, %bz : index
    %s5 = arith.addi %s4, %dx : index
    %s6 = arith.addi %s5, %dy : index
    %s7 = arith.addi %s6, %dz : index
    %s8 = arith.addi %s7, %gx : index
    %s9 = arith.addi %s8, %gy : index
    %s10 = arith.addi %s9, %gz : index
    %s11 = arith.addi %s10, %lane : index
    %s12 = arith.addi %s11, %sg : index
    %s13 = arith.addi %s12, %nsg : index
    %s14 = arith.addi %s13, %ss : index
    %s15 = arith.addi %s14, %glx : index
    %s16 = arith.addi %s15, %gly : index
    %s17 = arith.addi %s16, %glz : index
    memref.store %s17, %x[%c0] : memref<?xindex>
    gpu.return
  }
}
