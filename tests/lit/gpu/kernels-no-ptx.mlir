// PTX without a kernel is never written without a word.
// RUN: split-file %s %t
// RUN: not async-gpu-opt --emit=ptx %t/none.mlir 2>&1 | FileCheck %t/none.mlir
// RUN: not async-gpu-opt --emit=ptx %t/functions.mlir 2>&1 | FileCheck %t/functions.mlir
// RUN: not async-gpu-opt --emit=ptx --canonicalize %t/unlowered.mlir 2>&1 | FileCheck %t/unlowered.mlir
// RUN: not async-gpu-opt --emit=ptx --async-gpu-lower=gpu-targets=native %t/unlowered.mlir 2>&1 | FileCheck %t/unlowered.mlir --check-prefix=NATIVE
// RUN: async-gpu-opt --emit=ptx %t/llvm.mlir | FileCheck %t/llvm.mlir
// RUN: not async-gpu-opt --emit=ptx %t/result.mlir 2>&1 | FileCheck %t/result.mlir
// RUN: not async-gpu-opt --emit=ptx %t/print.mlir 2>&1 | FileCheck %t/print.mlir
// RUN: not async-gpu-opt --async-gpu-lower=gpu-targets=native %t/print.mlir 2>&1 | FileCheck %t/print.mlir

//--- none.mlir
// CHECK: none.mlir:[[#@LINE+1]]:1: error: the program has no kernels, and so no PTX
func.func @main() {
  return
}

//--- functions.mlir
// CHECK: functions.mlir:[[#@LINE+1]]:1: error: no gpu.module of the program has a kernel: the PTX would be empty
gpu.module @m {
  func.func @f(%x: f32) -> f32 {
    return %x : f32
  }
}

//--- unlowered.mlir
// CHECK: unlowered.mlir:[[#@LINE+2]]:1: error: this module's kernels have not been compiled to PTX: run --async-gpu-lower with gpu-targets=ptx
// NATIVE: unlowered.mlir:[[#@LINE+1]]:1: error: these kernels were compiled for the emulated device alone; name ptx in gpu-targets
gpu.module @m {
  gpu.func @k() kernel {
    gpu.return
  }
}

//--- llvm.mlir
// CHECK: .entry k(
gpu.module @m {
  llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel} {
    %c = llvm.mlir.constant(7 : i32) : i32
    llvm.store %c, %p : i32, !llvm.ptr
    llvm.return
  }
}

//--- result.mlir
gpu.module @m {
  // CHECK: result.mlir:[[#@LINE+1]]:3: error: a kernel has no result
  llvm.func @k(%x: i32) -> i32 attributes {gpu.kernel} {
    llvm.return %x : i32
  }
}

//--- print.mlir
gpu.module @m {
  gpu.func @k() kernel {
    %t = gpu.thread_id x
    // CHECK: print.mlir:[[#@LINE+1]]:5: error: vector.print is not supported in a kernel: print numbers with gpu.printf
    vector.print %t : index
    gpu.return
  }
}
