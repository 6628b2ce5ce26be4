//===- kernel_options.h - How kernels are compiled ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of async-gpu-kernels, read.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNEL_OPTIONS_H
#define ASYNC_GPU_GPU_KERNEL_OPTIONS_H

#include "gpu/ptx/chips.h"
#include "lower/pass/pass.h"

#include "mlir-c/IR.h"

/// Different chips in one list.
#define AGPU__MAX_CHIPS 16

typedef struct agpu__kernel_options {
  bool to_cuda, to_native;     ///< targets
  bool embed_ptx, embed_cubin; ///< formats for CUDA
  const agpu__chip *chips[AGPU__MAX_CHIPS];
  size_t chip_count;
  int ptx_version; ///< 0: what is needed
  int opt_level;   ///< 0 to 3
  bool lines;      ///< keep line information
  bool expand_math;
  bool check_accesses; ///< of accesses on the emulated device
  bool coroutines;     ///< there, for all threads that wait
  bool bare_pointers;
  const char *toolkit; ///< folder; "" for a search
} agpu__kernel_options;

/// The options as the pass declares them.
#define AGPU__KERNEL_OPTION_COUNT 11
extern const agpu_pass_option
    agpu__kernel_option_list[AGPU__KERNEL_OPTION_COUNT];

/// Reads the values, whose strings must outlive `out_options`. Fails with a
/// diagnostic at `location` for each that has no meaning.
MlirLogicalResult agpu__kernel_options_read(MlirLocation location,
                                            const agpu_pass_values *values,
                                            agpu__kernel_options *out_options);

#endif // ASYNC_GPU_GPU_KERNEL_OPTIONS_H
