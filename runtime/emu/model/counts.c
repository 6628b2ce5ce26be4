//===- counts.c - What kernels execute and access -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a block runs to a barrier or to its end before the next one goes
// on, so an instruction of a warp comes lane by lane. An access is known by its
// place in the source and by its index among those of its thread there; lanes
// that access the same 32 bytes in one of these share a sector. What a launch
// reads or writes of memory at all is the sectors of all accesses, and no more
// than what lies between the first and the last byte that accesses of
// overlapping ranges touch.
//
//===----------------------------------------------------------------------===//

#include "emu/model/counts.h"

#include "emu/memory/memory.h"
#include "emu/model/banks.h"
#include "emu/model/cost.h"
#include "emu/model/lock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SITES = 64,  // of a kernel; those beyond share places
  VISITS = 32, // of a thread to a site, the first ones, that stand for all
  LANES = AGPU__EMU_LANES,
  SECTOR = AGPU__EMU_SECTOR_BYTES,
  SAMPLES = 16, // blocks between the first two and the last one
};

/// Where a warp accesses memory.
typedef struct visit {
  uint32_t warp, last; // the last thread's number
  uint32_t count;      // sectors
  uintptr_t sectors[LANES];
} visit;

typedef struct site {
  const char *location;
  bool writes, is_used;
  uintptr_t base, limit;               // the allocation that it is of
  uintptr_t from, to;                  // bytes touched
  double accesses, looked_at, sectors; // the last: of those looked at
  uint32_t thread, next;               // the last thread, and its next visit
  visit visits[VISITS];
} site;

/// What is kept of a site at the end of a runner.
typedef struct range {
  const char *location;
  bool writes;
  uintptr_t base, from, to;
  double sectors;
} range;

struct agpu__emu_launch_counts {
  agpu__emu_tally sum;
  size_t count;
  range ranges[SITES];
};

/// Of a runner.
typedef struct counted {
  const agpu__emu_model *model;
  bool is_on; // the block is one that is counted
  // Whether it stands for others: the last of many, which may be at an edge,
  // does not.
  bool is_common;
  agpu__emu_tally sum;
  agpu__emu_work phase;    // since a barrier, what is not in `sum` yet
  double threads, arrived; // of the block; of these, at the next barrier
  agpu__emu_banks *banks;  // once workgroup memory is accessed
  site sites[SITES];
} counted;

agpu__emu_launch_counts *agpu__emu_launch_counts_create(void) {
  return calloc(1, sizeof(agpu__emu_launch_counts));
}

static bool is_sample(const agpu__emu_runner *runner, uint64_t samples,
                      bool *out_is_common) {
  const uint32_t *grid = runner->block.grid_dim, *at = runner->block.block_id;
  uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
  uint64_t number = ((uint64_t)at[2] * grid[1] + at[1]) * grid[0] + at[0];
  *out_is_common = number + 1 < total || total <= samples;
  uint64_t step = total / samples + 1;
  return number < 2 || number + 1 == total || number % step == step / 2;
}

/// Adds `factor` times what is in `work`.
static void add_work(agpu__emu_work *to, const agpu__emu_work *work,
                     double factor) {
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i)
    to->executed[i] += factor * work->executed[i];
  to->chain += factor * work->chain;
  to->chained_loads += factor * work->chained_loads;
  to->chained_reads += factor * work->chained_reads;
  to->products += factor * work->products;
  to->workgroup_accesses += factor * work->workgroup_accesses;
  to->workgroup_words += factor * work->workgroup_words;
  to->reads += factor * work->reads;
  to->writes += factor * work->writes;
}

/// The block's threads have all come to a barrier, or to their end. Times are
/// whole picoseconds, so that their sum is the same in each order of blocks.
static void end_phase(counted *self) {
  const agpu__emu_model *model = self->model;
  if (self->banks)
    self->phase.workgroup_words = agpu__emu_banks_take(self->banks);
  if (self->is_common) {
    self->sum.alone_near +=
        round(1e3 * agpu__emu_cost_of_phase(model, &self->phase, self->threads,
                                            model->l2_latency));
    self->sum.alone_far +=
        round(1e3 * agpu__emu_cost_of_phase(model, &self->phase, self->threads,
                                            model->memory_latency));
  }
  add_work(&self->sum.work, &self->phase, 1);
  self->phase = (agpu__emu_work){0};
  self->arrived = 0;
}

void agpu__emu_counts_begin_block(const agpu__emu_model *model,
                                  const agpu__emu_runner *constant, bool few) {
  agpu__emu_runner *runner = (agpu__emu_runner *)constant;
  if (!runner->launch->counts)
    return;
  if (!runner->counted)
    runner->counted = calloc(1, sizeof(counted));
  counted *self = runner->counted;
  if (!self)
    return;
  if (self->is_on)
    end_phase(self);
  const uint32_t *size = runner->block.block_dim;
  self->model = model;
  self->threads = (double)size[0] * size[1] * size[2];
  self->is_on = is_sample(runner, few ? 1 : SAMPLES, &self->is_common);
  self->sum.blocks += self->is_on;
  self->sum.alone_blocks += self->is_on && self->is_common;
  for (size_t i = 0; i < SITES && self->is_on; ++i) {
    self->sites[i].thread = UINT32_MAX;
    for (size_t k = 0; k < VISITS; ++k)
      self->sites[i].visits[k].count = 0;
  }
}

