// What a kernel's parameters may take, each aligned as its type is, is what the
// chip has.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_60,sm_75" --split-input-file --verify-diagnostics

gpu.module @fits {
  llvm.func @small(%x: !llvm.array<4088 x i8>, %y: i64) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @aligned {
  // expected-error @+1 {{the parameters of this kernel take 4104 bytes, and sm_60 takes 4096 at most: pass them in memory}}
  llvm.func @large(%x: !llvm.array<4089 x i8>, %y: i64) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @huge {
  // expected-error @+1 {{the parameters of this kernel take 32765 bytes, and a kernel takes 32764 at most: pass them in memory}}
  llvm.func @k(%x: !llvm.array<32765 x i8>) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
