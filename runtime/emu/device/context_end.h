//===- context_end.h - The end of a context -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_CONTEXT_END_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_CONTEXT_END_H

#include "emu/base/context.h"

/// Waits for the context's work and gives back all that is left in it.
agpu__emu_context_end agpu__emu_end_context;

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_CONTEXT_END_H
