//===- frame.h - Coroutine frames -------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_ABI_FRAME_H
#define ASYNC_GPU_RUNTIME_ASYNC_ABI_FRAME_H

#include <stdint.h>

/// Frames from agpu_frame_alloc that are alive.
int64_t agpu__frame_count(void);

#endif // ASYNC_GPU_RUNTIME_ASYNC_ABI_FRAME_H
