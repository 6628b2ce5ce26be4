//===- event_waiters.h - Threads that wait in the driver ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the completion thread: it has to hear of all streams at once, and a call
// that waits is about one event.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_WAITERS_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_WAITERS_H

#include "base/sync/park.h"
#include "gpu/stream/event.h"

typedef struct agpu__event_waiters agpu__event_waiters;

/// None yet; they will signal `thread` with `bits`.
agpu__event_waiters *agpu__event_waiters_create(agpu__parker *thread,
                                                uint32_t bits);

/// Has a thread wait for `event`, which is recorded, and signal when it has
/// completed or failed. False where there is no thread for it. Takes a
/// reference itself. For one thread at a time.
bool agpu__event_waiters_give(agpu__event_waiters *waiters, agpu__event *event);

/// Ends the threads, which wait for nothing any more.
void agpu__event_waiters_destroy(agpu__event_waiters *waiters);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_WAITERS_H
