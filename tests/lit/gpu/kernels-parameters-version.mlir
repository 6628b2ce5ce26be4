// More than 4096 bytes of parameters ask for version 8.1 of PTX, unless a lower one
// was asked for.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_75" --emit=ptx | FileCheck %s
// RUN: not async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_75 features=+ptx80" 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK: .version 8.1
// CHECK: .entry large
gpu.module @m {
// OLD: [[@LINE+1]]:3: error: the parameters of this kernel take 4104 bytes, and PTX before 8.1 takes 4096 at most: pass them in memory
  llvm.func @large(%x: !llvm.array<4089 x i8>, %y: i64) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
