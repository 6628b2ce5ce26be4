//===- kernel_options.h - How kernels are compiled -------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of the passes that make images of kernels, and what they say.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNEL_OPTIONS_H
#define ASYNC_GPU_GPU_KERNEL_OPTIONS_H

#include "gpu/ptx/ptx.h"
#include "lower/pass/pass.h"

#include "mlir-c/IR.h"

/// Different chips in one list.
#define AGPU__MAX_CHIPS 16

/// Taken where no chip is named.
#define AGPU__DEFAULT_CHIP "sm_75"

// Of async-gpu-kernel-targets, and of the pipeline around it.
#define AGPU__CHIP_OPTION                                                      \
  {"chip", AGPU_OPTION_STRING, AGPU__DEFAULT_CHIP,                             \
   "Chips to make code for, as in sm_75,sm_90; PTX runs on later ones too."}
#define AGPU__FEATURES_OPTION                                                  \
  {"features", AGPU_OPTION_STRING, "",                                         \
   "PTX version, as in +ptx80; empty for the lowest that chip and kernels "    \
   "allow."}
#define AGPU__TARGETS_OPTION                                                   \
  {"targets", AGPU_OPTION_STRING, "ptx,native",                                \
   "What to make code for: ptx for CUDA, native for the emulated device."}
#define AGPU__MATH_OPTION                                                      \
  {"math", AGPU_OPTION_WORD, "libdevice|expand",                               \
   "Math functions without an instruction: libdevice, or expand for "          \
   "expansions and the chip's approximations of f32."}
#define AGPU__TOOLKIT_OPTION                                                   \
  {"toolkit", AGPU_OPTION_STRING, "",                                          \
   "The CUDA toolkit's folder; empty to search for one."}

// Of async-gpu-embed-kernels, likewise.
#define AGPU__FORMAT_OPTION                                                    \
  {"format", AGPU_OPTION_STRING, "ptx",                                        \
   "What to embed for CUDA: ptx, cubin (needs ptxas), or both."}
#define AGPU__OPT_LEVEL_OPTION                                                 \
  {"opt-level", AGPU_OPTION_INT, "2",                                          \
   "How much LLVM optimises the PTX, 0 to 3."}
#define AGPU__LINE_INFO_OPTION                                                 \
  {"line-info", AGPU_OPTION_BOOL, "false",                                     \
   "Keep the source's lines in the PTX, for profilers and sanitizers."}

/// What to make code for.
typedef struct agpu__target_options {
  bool to_cuda, to_native;
  bool has_ptx; ///< of the program's module, here or in another copy of it
  const agpu__chip *chips[AGPU__MAX_CHIPS];
  size_t chip_count;
  int ptx_version; ///< 0: what is needed
  bool expand_math;
  bool bare_pointers;
  bool share; ///< bodies of native code that are alike but for constants
  const char *toolkit; ///< folder; "" for a search
} agpu__target_options;

/// How to make images for CUDA.
typedef struct agpu__image_options {
  bool embed_ptx, embed_cubin; ///< formats
  int opt_level;               ///< 0 to 3
  bool lines;                  ///< keep line information
} agpu__image_options;

/// Read the values, whose strings must outlive `out_options`. Fail with a
/// diagnostic at `location` for each that has no meaning.
MlirLogicalResult agpu__target_options_read(MlirLocation location,
                                            const agpu_pass_values *values,
                                            agpu__target_options *out_options);
MlirLogicalResult agpu__image_options_read(MlirLocation location,
                                           const agpu_pass_values *values,
                                           agpu__image_options *out_options);

#endif // ASYNC_GPU_GPU_KERNEL_OPTIONS_H
