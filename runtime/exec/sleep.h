//===- sleep.h - Searchers, sleepers, and waking them -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_SLEEP_H
#define ASYNC_GPU_RUNTIME_EXEC_SLEEP_H

#include "base/sync/park.h"

#include <stdbool.h>
#include <stdint.h>

/// Signals on parkers, beside AGPU__EXEC_DONE.
#define AGPU__EXEC_NOTIFIED AGPU__PARK_BIT(1) ///< there is work, or the end
#define AGPU__EXEC_SEATED AGPU__PARK_BIT(2)   ///< a spare thread got a seat

/// After a task was queued: wakes a sleeper unless one is on its way.
void agpu__exec_notify(void);

/// Makes the calling thread a searcher, unless there is one.
bool agpu__exec_begin_search(void);

/// Lets time pass, for a thread that expects something within microseconds and
/// has looked for it `looks` times. False if it should go to sleep.
bool agpu__exec_spin(uint32_t looks);

/// The calling thread, a searcher, found a task or gives up.
void agpu__exec_end_search(void);

/// Sleeps until there may be work, or until `parker` has `also`. `searching`
/// says whether the caller is a searcher, and afterwards whether it is one: it
/// was woken for work, and must find a task or call agpu__exec_end_search.
void agpu__exec_sleep(agpu__parker *parker, uint32_t also, bool in_task,
                      bool *searching);

/// Without a seat: sleeps until `parker` has AGPU__EXEC_DONE.
void agpu__exec_sleep_seatless(agpu__parker *parker);

#endif // ASYNC_GPU_RUNTIME_EXEC_SLEEP_H
