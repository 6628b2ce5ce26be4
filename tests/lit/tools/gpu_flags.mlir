// Flags on how kernels are compiled, for the pipeline that is run and for the
// one that --emit and the runner add.
// RUN: async-gpu-opt %s --emit=ptx --gpu-chip=sm_80,sm_90 -g | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower --emit=ptx --gpu-chip=sm_80,sm_90 -g | FileCheck %s
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(gpu-kernel-outlining,async-gpu-regions,async-gpu-outline,async-gpu-kernels{targets=ptx})' --emit=ptx --gpu-chip=sm_80,sm_90 -g | FileCheck %s
// RUN: mkdir -p "%t a b"
// RUN: async-gpu-runner %s --device=emu --gpu-chip=sm_80 --gpu-toolkit="%t a b" --gpu-targets=ptx,native
// RUN: not async-gpu-opt %s --gpu-chip=sm_80 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not async-gpu-opt %s --async-gpu-lower --gpu-chips=sm_80 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not async-gpu-runner %s --gpu-chips=sm_80 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not async-gpu-runner %s --device=emu --gpu-opt-level=9 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not async-gpu-runner %s --device=emu --gpu-line-info=maybe 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: async-gpu-opt --help | FileCheck %s --check-prefix=HELP
// RUN: async-gpu-runner --help | FileCheck %s --check-prefix=HELP

// CHECK: .target sm_80
// CHECK: .loc
// CHECK: .target sm_90
// CHECK: .loc
// ALONE: async-gpu-opt: error: the flags on how kernels are compiled need --async-gpu-lower or --async-gpu-kernels
// UNKNOWN: async-gpu-opt: error: unknown option or pass '--gpu-chips', did you mean '--gpu-chip'?
// NEAR: async-gpu-runner: error: unknown option '--gpu-chips', did you mean '--gpu-chip'?
// LEVEL: gpu_flags.mlir:{{[0-9]+}}:3: error: option opt-level=9 is not in 0 to 3
// BOOL: async-gpu-runner: error: async-gpu-lower: option 'gpu-line-info' is true or false, not 'maybe'
// HELP: --gpu-chip=<text>
// HELP: -g
func.func @main() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
             threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    gpu.terminator
  }
  return
}
