// RUN: async-gpu-opt %s --verify-diagnostics --async-gpu-kernels-to-nvvm

gpu.module @m {
  gpu.func @k(%v: f32) kernel {
    // expected-error @+1 {{clusters of 64 lanes with stride 1 do not fit into a subgroup of 32}}
    %a = gpu.subgroup_reduce add %v cluster(size = 64) : (f32) -> f32
    // expected-error @+1 {{clusters of 8 lanes with stride 8 do not fit into a subgroup of 32}}
    %b = gpu.subgroup_reduce add %v cluster(size = 8, stride = 8) : (f32) -> f32
    // expected-error @+1 {{clusters of 2147483648 lanes with stride 1 do not fit into a subgroup of 32}}
    %c = gpu.subgroup_reduce add %v cluster(size = 2147483648) : (f32) -> f32
    gpu.return
  }
}
