// All lanes that are active read one: the first, or one that is named.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry broadcast(
  // CHECK: activemask.b32 %[[MASK:.*]];
  // CHECK: popc.b32 %[[FIRST:.*]],
  // CHECK: shfl.sync.idx.b32 %{{.*}}, %{{.*}}, %[[FIRST]], 31, %[[MASK]];
  // CHECK: activemask.b32 %[[MASK:.*]];
  // CHECK: shfl.sync.idx.b32 {{.*}}, 31, %[[MASK]];
  gpu.func @broadcast(%x: memref<?xf32>, %l: i32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %a = gpu.subgroup_broadcast %v, first_active_lane : f32
    %b = gpu.subgroup_broadcast %v, specific_lane %l : f32
    %r = arith.addf %a, %b : f32
    memref.store %r, %x[%t] : memref<?xf32>
    gpu.return
  }
}
