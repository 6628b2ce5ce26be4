// Memory of a block whose size the launch gives: one array, seen through views.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK: .extern .shared .align 16 .b8 __dynamic_shmem__0[];
  // CHECK-LABEL: .entry dynamic(
  // CHECK: st.shared.b32 [%[[A:[a-z0-9]+]]], 
  // CHECK: st.shared.b32 [%[[A]]+256], 
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.b32 {{.*}}[__dynamic_shmem__0];
  // CHECK: ld.shared.b32 {{.*}}[__dynamic_shmem__0+256];
  gpu.func @dynamic(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %d[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %b = memref.view %d[%c256][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %a[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %b[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %u = memref.load %a[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    %w = memref.load %b[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    %s = arith.addf %u, %w : f32
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }
}
