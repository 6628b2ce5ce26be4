//===- clock.h - Monotonic time ---------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_CLOCK_H
#define ASYNC_GPU_RUNTIME_BASE_OS_CLOCK_H

#include "base/os/platform.h"

#include <stdint.h>

#define AGPU__NS_PER_SECOND INT64_C(1000000000)

/// Nanoseconds since an arbitrary moment; never goes back: of the machine, and
/// the same, or of the modelled one that agpu__clock_set says. Any thread.
AGPU__SHARED int64_t agpu__clock_machine_ns(void);
AGPU__SHARED int64_t agpu__clock_now_ns(void);
void agpu__clock_set(int64_t (*now)(void));

/// Sleeps for `*pause_ns`, which doubles up to a millisecond: for code that
/// asks again and again.
void agpu__clock_pause(int64_t *pause_ns);

#endif // ASYNC_GPU_RUNTIME_BASE_OS_CLOCK_H
