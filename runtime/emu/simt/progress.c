//===- progress.c - What lets the threads of a block go on ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no thread can go on by itself, in this order: threads whose mbarrier's
// phase is over do; else one asynchronous copy ends, and the same again; else
// threads that only ask for a phase get the answer that it is not over. A
// program may ask some times and then do something else, but where nobody else
// does anything, asking for ever is waiting in vain.
//
//===----------------------------------------------------------------------===//

#include "emu/base/settings.h"
#include "emu/simt/bulk.h"
#include "emu/simt/cluster_barrier.h"

/// How often in a row threads ask in vain whether a phase is over.
#define MOST_FRUITLESS 100000u

static bool waits_for_phase(const agpu_native_thread *thread) {
  return thread->frame && thread->site &&
         thread->site->wait == AGPU_NATIVE_PHASE_WAIT;
}

bool agpu__emu_async_release(agpu__emu_runner *runner) {
  bool released = agpu__emu_cluster_barrier_release(runner);
  for (uint32_t i = 0; i < runner->thread_count; ++i) {
    agpu_native_thread *thread = &runner->threads[i];
    if (!waits_for_phase(thread) || !agpu__emu_phase_is_over(thread))
      continue;
    agpu__emu_phase_answer(thread, true);
    released = true;
  }
  if (released && runner->async)
    runner->async->fruitless = 0;
  return released;
}

bool agpu__emu_async_end_one(agpu__emu_runner *runner) {
  bool bulk_first = agpu__emu_get_settings()->seeded &&
                    agpu__emu_random_next(&runner->random) & 1;
  return (bulk_first && agpu__emu_bulk_end_one(runner)) ||
         agpu__emu_copies_end_one(runner) || agpu__emu_bulk_end_one(runner);
}

bool agpu__emu_async_answer(agpu__emu_runner *runner) {
  const agpu_native_thread *waiting = NULL, *asking = NULL;
  for (uint32_t i = 0; i < runner->thread_count; ++i) {
    agpu_native_thread *thread = &runner->threads[i];
    if (!waits_for_phase(thread))
      continue;
    if (!(thread->b & (AGPU_NATIVE_WAIT_TEST | AGPU_NATIVE_WAIT_TRY)))
      waiting = waiting ? waiting : thread;
    else
      asking = asking ? asking : thread;
  }
  if (!asking && !waiting) {
    agpu_native_check_assertions();
    agpu__emu_cluster_barrier_fail(runner);
  }
  if (asking && runner->async->fruitless++ > MOST_FRUITLESS)
    waiting = asking;
  else if (asking)
    waiting = NULL;
  if (waiting) {
    agpu_native_check_assertions(); // that is why others wait in vain
    agpu__emu_phase_fail(runner, waiting);
  }
  for (uint32_t i = 0; asking && i < runner->thread_count; ++i)
    if (waits_for_phase(&runner->threads[i]) &&
        runner->threads[i].b & (AGPU_NATIVE_WAIT_TEST | AGPU_NATIVE_WAIT_TRY))
      agpu__emu_phase_answer(&runner->threads[i], false);
  return asking != NULL;
}

bool agpu__emu_async_go_on(agpu__emu_runner *runner) {
  do {
    if (agpu__emu_async_release(runner))
      return true;
  } while (agpu__emu_async_end_one(runner));
  return agpu__emu_async_answer(runner);
}
