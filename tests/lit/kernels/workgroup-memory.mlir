// Barriers, memory of a block and of a thread.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry barrier(
  // CHECK: .local .align {{[0-9]+}} .b8 __local_depot0[16];
  // CHECK: .shared .align {{[0-9]+}} .b8 __wg_barrier_0[256];
  // CHECK: st.shared
  // CHECK: bar.sync 0;
  // CHECK: ld.shared
  // CHECK: st.local
  gpu.func @barrier(%x: memref<?xf32>) 
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>)
      private(%p: memref<4xf32, #gpu.address_space<private>>)
      kernel {
    %t = gpu.thread_id x
    %c3 = arith.constant 3 : index
    %c63 = arith.constant 63 : index
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %c63, %t : index
    %w = memref.load %s[%r] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.barrier
    %i = arith.andi %t, %c3 : index
    memref.store %w, %p[%i] : memref<4xf32, #gpu.address_space<private>>
    %u = memref.load %p[%c3] : memref<4xf32, #gpu.address_space<private>>
    memref.store %u, %x[%t] : memref<?xf32>
    gpu.return
  }

  // What LLVM loads as four of a vector of three is all of the buffer.
  // CHECK-LABEL: .entry three(
  // CHECK: .shared .align 8 .b8 __wg_three_0[8];
  // CHECK: ld.shared.b64
  gpu.func @three(%x: memref<3xi16>)
      workgroup(%s: memref<3xi16, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<3xi16>
    memref.store %v, %s[%t] : memref<3xi16, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = vector.load %s[%c0] : memref<3xi16, #gpu.address_space<workgroup>>, vector<3xi16>
    %y = vector.reduction <add>, %w : vector<3xi16> into i16
    memref.store %y, %x[%t] : memref<3xi16>
    gpu.return
  }
}
