// What LLVM's backend cannot compile ends in a message, where LLVM itself would
// end the process. Two modules, so that the compiler goes on after the first.
// RUN: not async-gpu-opt %s --async-gpu-kernels=targets=ptx 2>&1 | FileCheck %s

// CHECK: kernels-backend.mlir:[[#@LINE+1]]:1: error: cannot compile this module for sm_75: unsupported library call operation
gpu.module @arithmetic {
  gpu.func @k(%x: memref<f128>) kernel {
    %v = memref.load %x[] : memref<f128>
    %w = arith.addf %v, %v : f128
    memref.store %w, %x[] : memref<f128>
    gpu.return
  }
}

// CHECK: kernels-backend.mlir:[[#@LINE+1]]:1: error: cannot compile this module for sm_75: Cannot select: intrinsic %llvm.nvvm.barrier.cluster.arrive
gpu.module @chip {
  gpu.func @k() kernel {
    llvm.call_intrinsic "llvm.nvvm.barrier.cluster.arrive"() : () -> ()
    gpu.return
  }
}

// CHECK: kernels-backend.mlir:[[#@LINE+1]]:1: error: cannot compile this module for sm_75: {{.*}}dynamic alloca
gpu.module @version {
  gpu.func @k(%n: index, %x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %a = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %x[%n] : memref<?xf32>
    memref.store %v, %a[%n] : memref<?xf32>
    %w = memref.load %a[%t] : memref<?xf32>
    memref.store %w, %x[%n] : memref<?xf32>
    gpu.return
  }
}
