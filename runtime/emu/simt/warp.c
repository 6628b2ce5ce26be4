//===- warp.c - Waits of threads, and operations of a warp ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shfl.sync, vote.sync, match.sync, redux.sync, elect.sync and
// bar.warp.sync of the PTX ISA compute, once the lanes that a thread names in
// its mask, and that have not ended, wait at the same operation.
//
// Threads that wait for each other in vain fail their block, with a message
// that names the first of them, the first that waits elsewhere, and both
// places.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/warp.h"

#include "emu/base/hooks.h"
#include "emu/base/settings.h"
#include "emu/simt/block.h"
#include "emu/simt/together.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *agpu__emu_describe_wait(const agpu_native_site *site) {
  switch ((agpu_native_wait)site->wait) {
  case AGPU_NATIVE_BARRIER: return "a barrier";
  case AGPU_NATIVE_NUMBERED_BARRIER: return "barrier";
  case AGPU_NATIVE_PHASE_WAIT: return "an mbarrier";
  case AGPU_NATIVE_CLUSTER_WAIT: return "a barrier of its cluster";
  case AGPU_NATIVE_WARP_BARRIER: return "a barrier of its warp";
  case AGPU_NATIVE_SHUFFLE: return "a shuffle";
  case AGPU_NATIVE_VOTE: return "a vote of its warp";
  case AGPU_NATIVE_MATCH: return "a match of its warp";
  case AGPU_NATIVE_REDUCTION: return "a reduction of its warp";
  case AGPU_NATIVE_ELECTION: return "an election of its warp";
  case AGPU_NATIVE_ACTIVE_MASK: return "a look at its warp";
  case AGPU_NATIVE_COLLECTIVE: return agpu__emu_describe_collective(site);
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
           thread->site->wait != AGPU_NATIVE_COLLECTIVE &&
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
        "thread %u,%u,%u waits at %s for %u threads, of which %u arrive%s",
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

//===----------------------------------------------------------------------===//
// Threads that wait, in words
//===----------------------------------------------------------------------===//

/// What a lane goes on with.
typedef struct outcome {
  uint64_t value;
  uint32_t valid;
} outcome;

/// The lane of lowest number in a mask that is not empty.
static uint32_t first_lane(uint32_t mask) {
  return (uint32_t)__builtin_ctz(mask);
}

#define FOR_EACH_LANE(lane, mask)                                              \
  for (uint32_t rest_ = (mask), lane; rest_ && (lane = first_lane(rest_), 1);  \
       rest_ &= rest_ - 1)

/// What a lane gives that is not there to be read, or not in the mask: hardware
/// leaves it undefined. Recognised as it is, or as a float: -6.3e18.
#define POISON 0xdeadbeefdeadbeefu

/// Only a source outside of the segment gives the thread's own value.
static outcome shuffle(const agpu_native_thread *warp, uint32_t lane,
                       uint32_t members) {
  const agpu_native_thread *thread = &warp[lane];
  uint32_t offset = thread->a & 31u, clamp = thread->b & 31u;
  uint32_t segment = thread->b >> 8 & 31u;
  uint32_t lowest = lane & segment;
  uint32_t limit = lowest | (clamp & ~segment);
  int64_t source = 0;
  bool valid = false;
  switch (thread->site->mode) {
  case 0: source = lane ^ offset; break;
  case 1: source = (int64_t)lane - offset; break;
  case 2: source = (int64_t)lane + offset; break;
  default: source = lowest | (offset & ~segment); break;
  }
  valid = thread->site->mode == 1 ? source >= (int64_t)limit
                                  : source <= (int64_t)limit;
  if (!valid)
    return (outcome){warp[lane].value, false};
  if (members >> source & 1u)
    return (outcome){warp[source].value, true};
  AGPU__EMU_TELL(absent_lane_read, (warp, lane, (uint32_t)source));
  return (outcome){POISON, true};
}

static outcome vote(const agpu_native_thread *warp, uint32_t lane,
                    uint32_t members) {
  uint32_t ballot = 0;
  FOR_EACH_LANE (other, members)
    ballot |= (warp[other].value ? 1u : 0u) << other;
  switch (warp[lane].site->mode) {
  case 0: return (outcome){ballot != 0, 0};
  case 1: return (outcome){ballot == members, 0};
  case 2: return (outcome){ballot, 0};
  default: return (outcome){ballot == 0 || ballot == members, 0};
  }
}

static outcome match(const agpu_native_thread *warp, uint32_t lane,
                     uint32_t members) {
  uint32_t equal = 0;
  FOR_EACH_LANE (other, members)
    equal |= (warp[other].value == warp[lane].value ? 1u : 0u) << other;
  if (warp[lane].site->mode == 0)
    return (outcome){equal, 0};
  return (outcome){equal == members ? members : 0, equal == members};
}

static float as_float(uint64_t value) {
  uint32_t bits = (uint32_t)value;
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/// The smaller or larger of two floats. A NaN loses against a number, unless
/// NaN is to win.
static uint64_t combine_floats(uint64_t x, uint64_t y, bool larger,
                               uint32_t flags) {
  float a = as_float(x), b = as_float(y);
  if (flags & 1u) {
    a = fabsf(a);
    b = fabsf(b);
  }
  float result = larger ? fmaxf(a, b) : fminf(a, b);
  if (flags & 2u && (isnan(a) || isnan(b)))
    result = NAN;
  uint32_t bits;
  memcpy(&bits, &result, sizeof bits);
  return bits;
}

static uint64_t combine(uint32_t mode, uint64_t x, uint64_t y, uint32_t flags) {
  uint32_t a = (uint32_t)x, b = (uint32_t)y;
  switch ((agpu_native_reduction)mode) {
  case AGPU_NATIVE_ADD: return a + b;
  case AGPU_NATIVE_AND: return a & b;
  case AGPU_NATIVE_MAX: return (int32_t)a > (int32_t)b ? a : b;
  case AGPU_NATIVE_MIN: return (int32_t)a < (int32_t)b ? a : b;
  case AGPU_NATIVE_OR: return a | b;
  case AGPU_NATIVE_UMAX: return a > b ? a : b;
  case AGPU_NATIVE_UMIN: return a < b ? a : b;
  case AGPU_NATIVE_XOR: return a ^ b;
  case AGPU_NATIVE_FMIN: return combine_floats(x, y, false, flags);
  case AGPU_NATIVE_FMAX: return combine_floats(x, y, true, flags);
  }
  return x;
}

static outcome reduce(const agpu_native_thread *warp, uint32_t lane,
                      uint32_t members) {
  const agpu_native_thread *thread = &warp[lane];
  uint32_t first = first_lane(members);
  uint64_t value = warp[first].value;
  // Of one lane, too, the absolute value is asked for.
  if (thread->a & 1u)
    value = combine(thread->site->mode, value, value, thread->a);
  FOR_EACH_LANE (other, members & (members - 1))
    value = combine(thread->site->mode, value, warp[other].value, thread->a);
  return (outcome){value, 0};
}

static outcome compute(const agpu_native_thread *warp, uint32_t lane,
                       uint32_t members) {
  switch ((agpu_native_wait)warp[lane].site->wait) {
  case AGPU_NATIVE_SHUFFLE: return shuffle(warp, lane, members);
  case AGPU_NATIVE_VOTE: return vote(warp, lane, members);
  case AGPU_NATIVE_MATCH: return match(warp, lane, members);
  case AGPU_NATIVE_REDUCTION: return reduce(warp, lane, members);
  case AGPU_NATIVE_ELECTION: return (outcome){lane == first_lane(members), 0};
  case AGPU_NATIVE_BARRIER:
  case AGPU_NATIVE_NUMBERED_BARRIER:
  case AGPU_NATIVE_PHASE_WAIT:
  case AGPU_NATIVE_CLUSTER_WAIT:
  case AGPU_NATIVE_WARP_BARRIER:
  case AGPU_NATIVE_ACTIVE_MASK:
  case AGPU_NATIVE_COLLECTIVE: break;
  }
  return (outcome){0, 0};
}

/// The waiting lanes that are at the same operation as `lane`, and for the same
/// lanes. Where it stands does not matter, as branches of a conditional may
/// each have their own, but for instructions that are for whole warps only.
static uint32_t lanes_at(const agpu_native_thread *warp, uint32_t waiting,
                         uint32_t lane) {
  const agpu_native_site *site = warp[lane].site;
  uint32_t same = 0;
  FOR_EACH_LANE (other, waiting)
    if (warp[other].site->wait == site->wait &&
        warp[other].site->mode == site->mode &&
        warp[other].mask == warp[lane].mask &&
        (site->wait != AGPU_NATIVE_COLLECTIVE || warp[other].site == site))
      same |= 1u << other;
  return same;
}

/// The PTX ISA defines nothing for a thread that is not in its own mask, and
/// hardware has let some hang and others go on with any value: the launch
/// fails, unless ASYNC_GPU_EMU_TOLERATE has "masks".
_Noreturn static void fail_outside_of_mask(const agpu_native_thread *warp,
                                           uint32_t lane) {
  const agpu_native_thread *thread = &warp[lane];
  uint32_t id[3];
  agpu__emu_thread_id(thread, id);
  agpu__emu_block_fail(CUDA_ERROR_LAUNCH_FAILED, thread->site->location,
                       "thread %u,%u,%u, lane %u of its warp, is at %s of "
                       "lanes 0x%08x, which do not include it",
                       id[0], id[1], id[2], lane,
                       agpu__emu_describe_wait(thread->site), thread->mask);
}

/// Tells the check for races of the lanes that have met at barriers.
static void note_barriers(const agpu_native_thread *warp, uint32_t live,
                          uint32_t released) {
  size_t first = (size_t)(warp - agpu__emu_runner_current()->threads);
  uint32_t noted = 0;
  for (uint32_t lane = 0; lane < 32 && released >> lane; ++lane) {
    if (!(released >> lane & 1u) || (noted >> lane & 1u) ||
        warp[lane].site->wait != AGPU_NATIVE_WARP_BARRIER)
      continue;
    uint16_t threads[32];
    uint32_t count = 0, members = warp[lane].mask & live;
    FOR_EACH_LANE (other, members)
      threads[count++] = (uint16_t)(first + other);
    agpu__emu_hooks_table.meet(threads, count);
    noted |= members;
  }
}

/// The lanes that ask who is with them at one place, the first that any is at.
/// Where no lane of the warp can go on by itself, no other will join them. PTX
/// does not promise that lanes which have parted meet again by themselves: with
/// a seed, some of them are found and the others later.
static uint32_t active_lanes(const agpu_native_thread *warp, uint32_t waiting) {
  const agpu_native_site *site = NULL;
  uint32_t together = 0;
  FOR_EACH_LANE (lane, waiting) {
    if (!site && warp[lane].site->wait == AGPU_NATIVE_ACTIVE_MASK)
      site = warp[lane].site;
    together |= (warp[lane].site == site ? 1u : 0u) << lane;
  }
  if (!agpu__emu_get_settings()->seeded)
    return together;
  agpu__emu_runner *runner = agpu__emu_runner_current();
  uint64_t draw = agpu__emu_random_next(&runner->random);
  uint32_t some = together & (uint32_t)draw;
  return some && draw >> 63 ? some : together;
}

/// The lanes that are there are at one collective operation. Their results are
/// in memory.
static void do_together(const agpu_native_thread *warp, uint32_t members) {
  const agpu_native_site *site = warp[first_lane(members)].site;
  uint32_t first = (uint32_t)(warp - agpu__emu_runner_current()->threads);
  char *lanes[32];
  if (members != UINT32_MAX)
    agpu__emu_fail_incomplete(site, first, members);
  for (uint32_t lane = 0; lane < 32; ++lane)
    lanes[lane] = (char *)(uintptr_t)warp[lane].value;
  agpu__emu_do_together(site, first, lanes);
}

uint32_t agpu__emu_warp_release(agpu_native_thread *warp, uint32_t live,
                                uint32_t waiting) {
  outcome results[32];
  uint32_t released = 0;
  for (uint32_t rest = waiting, same; rest; rest &= ~same) {
    uint32_t first = first_lane(rest), mask = warp[first].mask;
    same = lanes_at(warp, rest, first);
    if (warp[first].site->wait == AGPU_NATIVE_ACTIVE_MASK)
      continue;
    if (same & ~mask) {
      if (!agpu__emu_get_settings()->tolerate_masks)
        fail_outside_of_mask(warp, first_lane(same & ~mask));
      mask = UINT32_MAX; // what lanes give that execute it together
    }
    uint32_t members = mask & live;
    if (members != same)
      continue;
    if (warp[first].site->wait == AGPU_NATIVE_COLLECTIVE)
      do_together(warp, members);
    FOR_EACH_LANE (lane, same)
      results[lane] = compute(warp, lane, members);
    released |= same;
  }
  if (released && agpu__emu_hooks_table.meet)
    note_barriers(warp, live, released);
  if (!released) {
    released = active_lanes(warp, waiting);
    FOR_EACH_LANE (lane, released)
      results[lane] = (outcome){released, 0};
  }
  FOR_EACH_LANE (lane, released) {
    warp[lane].value = results[lane].value;
    warp[lane].valid = results[lane].valid;
    warp[lane].site = NULL;
  }
  return released;
}
