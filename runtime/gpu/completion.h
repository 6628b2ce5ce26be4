//===- completion.h - Learning that work has completed ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread tells objects that the work behind them has completed. It sleeps
// while nothing is pending, and never blocks in the driver: it asks events,
// either when a host function behind one has poked it or from time to time.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_COMPLETION_H
#define ASYNC_GPU_RUNTIME_GPU_COMPLETION_H

#include "gpu/event.h"

/// Reads the settings and starts the thread. INVALID_ARGUMENT names a
/// malformed variable, OUT_OF_RESOURCES means that there is no thread.
agpu_status agpu__completion_start(const agpu__device *device);

/// Calls agpu__object_complete(object, ...) once `event` has completed or
/// failed, on the completion thread. Consumes a reference of `object`; takes
/// one of `event` itself. Any thread.
void agpu__completion_request(agpu__event *event, agpu_object *object);

/// Calls `function(argument)` on the completion thread once `event` has
/// completed or failed; `function` must not block. Comes before the completion
/// of every object whose work is behind `event`, on whatever stream. Takes a
/// reference of `event` itself. Any thread.
void agpu__completion_defer(agpu__event *event, void (*function)(void *),
                            void *argument);

/// Whether anything is pending. Any thread.
bool agpu__completion_is_pending(void);

/// Waits until nothing is pending.
void agpu__completion_drain(void);

/// Ends the thread. Nothing is pending.
void agpu__completion_stop(void);

/// True once an object was told of failed work.
bool agpu__completion_has_failed(void);

#endif // ASYNC_GPU_RUNTIME_GPU_COMPLETION_H
