// All lanes that are active read one: the first, or one that is named.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry broadcast(
  // CHECK: activemask.b32 %[[MASK:.*]];
  // CHECK: popc.b32 %[[FIRST:.*]],
  // CHECK: shfl.sync.idx.b32 %{{.*}}, %{{.*}}, %[[FIRST]], 31, %[[MASK]];
  // Where all lanes come to, they wait for each other.
  // CHECK-NOT: activemask
  // CHECK: shfl.sync.idx.b32 {{.*}}, 31, -1;
  // CHECK-LABEL: .entry branch(
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
  gpu.func @branch(%x: memref<?xf32>, %l: i32) kernel {
    %t = gpu.thread_id x
    %c5 = arith.constant 5 : index
    %low = arith.cmpi ult, %t, %c5 : index
    scf.if %low {
      %v = memref.load %x[%t] : memref<?xf32>
      %b = gpu.subgroup_broadcast %v, specific_lane %l : f32
      memref.store %b, %x[%t] : memref<?xf32>
    }
    gpu.return
  }
}
