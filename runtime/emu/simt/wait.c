//===- wait.c - Threads that wait, in words -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread waits at, and the message for threads that wait for each other
// in vain: the first of them, and the first that waits elsewhere, with both
// places.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/wait.h"

#include <stdio.h>

const char *agpu__emu_describe_wait(const agpu_native_site *site) {
  switch ((agpu_native_wait)site->wait) {
  case AGPU_NATIVE_BARRIER: return "a barrier";
  case AGPU_NATIVE_NUMBERED_BARRIER: return "barrier";
  case AGPU_NATIVE_WARP_BARRIER: return "a barrier of its warp";
  case AGPU_NATIVE_SHUFFLE: return "a shuffle";
  case AGPU_NATIVE_VOTE: return "a vote of its warp";
  case AGPU_NATIVE_MATCH: return "a match of its warp";
  case AGPU_NATIVE_REDUCTION: return "a reduction of its warp";
  case AGPU_NATIVE_ELECTION: return "an election of its warp";
  case AGPU_NATIVE_ACTIVE_MASK: return "a look at its warp";
  }
  return "an operation";
}

/// Whether it waits for lanes in its mask.
static bool is_of_warp(const agpu_native_thread *thread) {
  return thread->site->wait >= AGPU_NATIVE_WARP_BARRIER &&
         thread->site->wait != AGPU_NATIVE_ACTIVE_MASK;
}

/// Writes what the thread waits at: "a barrier", "barrier 3", and for which
/// lanes, where the other waits at the same kind of operation.
static void print_wait(const agpu_native_thread *thread,
                       const agpu_native_thread *other, char *out,
                       size_t size) {
  char more[24] = "";
  if (thread->site->wait == AGPU_NATIVE_NUMBERED_BARRIER)
    (void)snprintf(more, sizeof more, " %u", thread->a);
  else if (is_of_warp(thread) && other &&
           other->site->wait == thread->site->wait)
    (void)snprintf(more, sizeof more, " of lanes 0x%08x", thread->mask);
  (void)snprintf(out, size, "%s%s", agpu__emu_describe_wait(thread->site),
                 more);
}

/// Whether both wait at one operation.
static bool are_together(const agpu_native_thread *one,
                         const agpu_native_thread *other) {
  return one->site == other->site &&
         (one->site->wait != AGPU_NATIVE_NUMBERED_BARRIER ||
          one->a == other->a) &&
         (!is_of_warp(one) || one->mask == other->mask);
}

_Noreturn void agpu__emu_fail_waiting(const agpu__emu_runner *runner) {
  agpu_native_check_assertions(); // that is why others wait in vain
  const agpu_native_thread *threads = runner->threads;
  uint32_t count = runner->thread_count, first = 0, together = 0, live = 0;
  while (!threads[first].frame)
    ++first;
  uint32_t other = count; // the first that waits elsewhere
  for (uint32_t i = first; i < count; ++i) {
    if (!threads[i].frame)
      continue;
    ++live;
    if (are_together(&threads[first], &threads[i]))
      ++together;
    else if (other == count)
      other = i;
  }
  char ended[64] = "", here[64], there[64];
  if (live < count)
    (void)snprintf(ended, sizeof ended, "; %u of %u threads have ended",
                   count - live, count);
  const uint32_t *size = runner->block.block_dim;
#define ID(number)                                                             \
  (number) % size[0], (number) / size[0] % size[1],                            \
      (number) / (size[0] * size[1])
  print_wait(&threads[first], other == count ? NULL : &threads[other], here,
             sizeof here);
  const char *place = threads[first].site->location;
  if (other == count)
    agpu__emu_block_fail(
        CUDA_ERROR_LAUNCH_FAILED, place,
        "thread %u,%u,%u waits at %s for %u threads, of which %u come%s",
        ID(first), here, threads[first].b, together, ended);
  print_wait(&threads[other], &threads[first], there, sizeof there);
  const char *other_place = threads[other].site->location;
  agpu__emu_block_fail(
      CUDA_ERROR_LAUNCH_FAILED, place,
      "thread %u,%u,%u waits at %s that thread %u,%u,%u does not reach: it "
      "waits at %s%s%s%s",
      ID(first), here, ID(other), there, *other_place ? " at " : "",
      other_place, ended);
#undef ID
}
