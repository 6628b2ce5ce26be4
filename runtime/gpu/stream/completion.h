//===- completion.h - Learning that work has completed ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread tells objects that the work behind them has completed, on whatever
// device. It sleeps while nothing is pending, and does not wait in the driver:
// it asks events, when there has been word of one (completion_strategy.h) or
// from time to time. When nothing has been pending for a while it has the
// devices' pools trimmed.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_H

#include "gpu/stream/event.h"

typedef struct agpu__completion agpu__completion;

/// Reads the settings and starts the thread. `*out_event_flags` is what events
/// are to be created with, beside the usual flags. INVALID_ARGUMENT names a
/// malformed variable, OUT_OF_RESOURCES means that there is no thread.
agpu_status agpu__completion_create(agpu__completion **out_completion,
                                    unsigned *out_event_flags);

/// Calls agpu__object_complete(object, ...) once `event` has completed or
/// failed, on the completion thread. Consumes a reference of `object`; takes
/// one of `event` itself. Any thread.
void agpu__completion_request(agpu__event *event, agpu_object *object);

/// What is called with the argument it was deferred with and with what the work
/// has come to, which it takes over.
typedef void agpu__deferred(void *argument, agpu_status status);

/// Calls `function` on the completion thread once `event` has completed or
/// failed; it must not block. Comes before the completion
/// of every object whose work is behind `event`, on whatever stream. Takes a
/// reference of `event` itself. Any thread.
void agpu__completion_defer(agpu__event *event, agpu__deferred *function,
                            void *argument);

/// Whether anything is pending. Any thread.
bool agpu__completion_is_pending(agpu__completion *completion);

/// Waits until nothing is pending.
void agpu__completion_drain(agpu__completion *completion);

/// Ends the thread. Nothing is pending.
void agpu__completion_destroy(agpu__completion *completion);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_H
