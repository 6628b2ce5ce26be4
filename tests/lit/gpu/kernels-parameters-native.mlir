// What no card takes is not compiled for the emulated device either.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native --verify-diagnostics

gpu.module @huge {
  // expected-error @+1 {{the parameters of this kernel take 32765 bytes, and a kernel takes 32764 at most: pass them in memory}}
  llvm.func @k(%x: !llvm.array<32765 x i8>) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
