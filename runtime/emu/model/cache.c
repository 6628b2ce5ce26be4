//===- cache.c - What a card's second-level cache holds -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reuse distance of memory is how much other memory the device has touched
// since (R. Mattson et al., "Evaluation techniques for storage hierarchies",
// IBM Systems Journal 9(2), 1970). It is known for ranges, and not for lines: a
// piece of work goes through its ranges side by side, so that half of what it
// touches lies, on average, behind a line, and half of what the next one
// touches before it.
//
// A distance up to FULL of the capacity hits and one beyond NONE misses.
// Between them measured caches fall off in about a line (gpu-l2-cache of
// te42kyfo's gpu-benches, A100 and H200): the hashed sets fill unevenly.
//
//===----------------------------------------------------------------------===//

#include "emu/model/cache.h"

#include <string.h>

enum { ENTRIES = 128 }; // the oldest goes where there is no room

static const double FULL = 0.8, NONE = 1.35;

/// A range as the piece of work number `work` has left it.
typedef struct entry {
  agpu__emu_touched range;
  uint64_t work;
  double together; // bytes that the piece of work has touched on that device
} entry;

static struct {
  entry entries[ENTRIES] AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  size_t count AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  uint64_t work AGPU__GUARDED_BY(agpu__emu_timeline_lock);
} all;

static double get_length(const agpu__emu_touched *of) {
  return (double)(of->to - of->from);
}

/// The share of `of` that lies in `in`, by addresses.
static double get_overlap(const agpu__emu_touched *of,
                          const agpu__emu_touched *in) {
  uintptr_t from = of->from > in->from ? of->from : in->from;
  uintptr_t to = of->to < in->to ? of->to : in->to;
  return from < to ? (double)(to - from) / get_length(of) : 0;
}

static double get_hits(const agpu__emu_model *model, double distance) {
  double hits = (NONE - distance / model->l2_size) / (NONE - FULL);
  return hits < 0 ? 0 : hits > 1 ? 1 : hits;
}

/// What was touched on the device since the piece of work that left the entry.
static double sum_since(const entry *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  double sum = 0;
  for (size_t i = 0; i < all.count; ++i)
    if (all.entries[i].range.device == of->range.device &&
        all.entries[i].work > of->work)
      sum += all.entries[i].range.bytes;
  return sum;
}

/// The share of the range's traffic that hits. `together`: what its piece of
/// work touches on its device.
static double find_hits(const agpu__emu_model *model,
                        const agpu__emu_touched *range, double together)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  double hits = 0;
  double density = range->bytes / get_length(range);
  for (size_t i = 0; i < all.count; ++i) {
    const entry *old = &all.entries[i];
    double share = get_overlap(range, &old->range);
    double kept = old->range.bytes / get_length(&old->range) / density;
    double distance = sum_since(old) + (old->together + together) / 2;
    if (share > 0)
      hits += share * (kept < 1 ? kept : 1) * get_hits(model, distance);
  }
  return hits < 1 ? hits : 1;
}

/// The range is touched anew: it leaves what is kept of older work.
static void take_over(const agpu__emu_touched *range)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  size_t kept = 0;
  for (size_t i = 0; i < all.count; ++i) {
    entry *old = &all.entries[i];
    agpu__emu_touched *at = &old->range;
    if (old->work != all.work) {
      at->bytes *= 1 - get_overlap(at, range);
      if (at->from >= range->from && at->from < range->to)
        at->from = range->to < at->to ? range->to : at->to;
      if (at->to <= range->to && at->to > range->from)
        at->to = range->from > at->from ? range->from : at->from;
    }
    if (at->from < at->to)
      all.entries[kept++] = *old;
  }
  all.count = kept;
}

static void add(const entry *made) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  take_over(&made->range);
  if (all.count == ENTRIES)
    memmove(all.entries, all.entries + 1, --all.count * sizeof *all.entries);
  all.entries[all.count++] = *made;
}

double agpu__emu_cache_touch(const agpu__emu_model *model,
                             const agpu__emu_touched *ranges, size_t count) {
  double missed = 0;
  entry made[AGPU__EMU_TOUCHED];
  for (size_t i = 0; i < count; ++i) {
    made[i] = (entry){ranges[i], all.work + 1, 0};
    for (size_t k = 0; k < count; ++k)
      if (ranges[k].device == ranges[i].device)
        made[i].together += ranges[k].bytes;
    missed += ranges[i].traffic *
              (1 - find_hits(model, &ranges[i], made[i].together));
  }
  ++all.work;
  for (size_t i = 0; i < count; ++i)
    if (ranges[i].from < ranges[i].to)
      add(&made[i]);
  return missed;
}
