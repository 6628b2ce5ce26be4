//===- opt_files.h - The files that async-gpu-opt reads and writes -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_OPT_FILES_H
#define ASYNC_GPU_TOOLS_OPT_FILES_H

#include "opt_options.h"

/// False, after a message, if an output of the command line is one of its
/// inputs, or another output.
bool agpu__opt_files_check(const agpu__opt_options *options);

#endif // ASYNC_GPU_TOOLS_OPT_FILES_H
