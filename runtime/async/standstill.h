//===- standstill.h - What a program waits for in vain ---------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variable, read when the runtime starts:
//
//   ASYNC_GPU_WATCHDOG   on (default): a program that has come to a standstill
//                        (see exec/watch.c) ends with a report of what waits
//                        for what; off: it waits for good.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_STANDSTILL_H
#define ASYNC_GPU_RUNTIME_ASYNC_STANDSTILL_H

#include "async_gpu/status.h"

#include <stdbool.h>

/// Reads the setting and has standstills looked for. `is_pending` is as in
/// exec/executor.h.
void agpu__standstill_watch(bool (*is_pending)(void));

/// For the end of the program, when the executor has been stopped: a status
/// that names the coroutines that were never resumed, and what they wait for.
/// AGPU_OK if there are none, the watchdog is off, or the process has threads
/// that the runtime does not know.
agpu_status agpu__standstill_at_end(void);

#endif // ASYNC_GPU_RUNTIME_ASYNC_STANDSTILL_H
