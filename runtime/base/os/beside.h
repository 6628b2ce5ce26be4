//===- beside.h - Libraries beside the runtime ------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_BESIDE_H
#define ASYNC_GPU_RUNTIME_BASE_OS_BESIDE_H

#include <limits.h>

enum { AGPU__BESIDE_PATH = PATH_MAX + 64 };

/// The path of the library `name` in the folder of the file that holds this
/// code, the program where it is inside, or in a lib folder beside that, into
/// `path`; `name` itself where there is no such file. Any thread.
const char *agpu__find_beside(const char *name, char path[AGPU__BESIDE_PATH]);

#endif // ASYNC_GPU_RUNTIME_BASE_OS_BESIDE_H
