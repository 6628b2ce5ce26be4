// Lanes read from further lanes of their group, around its end.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry rotate(
  // CHECK: mov.u32 %[[LANE:.*]], %laneid;
  // CHECK: add.s32 %[[AHEAD:.*]], %[[LANE]], 3;
  // CHECK: setp.lt.u32 %[[IN:.*]], %[[LANE]], 16;
  // CHECK: selp.b32 %[[MASK:.*]], 65535, -65536, %[[IN]];
  // CHECK: shfl.sync.idx.b32 {{.*}}, 15, %[[MASK]];
  gpu.func @rotate(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %s, %p = gpu.rotate %v, 3, 16 : f32
    %r = arith.select %p, %s, %v : f32
    memref.store %r, %x[%t] : memref<?xf32>
    gpu.return
  }
}
