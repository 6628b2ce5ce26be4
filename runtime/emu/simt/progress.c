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
// threads that only ask for a phase are told that it is not over. A program may
// ask some times and then do something else, but where nobody else does
// anything, asking for ever is waiting in vain.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/async.h"

/// So often in a row threads are told in vain that a phase is not over.
#define MOST_FRUITLESS 100000u

static bool waits_for_phase(const agpu_native_thread *thread) {
  return thread->frame && thread->site &&
         thread->site->wait == AGPU_NATIVE_PHASE_WAIT;
}

/// Lets the threads go on whose phase is over.
static bool release(agpu__emu_runner *runner) {
  bool released = false;
  for (uint32_t i = 0; i < runner->thread_count; ++i) {
    agpu_native_thread *thread = &runner->threads[i];
    if (!waits_for_phase(thread) || !agpu__emu_phase_is_over(thread))
      continue;
    agpu__emu_phase_answer(thread, true);
    released = true;
  }
  return released;
}

/// Answers the threads that do not wait until a phase is over. Fails the block
/// where that has gone on for too long, or where threads do wait that no one
/// will let go on.
static bool answer(agpu__emu_runner *runner) {
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
    if (release(runner)) {
      runner->async->fruitless = 0;
      return true;
    }
  } while (agpu__emu_copies_end_one(runner));
  return answer(runner);
}
