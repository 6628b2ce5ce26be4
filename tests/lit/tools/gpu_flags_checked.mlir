// Flags on how kernels are compiled are checked in programs that have none, too.
// RUN: not async-gpu-runner %s --gpu-chip=sm_9 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not async-gpu-opt %s --emit=obj --gpu-features=ptx8 -o %t.o 2>&1 | FileCheck %s --check-prefix=FEATURES
// RUN: not ls %t.o
// RUN: not async-gpu-opt %s --async-gpu-lower --gpu-targets=cuda 2>&1 | FileCheck %s --check-prefix=TARGETS
// RUN: not async-gpu-opt %s --async-gpu-lower --gpu-format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not async-gpu-opt %s --async-gpu-lower --gpu-opt-level=4 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not async-gpu-opt %s --async-gpu-lower --gpu-math=fast 2>&1 | FileCheck %s --check-prefix=MATH
// RUN: not async-gpu-opt %s --async-gpu-lower --gpu-native-threads=fibers 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not async-gpu-runner %s --device=emu --gpu-toolkit=%t 2>&1 | FileCheck %s --check-prefix=TOOLKIT
// RUN: not async-gpu-runner %s --host-region-ops=-5 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not async-gpu-runner %s --sequential --device-region-ops=1e6 2>&1 | FileCheck %s --check-prefix=NUMBER

// CHIP: gpu_flags_checked.mlir:1:1: error: unknown chip 'sm_9' in option chip='sm_9'; chips are named as in sm_75
// FEATURES: gpu_flags_checked.mlir:1:1: error: unknown PTX version in option features='ptx8'; give one as in +ptx63
// TARGETS: gpu_flags_checked.mlir:1:1: error: unknown target in option targets='cuda'; the targets are ptx and native
// FORMAT: gpu_flags_checked.mlir:1:1: error: unknown format in option format='elf'; the formats are ptx and cubin
// LEVEL: gpu_flags_checked.mlir:1:1: error: option opt-level=4 is not in 0 to 3
// MATH: async-gpu-opt: error: async-gpu-lower: option 'gpu-math' is libdevice or expand, not 'fast'
// THREADS: async-gpu-opt: error: async-gpu-lower: option 'gpu-native-threads' is auto or coroutines, not 'fibers'
// TOOLKIT: gpu_flags_checked.mlir:1:1: error: option toolkit='{{.*}}' is no folder; name that of a CUDA toolkit, or leave it empty to search for one
// OPS: async-gpu-runner: error: async-gpu-lower: option 'host-region-ops' is a decimal integer, 0 or more, not '-5'
func.func @main() {
  return
}
// NUMBER: async-gpu-runner: error: async-gpu-lower: option 'device-region-ops' is a decimal integer, 0 or more, not '1e6'