bool agpu__emu_counts_is_other(const agpu__emu_runner *runner) {
  const counted *self = runner->counted;
  return runner->launch->counts && self && !self->is_on;
}

/// The runner's counter, where its block is counted.
static counted *get_counted(const agpu__emu_runner *runner) {
  counted *self = runner ? runner->counted : NULL;
  return self && self->is_on ? self : NULL;
}

void agpu_native_count(uint64_t counts) {
  counted *self = get_counted(agpu__emu_runner_current());
  if (!self)
    return;
  self->sum.has_counted = true;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i)
    self->phase.executed[i] += (double)(counts >> (8 * i) & 255);
  self->phase.chain += (double)(counts >> 32 & 65535);
  self->phase.chained_loads += (double)(counts >> 48 & 255);
  self->phase.chained_reads += (double)(counts >> 56 & 127);
  self->arrived += (double)(counts >> 63);
  if (self->arrived >= self->threads)
    end_phase(self);
}

/// The address by which copies know what kernels access at `memory`.
static uintptr_t get_address(uintptr_t memory) {
  CUdeviceptr address = agpu__emu_memory_address_of(memory);
  return address ? (uintptr_t)address : memory;
}

/// What is not in an allocation is taken to be in one that is all memory.
static void find_allocation(site *of, uintptr_t place) {
  uintptr_t address = get_address(place);
  agpu__emu_allocation found = agpu__emu_memory_bounds(address);
  bool is_one = found.bytes && address - found.base < found.bytes;
  of->base = is_one ? place - (address - (uintptr_t)found.base) : 0;
  of->limit = is_one ? of->base + found.bytes : UINTPTR_MAX;
}

/// Ops that are of the same place in the source have a site for each array.
static site *find_site(counted *self, const char *location, bool writes,
                       uintptr_t place) {
  size_t at = (size_t)(((uintptr_t)location >> 3) * 2 + writes) % SITES;
  for (size_t i = 0; i < SITES; ++i) {
    site *found = &self->sites[(at + i) % SITES];
    if (!found->is_used) {
      found->is_used = true;
      found->location = location;
      found->writes = writes;
      found->from = UINTPTR_MAX;
      found->thread = UINT32_MAX;
      find_allocation(found, place);
      return found;
    }
    if (found->location == location && found->writes == writes &&
        place >= found->base && place < found->limit)
      return found;
  }
  return &self->sites[at];
}

/// The sectors of the access that no lane before has accessed in that visit.
static uint32_t count_new(visit *of, uintptr_t place, uint64_t size) {
  uint32_t added = 0;
  for (uintptr_t sector = place / SECTOR; sector <= (place + size - 1) / SECTOR;
       ++sector) {
    uint32_t i = 0;
    uint32_t known = of->count < LANES ? of->count : LANES;
    while (i < known && of->sectors[i] != sector)
      ++i;
    if (i < known)
      continue;
    of->sectors[of->count++ % LANES] = sector;
    ++added;
  }
  return added;
}

void agpu__emu_counts_access(agpu__emu_runner *runner, uintptr_t place,
                             uint64_t size, uint32_t flags, bool is_shared,
                             const char *location, uint32_t thread) {
  counted *self = get_counted(runner);
  if (!self || !size)
    return;
  self->sum.has_counted = true;
  if (is_shared) {
    self->phase.workgroup_accesses += 1;
    if (!self->banks)
      self->banks = agpu__emu_banks_create();
    if (self->banks)
      agpu__emu_banks_access(self->banks, location, flags & AGPU_NATIVE_WRITES,
                             place, size, thread);
    return;
  }
  if (flags & AGPU_NATIVE_WRITES)
    self->phase.writes += 1;
  else
    self->phase.reads += 1;
  site *at = find_site(self, location, flags & AGPU_NATIVE_WRITES, place);
  at->next = thread == at->thread ? at->next + 1 : 0;
  at->thread = thread;
  at->from = place < at->from ? place : at->from;
  at->to = place + size > at->to ? (uintptr_t)(place + size) : at->to;
  at->accesses += 1;
  if (at->next >= VISITS)
    return;
  visit *of = &at->visits[at->next];
  // Another warp, or the same one once more.
  if (of->warp != thread / LANES || thread <= of->last)
    of->count = 0;
  of->warp = thread / LANES;
  of->last = thread;
  at->looked_at += 1;
  at->sectors += count_new(of, place, size);
}

