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
#include "exec/census.h"

#include <stdbool.h>
#include <stdint.h>

/// Signals on parkers, beside AGPU__EXEC_DONE.
#define AGPU__EXEC_NOTIFIED AGPU__PARK_BIT(1) ///< there is work, or the end
#define AGPU__EXEC_SEATED AGPU__PARK_BIT(2)   ///< a spare thread got a seat

/// After a task was queued: wakes a sleeper unless somebody searches.
void agpu__exec_notify(void);

/// Makes the calling thread a searcher, unless there are enough.
bool agpu__exec_begin_search(void);

/// Lets time pass, for a thread that expects something within microseconds and
/// has looked for it `looks` times. False if it should go to sleep.
bool agpu__exec_spin(uint32_t looks);

/// The calling thread, if it is a searcher, found a task or gives up. Wakes
/// others if there is more.
void agpu__exec_leave_search(agpu__search as);
static inline void agpu__exec_end_search(agpu__search *search) {
  if (*search == AGPU__SEARCHES_NOT)
    return;
  agpu__exec_leave_search(*search);
  *search = AGPU__SEARCHES_NOT;
}

/// Sleeps until there may be work, or until `parker` has `also`. `search` says
/// what the caller is, and afterwards what it has become: if it was woken for
/// work, it must find a task or call agpu__exec_end_search.
void agpu__exec_sleep(agpu__parker *parker, uint32_t also, bool in_task,
                      agpu__search *search);

/// Without a seat: sleeps until `parker` has AGPU__EXEC_DONE.
void agpu__exec_sleep_seatless(agpu__parker *parker);

#endif // ASYNC_GPU_RUNTIME_EXEC_SLEEP_H
