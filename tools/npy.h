//===- npy.h - NumPy's files --------------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_NPY_H
#define ASYNC_GPU_TOOLS_NPY_H

#include "array.h"

/// Reads the array in the .npy file `path` (versions 1 to 3 of the format),
/// into row-major order. False with a message appended to `error`.
bool agpu__npy_read(const char *path, agpu__array *out_array,
                    agpu__text *error);

/// Appends `array` as a .npy file of version 1.
void agpu__npy_print(const agpu__array *array, agpu__text *out);

#endif // ASYNC_GPU_TOOLS_NPY_H
