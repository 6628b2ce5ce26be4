//===- awake.h - Waiting without sleep, for a while --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_AWAKE_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_AWAKE_H

#include <stdbool.h>
#include <stdint.h>

/// How many nanoseconds a thread that waits for the device, or one of the
/// device's that has run out of work, looks for more before it sleeps. 0 where
/// the device has one thread.
int64_t agpu__emu_awake_ns(void);

/// Whether is_done(of) comes true in that time; looks once at least, and twice
/// where that is not 0. Who goes on to sleep has to look again.
bool agpu__emu_stay_awake(bool (*is_done)(void *of), void *of);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_AWAKE_H
