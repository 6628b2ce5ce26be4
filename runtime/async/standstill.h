//===- standstill.h - What a program waits for in vain ---------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unless ASYNC_GPU_WATCHDOG is off, a program that has come to a standstill
// (see exec/watch.c) ends with a report of what waits for what.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_STANDSTILL_H
#define ASYNC_GPU_RUNTIME_ASYNC_STANDSTILL_H

#include "async_gpu/status.h"

#include "async/object.h"
#include "exec/watch.h"

#include <stdbool.h>
#include <stddef.h>

/// Reads the setting and has standstills looked for. What is pending is said by
/// `watch`, the same each time; its `standstill` is set here. Under the lock of
/// the runtime's start.
void agpu__standstill_watch(const agpu__exec_watch *watch);

/// For the end of the program, when the executor has been stopped: a status
/// that names the coroutines that were never resumed, and what they wait for.
/// AGPU_OK if there are none, the watchdog is off, or the process has threads
/// that the runtime does not know.
agpu_status agpu__standstill_at_end(void);

/// Writes a line for each wait of a thread or region to `buffer`, those for the
/// oldest objects first and as many as fit, each after a line break and with
/// `who` in it; but not the waits for objects that `is_known` knows. Only while
/// nothing can end a wait.
AGPU__SHARED void agpu__standstill_list(
    const char *who,
    bool (*is_known)(const agpu_object *object, void *argument), void *argument,
    char *buffer, size_t size);

#endif // ASYNC_GPU_RUNTIME_ASYNC_STANDSTILL_H
