//===- thread_races.c - Unordered accesses of a kernel's threads ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access is compared with those that the word's cell remembers (shadow.h),
// and added to them.
//
//===----------------------------------------------------------------------===//

#include "emu/check/thread_races.h"

#include "base/memory/memory.h"
#include "base/report/log.h"
#include "emu/base/client.h"
#include "emu/base/settings.h"
#include "emu/check/report.h"
#include "emu/check/shadow.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"
#include "emu/simt/async.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PAGE_BYTES ((uintptr_t)4096)
/// Pairs of places that are distinguished: a race is reported once for each.
#define MOST_REPORTS 64u
/// Entries of a table of the pages that were used last.
#define RECENT_PAGES 64u

typedef struct recent_page {
  uintptr_t address;     ///< 0: none
  agpu__emu_cell *cells; ///< NULL: the page is not looked at
} recent_page;

static struct {
  const agpu__emu_launch *launch;
  uint32_t generation, shared_generation;
  bool has_accesses; ///< of the launch
  bool is_unified;   ///< the device
  /// The stack of the thread that runs the launch's blocks.
  uintptr_t stack_from, stack_to;
  /// Of the shared memory of a block, or of those of a cluster, one after the
  /// other; how many there is room for.
  agpu__emu_cell *shared;
  size_t shared_cells;
  recent_page recent[RECENT_PAGES];
  struct {
    const char *one, *other;
  } reports[MOST_REPORTS];
  unsigned report_count;
} state;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

bool agpu__emu_thread_races_is_new(const char *one, const char *other) {
  for (unsigned i = 0; i < state.report_count; ++i)
    if (state.reports[i].one == one && state.reports[i].other == other)
      return false;
  if (state.report_count == MOST_REPORTS)
    return false;
  state.reports[state.report_count].one = one;
  state.reports[state.report_count++].other = other;
  return true;
}

static const char *verb(uint32_t flags) {
  bool writes = flags & AGPU_NATIVE_WRITES;
  if (!(flags & AGPU_NATIVE_ATOMIC))
    return writes ? "writes" : "reads";
  if (!writes)
    return "atomically reads";
  return flags & AGPU_NATIVE_READS ? "atomically updates" : "atomically writes";
}

/// Where a thread stands: "thread X,Y,Z", with its block if `with_block`.
static void print_thread(const agpu__emu_runner *runner, uint32_t thread,
                         uint32_t block, bool with_block, char *out,
                         size_t size) {
  const uint32_t *threads = runner->block.block_dim;
  const uint32_t *grid = runner->block.grid_dim;
  const uint32_t *id = NULL; // of a block of the runner's cluster
  if (runner->cluster && !agpu__emu_is_agent((uint16_t)thread)) {
    id = runner->cluster[thread / runner->thread_count].block.block_id;
    thread %= runner->thread_count;
  }
  int length = agpu__emu_is_multiplier((uint16_t)thread)
                   ? snprintf(out, size, "a product of a warp group")
               : agpu__emu_is_agent((uint16_t)thread)
                   ? snprintf(out, size, "an asynchronous copy")
                   : snprintf(out, size, "thread %u,%u,%u", thread % threads[0],
                              thread / threads[0] % threads[1],
                              thread / (threads[0] * threads[1]));
  if (!with_block || length < 0 || (size_t)length >= size)
    return;
  if (id)
    (void)snprintf(out + length, size - (size_t)length, " of block %u,%u,%u",
                   id[0], id[1], id[2]);
  else
    (void)snprintf(out + length, size - (size_t)length, " of block %u,%u,%u",
                   block % grid[0], block / grid[0] % grid[1],
                   (uint32_t)(block / ((uint64_t)grid[0] * grid[1])));
}

static void report(const agpu__emu_runner *runner, uintptr_t address,
                   uint64_t size, const agpu__emu_access *before,
                   const agpu__emu_access *after, bool shared) {
  if (!agpu__emu_thread_races_is_new(before->location, after->location))
    return;
  bool blocks = before->when.block != after->when.block || runner->cluster;
  char one[96], other[96], memory[384], where[64] = "";
  print_thread(runner, before->when.thread, before->when.block, blocks, one,
               sizeof one);
  print_thread(runner, after->when.thread, after->when.block, blocks, other,
               sizeof other);
  if (shared)
    (void)snprintf(memory, sizeof memory, "at byte %zu of workgroup memory",
                   (size_t)(address - (uintptr_t)runner->block.shared));
  else
    agpu__emu_memory_describe((CUdeviceptr)address, memory, sizeof memory);
  const uint32_t *id = runner->block.block_id;
  if (!blocks)
    (void)snprintf(where, sizeof where, ", block %u,%u,%u", id[0], id[1],
                   id[2]);
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, after->location,
      "race: kernel '%s'%s: %s %s %llu bytes %s, which %s %s at %s; %s",
      state.launch->kernel->name, where, other, verb(after->flags),
      (unsigned long long)size, memory, one, verb(before->flags),
      before->location ? before->location : "an unknown place",
      before->when.block != after->when.block
          ? "nothing orders the blocks of a launch"
      : agpu__emu_is_multiplier(before->when.thread) ||
              agpu__emu_is_multiplier(after->when.thread)
          ? "no barrier stands between them, or no wait for the product's "
            "group (wgmma.wait_group)"
          : "no barrier stands between them");
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", agpu_status_get_message(status));
  agpu__emu_report_error(status);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether `address` is memory of a thread's own, or of a block's: on the stack
