// RUN: async-gpu-opt %s --verify-diagnostics --async-gpu-kernels-to-nvvm

gpu.module @m {
  gpu.func @k(%v: f32, %x: memref<?xf32>, %wide: i128) kernel {
    %w0 = arith.constant 0 : i32
    %w64 = arith.constant 64 : i32
    %one = arith.constant 1 : i32
    // expected-error @+1 {{the width is 2147483648; a subgroup has 32 lanes}}
    %a, %p = gpu.rotate %v, 3, 2147483648 : f32
    // expected-error @+1 {{the width is 64; a subgroup has 32 lanes}}
    %b, %q = gpu.rotate %v, 3, 64 : f32
    // expected-error @+1 {{the width is 0; a subgroup has 32 lanes}}
    %d, %s = gpu.shuffle xor %v, %one, %w0 : f32
    // expected-error @+1 {{the width is 64; a subgroup has 32 lanes}}
    %e, %u = gpu.shuffle up %v, %one, %w64 : f32
    // expected-error @+1 {{the lane is 64; a subgroup has 32 lanes}}
    %f = gpu.subgroup_broadcast %v, specific_lane %w64 : f32
    // expected-error @+1 {{'gpu.rotate' moves integers and floats of up to 64 bits and vectors of those, not i128}}
    %g, %y = gpu.rotate %wide, 3, 8 : i128
    gpu.return
  }
}
