//===- lock.h - The lock of modelled time -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_LOCK_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_LOCK_H

#include "base/sync/mutex.h"

/// One for all that is modelled, so that each step sees all of it.
extern agpu__mutex agpu__emu_timeline_lock;

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_LOCK_H
