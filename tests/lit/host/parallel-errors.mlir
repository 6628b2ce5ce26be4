// RUN: async-gpu-opt %s --async-gpu-parallel --verify-diagnostics
// RUN: not async-gpu-opt %s --async-gpu-parallel 2>&1 | FileCheck %s
// The pipeline puts them into memory.
// RUN: async-gpu-opt %s --async-gpu-lower -o /dev/null

// CHECK: parallel-errors.mlir:[[#@LINE+4]]:8: error: this loop gives tensors, which have to become memory first: run --one-shot-bufferize
func.func @tensors() {
  %t = tensor.empty() : tensor<10xf32>
  // expected-error@+1 {{this loop gives tensors}}
  %r = scf.forall (%i) in (10) shared_outs(%o = %t) -> tensor<10xf32> {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<10xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1]
          : tensor<1xf32> into tensor<10xf32>
    }
  }
  return
}
