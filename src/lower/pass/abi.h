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
  {"abi", AGPU_OPTION_STRING, "async-gpu",                                     \
   "Runtime that the program will run on: async-gpu, or upstream for a "       \
   "program without GPU ops that calls only what upstream's "                  \
   "libmlir_async_runtime has; errors have no message there."}

/// Reads it. Fails with a diagnostic at `module` when it is neither of the two,
/// or is `upstream` while the module has streams.
MlirLogicalResult agpu__abi_option(MlirOperation module,
                                   const agpu_pass_values *values,
                                   bool *out_upstream);

#endif // ASYNC_GPU_LOWER_ABI_H
