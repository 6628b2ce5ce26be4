// Attributes of kernels that each are well-formed, but do not fit each other or the kernel.
// RUN: split-file %s %t
// RUN: async-gpu-opt %t/facts.mlir --async-gpu-kernel-targets=targets=ptx --verify-diagnostics
// RUN: async-gpu-opt %t/share.mlir --async-gpu-native-share --verify-diagnostics
// RUN: async-gpu-opt %t/embed.mlir --async-gpu-embed-kernels --verify-diagnostics

//--- facts.mlir
gpu.module @m {
  // expected-error@+1 {{has no valid attribute 'agpu.bytes', which async-gpu-kernel-facts leaves: run that pass before}}
  gpu.func @k(%x: memref<4xf32>, %y: memref<4xf32>) kernel attributes {agpu.fresh = array<i32: 0>, agpu.sized = array<i32: 0, 1>, agpu.bytes = array<i64: 16>} {
    gpu.return
  }
}

//--- share.mlir
gpu.module @m {
  llvm.func @body() {
    llvm.return
  }
  llvm.mlir.global internal constant @a(0 : i32) : i32
  llvm.func @first() attributes {agpu.param_sizes = array<i32>, agpu.constants = [@a]} {
    llvm.call @body() : () -> ()
    llvm.return
  }
  // expected-error@+1 {{has no valid attribute 'agpu.constants', which async-gpu-kernel-targets leaves: run that pass before}}
  llvm.func @second() attributes {agpu.param_sizes = array<i32>, agpu.alike = "first", agpu.constants = []} {
    llvm.call @body() : () -> ()
    llvm.return
  }
}

//--- embed.mlir
gpu.module @m attributes {agpu.target = "native"} {
  // expected-error@+1 {{agpu.pointers names parameter 1 of 1}}
  llvm.func @k() attributes {agpu.name = "k", agpu.image_name = "k", agpu.param_sizes = array<i32: 8>, agpu.pointers = array<i64: 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0>} {
    llvm.return
  }
}