/// of the thread that runs them, or in what the runner keeps.
static bool is_private(const agpu__emu_runner *runner, uintptr_t address) {
  if (address >= state.stack_from && address < state.stack_to)
    return true;
  if (!runner->cluster)
    return agpu__emu_runner_keeps(runner, address);
  for (uint32_t i = 0; i < runner->cluster_size; ++i)
    if (agpu__emu_runner_keeps(&runner->cluster[i], address))
      return true;
  return false;
}

/// The cell of the word at `address`, or NULL: it is not looked at. Of a
/// unified device that is all but what is private.
static agpu__emu_cell *find_cell(const agpu__emu_runner *runner,
                                 uintptr_t address) {
  uintptr_t page = address & ~(PAGE_BYTES - 1);
  if (state.is_unified && is_private(runner, address))
    return NULL;
  recent_page *recent = &state.recent[page / PAGE_BYTES % RECENT_PAGES];
  if (recent->address != page) {
    bool looked_at =
        state.is_unified ||
        agpu__emu_memory_is_near((CUdeviceptr)page, PAGE_BYTES) ||
        agpu__emu_host_memory_is_near((CUdeviceptr)page, PAGE_BYTES);
    *recent = (recent_page){
        page, looked_at ? agpu__emu_shadow_page(page, state.generation) : NULL};
  }
  return recent->cells ? &recent->cells[(address - page) / AGPU__EMU_WORD]
                       : NULL;
}

static bool conflict(const agpu__emu_access *one,
                     const agpu__emu_access *other) {
  return one->mask & other->mask &&
         (one->flags | other->flags) & AGPU_NATIVE_WRITES &&
         !(one->flags & other->flags & AGPU_NATIVE_ATOMIC);
}

/// Cells for each block of a cluster.
static size_t cells_per_block(const agpu__emu_runner *runner) {
  return (runner->block.shared_bytes + AGPU__EMU_WORD - 1) / AGPU__EMU_WORD;
}

static agpu__emu_cell *cells_of(const agpu__emu_runner *owner) {
  size_t rank = owner->cluster ? (size_t)(owner - owner->cluster) : 0;
  return state.shared + rank * cells_per_block(owner);
}

static void compare(const agpu__emu_runner *runner, uintptr_t address,
                    uint64_t size, uint32_t flags, const char *location,
                    uint16_t thread, bool adds) {
  state.has_accesses = true;
  const agpu__emu_runner *owner = agpu__emu_owner((const void *)address);
  bool shared = owner != NULL;
  uintptr_t offset = shared ? address - (uintptr_t)owner->block.shared : 0;
  agpu__emu_cell *cells = shared ? cells_of(owner) : NULL;
  if (!agpu__emu_is_agent(thread))
    thread = (uint16_t)(thread + agpu__emu_first_thread(runner));
  agpu__emu_access added = {.location = location,
                            .when = agpu__emu_threads_now(thread),
                            .flags = (uint8_t)flags};
  // Words of shared memory are counted from its start, which is aligned.
  for (uint64_t done = 0; done < size;) {
    uintptr_t place = address + done;
    unsigned first = (unsigned)(place % AGPU__EMU_WORD);
    uint64_t bytes = AGPU__EMU_WORD - first;
    if (bytes > size - done)
      bytes = size - done;
    added.mask = (uint8_t)(((1u << bytes) - 1) << first);
    if (shared && offset + done >= owner->block.shared_bytes)
      break; // out of bounds: another check's
    agpu__emu_cell *cell = shared ? &cells[(offset + done) / AGPU__EMU_WORD]
                                  : find_cell(runner, place);
    done += bytes;
    if (!cell)
      continue;
    agpu__emu_cell_open(cell,
                        shared ? state.shared_generation : state.generation);
    for (uint32_t i = 0; i < cell->count; ++i)
      if (conflict(&cell->accesses[i], &added) &&
          !agpu__emu_threads_is_before(&cell->accesses[i].when, thread))
        report(shared ? owner : runner, address, size, &cell->accesses[i],
               &added, shared);
    if (adds)
      agpu__emu_cell_add(cell, &added);
  }
  if (flags & AGPU_NATIVE_ATOMIC)
    agpu__emu_threads_atomic(thread, !shared);
}

