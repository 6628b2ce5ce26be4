// An op that a chip lacks is an error where it stands, which names both, for
// each chip that is asked for.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_75,sm_90" --split-input-file --verify-diagnostics

gpu.module @cluster {
  gpu.func @k(%x: memref<index>) kernel {
    // expected-error @+1 {{'gpu.cluster_id' cannot be compiled for sm_75: it needs sm_90 or later}}
    %r = gpu.cluster_id x
    // Nobody asks for this one.
    %unused = gpu.cluster_id y
    memref.store %r, %x[] : memref<index>
    gpu.return
  }
}

// -----

gpu.module @wgmma {
  gpu.func @k() kernel {
    // expected-error @+2 {{'nvvm.wgmma.fence.aligned' cannot be compiled for sm_75: it needs sm_90a, and no other chip has it}}
    // expected-error @+1 {{'nvvm.wgmma.fence.aligned' cannot be compiled for sm_90: it needs sm_90a, and no other chip has it}}
    nvvm.wgmma.fence.aligned
    gpu.return
  }
}

// -----

gpu.module @tcgen05 {
  gpu.func @k(%a: !llvm.ptr, %n: i32) kernel {
    // expected-error @+2 {{'nvvm.tcgen05.relinquish_alloc_permit' cannot be compiled for sm_75: it needs sm_100a or the like of a later chip}}
    // expected-error @+1 {{cannot be compiled for sm_90}}
    nvvm.tcgen05.relinquish_alloc_permit
    gpu.return
  }
}

// -----

// Inline assembly would get past LLVM.
gpu.module @barrier {
  gpu.func @k(%x: memref<128xf16>)
      workgroup(%s: memref<128xf16, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'nvgpu.device_async_copy' cannot be compiled for sm_75: it needs sm_80 or later}}
    %e = nvgpu.device_async_copy %x[%c0], %s[%c0], 8 : memref<128xf16> to memref<128xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'nvgpu.device_async_create_group' cannot be compiled for sm_75}}
    %g = nvgpu.device_async_create_group %e
    gpu.return
  }
}
