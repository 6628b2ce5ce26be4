//===- library_names.h - Functions that replace the C library's -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_LIBRARY_NAMES_H
#define ASYNC_GPU_TOOLS_LIBRARY_NAMES_H

#include "mlir-c/IR.h"

/// Warns of each function of `module` that an executable would export under a
/// name which the C library defines, too: there the program's function stands
/// for the library's, for all libraries of the process. For modules that are
/// not lowered yet, so that the places are those of the source.
void agpu__library_names_check(MlirOperation module);

#endif // ASYNC_GPU_TOOLS_LIBRARY_NAMES_H
