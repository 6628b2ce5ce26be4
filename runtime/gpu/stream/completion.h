//===- completion.h - Learning that work has completed ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread tells objects that the work after them has completed, on whatever
// device. It sleeps while nothing is pending, and does not wait in the driver:
// it asks events, when a host function has told it to or from time to time. It
// never blocks: what has to be done after work, and may take the driver long,
// is another thread's (helper.h), and so are pools that are trimmed when
// nothing has been pending for a while.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_H

#include "gpu/stream/event.h"

typedef struct agpu__completion agpu__completion;

/// Gives back to the driver what pools have and did not need since the last
/// call. True: nothing is left to give back before a pool is used again.
typedef bool agpu__trim(void);

/// Reads the settings and starts the thread, which trims pools with `trim`;
/// sets what of `shared` is about events. INVALID_ARGUMENT names a malformed
/// variable, OUT_OF_RESOURCES means that there is no thread.
agpu_status agpu__completion_create(agpu__shared *shared, agpu__trim *trim,
                                    bool is_emu);

/// What is called with the argument it was deferred with and with what the work
/// has come to, which it takes over.
typedef void agpu__deferred(void *argument, agpu_status status);

/// Calls `function` on the helper's thread once `event` has completed or
/// failed. Comes before the completion of every object whose work follows
/// what follows `event` on its stream, on whatever stream that is; others are
/// completed meanwhile. Takes a reference of `event` itself. Any thread.
void agpu__completion_defer(agpu__event *event, agpu__deferred *function,
                            void *argument);

/// Whether anything is pending. Any thread.
bool agpu__completion_is_pending(agpu__completion *completion);

/// Waits until nothing is pending.
void agpu__completion_drain(agpu__completion *completion);

/// Ends the thread. Nothing is pending.
void agpu__completion_destroy(agpu__completion *completion);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_H