/// Products of elements of half as many bits take half as long; those of f64
/// have a sixteenth of the rate of f16, as white papers of cards have it.
void agpu__emu_counts_multiply(agpu__emu_runner *runner, uint32_t products,
                               uint32_t bits) {
  counted *self = get_counted(runner);
  if (!self)
    return;
  self->sum.has_counted = true;
  self->phase.products += products * (bits == 64 ? 16 : bits / 16.0);
}

/// Places beyond those that there is room for share the last range.
static void add_range(agpu__emu_launch_counts *to, const site *of) {
  size_t i = 0;
  while (i < to->count &&
         (to->ranges[i].location != of->location ||
          to->ranges[i].writes != of->writes || to->ranges[i].base != of->base))
    ++i;
  if (i == SITES)
    --i;
  else if (i == to->count)
    to->ranges[to->count++] =
        (range){of->location, of->writes, of->base, of->from, of->to, 0};
  range *into = &to->ranges[i];
  into->from = of->from < into->from ? of->from : into->from;
  into->to = of->to > into->to ? of->to : into->to;
  into->sectors += of->sectors * of->accesses / of->looked_at;
}

void agpu__emu_counts_end(agpu__emu_runner *runner) {
  counted *self = runner->counted;
  agpu__emu_launch_counts *to = runner->launch->counts;
  runner->counted = NULL;
  if (self->is_on)
    end_phase(self);
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_tally *sum = &to->sum;
  sum->has_counted |= self->sum.has_counted;
  sum->blocks += self->sum.blocks;
  add_work(&sum->work, &self->sum.work, 1);
  sum->alone_blocks += self->sum.alone_blocks;
  sum->alone_near += self->sum.alone_near;
  sum->alone_far += self->sum.alone_far;
  for (size_t i = 0; i < SITES; ++i)
    if (self->sites[i].is_used)
      add_range(to, &self->sites[i]);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  free(self->banks);
  free(self);
}

static int compare_ranges(const void *first, const void *second) {
  const range *a = first, *b = second;
  if (a->writes != b->writes)
    return a->writes - b->writes;
  return (a->from > b->from) - (a->from < b->from);
}

/// Ranges that overlap become one: of `count` in the order of where they begin,
/// which are all read or all written. `scale`: a launch's sectors for each that
/// was counted. Writes them to `out`, and gives how many these are.
static size_t join(const range *ranges, size_t count, double scale,
                   agpu__emu_touched *out) {
  size_t joined = 0;
  for (size_t i = 0; i < count;) {
    uintptr_t from = ranges[i].from, to = ranges[i].to;
    double sectors = 0;
    for (; i < count && ranges[i].from <= to; ++i) {
      to = ranges[i].to > to ? ranges[i].to : to;
      sectors += ranges[i].sectors;
    }
    double touched = sectors * scale * (double)SECTOR,
           most = (double)(to - from);
    double bytes = touched < most ? touched : most;
    uintptr_t address = get_address(from);
    out[joined++] =
        (agpu__emu_touched){address, address + (to - from), bytes, bytes,
                            agpu__emu_memory_slot_device(address)};
  }
  return joined;
}

static int compare_touched(const void *first, const void *second) {
  const agpu__emu_touched *a = first, *b = second;
  return (a->from > b->from) - (a->from < b->from);
}

/// What is read and what is written of the same memory is touched once.
static void unite(agpu__emu_tally *to, agpu__emu_touched *all, size_t count) {
  qsort(all, count, sizeof *all, compare_touched);
  for (size_t i = 0; i < count; ++i) {
    agpu__emu_touched *last = to->ranges ? &to->touched[to->ranges - 1] : NULL;
    if (!last || (all[i].from > last->to && to->ranges < AGPU__EMU_TOUCHED)) {
      to->touched[to->ranges++] = all[i];
      continue;
    }
    last->to = all[i].to > last->to ? all[i].to : last->to;
    double sum = last->bytes + all[i].bytes,
           most = (double)(last->to - last->from);
    last->bytes = sum < most ? sum : most;
    last->traffic += all[i].traffic;
  }
}

agpu__emu_tally agpu__emu_launch_counts_take(agpu__emu_launch_counts *of,
                                             const agpu__emu_launch *launch) {
  const uint32_t *grid = launch->block.grid_dim;
  double total = (double)grid[0] * grid[1] * grid[2];
  agpu__emu_tally sum = of->sum;
  double scale = sum.blocks > 0 ? total / sum.blocks : 0;
  qsort(of->ranges, of->count, sizeof *of->ranges, compare_ranges);
  size_t reads = 0;
  for (size_t i = 0; i < of->count; ++i) {
    reads += !of->ranges[i].writes;
    *(of->ranges[i].writes ? &sum.written_sectors : &sum.read_sectors) +=
        of->ranges[i].sectors * scale;
  }
  agpu__emu_touched all[SITES];
  size_t joined = join(of->ranges, reads, scale, all);
  joined += join(of->ranges + reads, of->count - reads, scale, all + joined);
  unite(&sum, all, joined);
  add_work(&sum.work, &sum.work, scale - 1);
  sum.blocks = total;
  free(of);
  return sum;
}