void agpu__emu_thread_races_access(const agpu__emu_runner *runner,
                                   uintptr_t address, uint64_t size,
                                   uint32_t flags, const char *location,
                                   uint16_t thread) {
  compare(runner, address, size, flags, location, thread, true);
}

void agpu__emu_thread_races_look(const agpu__emu_runner *runner,
                                 uintptr_t address, uint64_t size,
                                 uint32_t flags, const char *location,
                                 uint16_t thread) {
  compare(runner, address, size, flags, location, thread, false);
}

static void report_unfenced(const agpu__emu_runner *owner, size_t offset,
                            const agpu__emu_access *write, const char *location,
                            uint16_t thread) {
  const uint32_t *threads = owner->block.block_dim;
  char by[96];
  if (!agpu__emu_thread_races_is_new(write->location, location))
    return;
  print_thread(owner, write->when.thread, write->when.block, owner->cluster, by,
               sizeof by);
  agpu__emu_report(
      location, thread % threads[0], thread / threads[0] % threads[1],
      thread / (threads[0] * threads[1]),
      "begins a copy or a product that reads byte %zu of workgroup memory, "
      "which %s wrote at %s, with no nvvm.fence.proxy (of async.shared) behind "
      "the write: it may read what was there before",
      offset, by, write->location ? write->location : "an unknown place");
}

void agpu__emu_thread_races_look_beside(const agpu__emu_runner *runner,
                                        uintptr_t address, uint64_t size,
                                        const char *location, uint16_t thread) {
  const agpu__emu_runner *owner = agpu__emu_owner((const void *)address);
  if (!owner)
    return;
  uintptr_t offset = address - (uintptr_t)owner->block.shared;
  uint16_t number = (uint16_t)(thread + agpu__emu_first_thread(runner));
  uintptr_t end = offset + size;
  for (uintptr_t at = offset; at < end && at < owner->block.shared_bytes;
       at += AGPU__EMU_WORD - at % AGPU__EMU_WORD) {
    agpu__emu_cell *cell = &cells_of(owner)[at / AGPU__EMU_WORD];
    agpu__emu_cell_open(cell, state.shared_generation);
    for (uint32_t i = 0; i < cell->count; ++i) {
      const agpu__emu_access *access = &cell->accesses[i];
      if (access->flags & AGPU_NATIVE_WRITES &&
          !agpu__emu_is_agent(access->when.thread) &&
          !agpu__emu_threads_is_fenced(&access->when, number)) {
        report_unfenced(owner, at, access, location, thread);
        return;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void find_stack(void) {
  pthread_attr_t attributes;
  void *from = NULL;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  (void)pthread_attr_getstack(&attributes, &from, &bytes);
  (void)pthread_attr_destroy(&attributes);
  state.stack_from = (uintptr_t)from;
  state.stack_to = state.stack_from + bytes;
}

void agpu__emu_thread_races_begin(const agpu__emu_launch *launch) {
  const uint32_t *grid = launch->block.grid_dim;
  state.launch = launch;
  ++state.generation;
  state.has_accesses = false;
  state.is_unified = agpu__emu_is_unified();
  if (state.is_unified)
    find_stack();
  // Memory may have come and gone since the last launch.
  memset(state.recent, 0, sizeof state.recent);
  agpu__emu_threads_begin_launch((uint64_t)grid[0] * grid[1] * grid[2]);
}

bool agpu__emu_thread_races_visit(void (*visit)(uintptr_t from, uintptr_t to,
                                                bool written, void *argument),
                                  void *argument) {
  if (state.has_accesses)
    agpu__emu_shadow_visit(state.generation, visit, argument);
  return state.has_accesses;
}

void agpu__emu_thread_races_end(void) { agpu__emu_shadow_trim(); }

void agpu__emu_thread_races_begin_block(const agpu__emu_runner *runner) {
  const uint32_t *id = runner->block.block_id;
  const uint32_t *grid = runner->block.grid_dim;
  ++state.shared_generation;
  uint32_t blocks = agpu__emu_peer_count(runner);
  size_t cells = blocks * cells_per_block(runner);
  if (state.shared_cells < cells) {
    size_t bytes = cells * sizeof *state.shared;
    agpu__memory_free(state.shared);
    state.shared =
        agpu__memory_alloc((int64_t)bytes, 64, "the check for races");
    memset(state.shared, 0, bytes);
    state.shared_cells = cells;
  }
  agpu__emu_threads_begin_block(
      (uint32_t)(id[0] +
                 (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2])),
      blocks * runner->thread_count);
}

void agpu__emu_thread_races_reset(void) {
  agpu__memory_free(state.shared);
  state.shared = NULL;
  state.shared_cells = 0;
  state.report_count = 0;
  agpu__emu_shadow_reset();
  agpu__emu_threads_reset();
}
