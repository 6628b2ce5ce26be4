//===- libdevice_link.h - CUDA's math library in kernels ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libdevice is LLVM bitcode that comes with each CUDA toolkit. Functions of it
// ask `__nvvm_reflect` how exact they have to be.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LIBDEVICE_LINK_H
#define ASYNC_GPU_GPU_LIBDEVICE_LINK_H

#include "lower/ir/text.h"

#include "llvm-c/Types.h"

#include <stdbool.h>

/// libdevice's functions, to be asked for. NULL, and a message in `error`,
/// where the file at `path` cannot be read as bitcode.
typedef struct agpu__libdevice agpu__libdevice;
agpu__libdevice *agpu__libdevice_open(const char *path, agpu__text *error);
void agpu__libdevice_close(agpu__libdevice *library);

/// True if the library has a body for `name`, of `length` bytes.
bool agpu__libdevice_has(const agpu__libdevice *library, const char *name,
                         size_t length);

/// Writes the type of the function `name` that the library has, as MLIR spells
/// it ("!llvm.func<f32 (f32)>"). False where MLIR has other types.
bool agpu__libdevice_type(const agpu__libdevice *library, const char *name,
                          size_t length, agpu__text *out);

/// Links the library at `path` into `module`, with exact square roots and
/// divisions and without flushing denormals. False, with a message in `error`,
/// where that fails. What is not needed is left for the optimiser to drop.
bool agpu__libdevice_link(LLVMModuleRef module, const char *path,
                          agpu__text *error);

#endif // ASYNC_GPU_GPU_LIBDEVICE_LINK_H
