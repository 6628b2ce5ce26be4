//===- launch_stub.h - Functions that launch kernels -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LAUNCH_STUB_H
#define ASYNC_GPU_GPU_LAUNCH_STUB_H

#include "lower/ir/ir.h"

/// The stubs of a module so far; zero-initialise.
typedef struct agpu__launch_stubs {
  struct agpu__launch_stub *data;
  size_t count;
} agpu__launch_stubs;
void agpu__launch_stubs_free(agpu__launch_stubs *stubs);

/// Replaces `launch`, an `agpu.launch` or `agpu.launch_with`, by a call of a
/// function that puts the kernel's arguments into memory and calls the runtime.
/// It is never inlined: the memory for the arguments must not become part of a
/// coroutine's frame or grow in a loop. `bare_pointers`: see convention.h.
MlirLogicalResult agpu__lower_launch(agpu__launch_stubs *stubs,
                                     MlirOperation module,
                                     MlirSymbolTable symbols,
                                     MlirOperation launch, bool bare_pointers);

#endif // ASYNC_GPU_GPU_LAUNCH_STUB_H
