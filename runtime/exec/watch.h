//===- watch.h - Waits that look for a standstill -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_WATCH_H
#define ASYNC_GPU_RUNTIME_EXEC_WATCH_H

#include "base/sync/park.h"

#include <stdbool.h>
#include <stdint.h>

/// What the layers above have to do with a program that comes to a standstill:
/// every thread of the executor sleeps, no task is queued, and the process's
/// first thread waits. It is recognised by that thread, within a second, if
/// the process has no threads that might still do something (see
/// base/os/thread.h) and nothing is pending outside the executor.
typedef struct agpu__exec_watch {
  /// Whether something will still signal a parker or submit a task, although
  /// no task runs. Called under a lock: does not call the executor, nor block.
  bool (*is_pending)(void);
  /// Ends the process.
  void (*standstill)(void);
  /// Whether what is pending are messages of other processes alone, and what is
  /// told if it would be a standstill without them: with a number that differs
  /// where a thread has run in between. NULL where there are no messages.
  bool (*only_messages_are_pending)(void);
  void (*hear_of_rest)(uint64_t rises);
} agpu__exec_watch;

/// Has standstills looked for from now on. `watch` stays valid for good.
void agpu__exec_set_watch(const agpu__exec_watch *watch);

/// Whether something outside the executor is pending that will submit a task or
/// signal a parker, as far as the watch knows.
bool agpu__exec_is_pending(void);

/// Waits until `parker` has any of `mask`. The process's first thread looks
/// from time to time whether the program has come to a standstill.
void agpu__exec_rest(agpu__parker *parker, uint32_t mask);

/// Has the process's first thread look now, in a wait of its own. Not under a
/// lock.
AGPU__SHARED void agpu__exec_look(void);

/// Waits on the executor's condition `quiet`, whose lock the caller holds.
/// Looks likewise.
void agpu__exec_rest_until_quiet(void);

#endif // ASYNC_GPU_RUNTIME_EXEC_WATCH_H
