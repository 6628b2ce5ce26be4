//===- abi.h - Which runtime the program will run on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ABI_H
#define ASYNC_GPU_LOWER_ABI_H

#include "lower/pass/pass.h"

/// The option `abi` of the passes that make runtime calls.
#define AGPU__ABI_OPTION                                                       \
  {"abi", AGPU_OPTION_STRING, "",                                              \
   "Runtime that the program will run on: async-gpu, or upstream for a "       \
   "program without GPU ops that calls only what upstream's "                  \
   "libmlir_async_runtime has; errors have no message there. Empty for what "  \
   "an earlier pass was told, async-gpu for the first."}

/// Reads it, and records it on the module. Fails with a diagnostic at `module`
/// when it is neither of the two or not what an earlier pass was told, and at a
/// function where it is `upstream` while that has a stream.
MlirLogicalResult agpu__abi_option(MlirOperation module,
                                   const agpu_pass_values *values,
                                   bool *out_upstream);

#endif // ASYNC_GPU_LOWER_ABI_H
