//===- host_races.c - The host's accesses and the device's ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A use is what one op touches of the host's memory, from when it is enqueued
// until the host knows that it is over; what the host touches meanwhile is
// compared. Of a kernel that has yet to run, it is all that its parameters
// point into, and what the host touches there is kept for the comparison.
//
// Host and kernels may order each other by atomic operations on memory that
// they share. Which accesses these order is not followed: where the host makes
// one, what kernels have used so far counts as over.
//
//===----------------------------------------------------------------------===//

#include "emu/check/host_races.h"

#include "base/os/self.h"
#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"
#include "emu/check/history.h"
#include "emu/check/order.h"
#include "emu/check/thread_races.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"

#include "base/memory/memory.h"
#include "base/report/log.h"
#include "base/sync/lock.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/// Uses up to this many are kept without asking whether they are over.
#define FEW ((size_t)64)

typedef struct span {
  uintptr_t from, to;
  bool writes;
} span;

/// Runs of a kernel's accesses that are kept: what comes after so many is not
/// looked at.
#define MOST_RUNS ((size_t)128)
/// Accesses of the host that a kernel keeps; likewise.
#define MOST_TOUCHES ((size_t)256)
/// Where memory of the host can be: 47 bits on x86-64, 48 on 64-bit ARM.
#define FIRST_ADDRESS ((uintptr_t)4096)
#define LAST_ADDRESS ((uintptr_t)1 << 48)
/// The newest of these may grow.
#define GROWING_TOUCHES ((size_t)8)

/// What the host has done before a kernel ran that it shares memory with.
typedef struct touch {
  span of;
  const char *verb, *location;
} touch;

/// What an op uses of the host's memory.
typedef struct use {
  LIST_ENTRY(use) link;
  CUcontext context;
  unsigned stream;
  uint64_t position;
  agpu__emu_stamp *stamp; // one reference
  agpu__op_name origin;   // `what` is never NULL here
  bool is_kernel;
  size_t reach; // spans that its parameters point into; after them its accesses
  bool is_pending; // a kernel that has yet to run
  touch *touches;  // where it is; NULL: none
  size_t touch_count;
  uintptr_t from, to; // of all spans
  size_t count;
  span spans[];
} use;

static struct {
  agpu__lock lock;
  LIST_HEAD(, use) uses AGPU__GUARDED_BY(lock);
  size_t swept AGPU__GUARDED_BY(lock); // uses that the last sweep has left
  atomic_size_t count; // relaxed: the program's own order suffices
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_HOST_RACES)};

/// The op is done, and the host knows, or it never will be:
/// what a failed context has dropped is over as well.
static bool is_over(const use *of) {
  return agpu__emu_order_is_known(of->stream, of->position) ||
         agpu__emu_context_get_error(of->context) != CUDA_SUCCESS;
}

/// Whether the op waits for the host function that this thread runs, if it runs
/// one.
static bool is_behind_host_function(const use *of) {
  const agpu__emu_stamp *own =
      agpu__emu_is_in_host_function() ? agpu__self.emu.running->stamp : NULL;
  return own && agpu__emu_stamp_is_behind(of->stamp, own->stream,
                                          agpu__emu_stamp_position(own));
}

static void take_out(use *over) AGPU__REQUIRES(all.lock) {
  LIST_REMOVE(over, link);
  agpu__emu_stamp_release(over->stamp);
  agpu__memory_free(over->touches);
  agpu__memory_free(over);
  atomic_fetch_sub_explicit(&all.count, 1, memory_order_relaxed);
}

static void sweep(void) AGPU__REQUIRES(all.lock) {
  for (use *at = LIST_FIRST(&all.uses), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (is_over(at))
      take_out(at);
  }
  all.swept = atomic_load_explicit(&all.count, memory_order_relaxed);
}

static void set_bounds(use *of) {
  of->from = UINTPTR_MAX;
  of->to = 0;
  for (size_t i = 0; i < of->count; ++i) {
    const span *at = &of->spans[i];
    of->from = at->from < of->from ? at->from : of->from;
    of->to = at->to > of->to ? at->to : of->to;
  }
}

/// Takes `added` over.
static void add(use *added, const agpu__emu_op *op) {
  added->context = agpu__emu_get_context();
  added->stream = op->stamp->stream;
  added->position = agpu__emu_stamp_position(op->stamp);
  added->stamp = agpu__emu_stamp_retain(op->stamp);
  added->origin = agpu__emu_op_origin(op);
  set_bounds(added);
  agpu__lock_acquire(&all.lock);
  if (atomic_load_explicit(&all.count, memory_order_relaxed) >=
      2 * all.swept + FEW)
    sweep();
  LIST_INSERT_HEAD(&all.uses, added, link);
  atomic_fetch_add_explicit(&all.count, 1, memory_order_relaxed);
  agpu__lock_release(&all.lock);
}

static use *create(size_t count) {
  use *created =
      agpu__memory_alloc((int64_t)(sizeof *created + count * sizeof(span)),
                         _Alignof(use), "the check for races");
  *created = (use){.count = 0};
  return created;
}

static void add_span(use *to, CUdeviceptr from, size_t bytes, bool writes) {
  if (bytes && agpu__emu_memory_is_open_to_host(from))
    to->spans[to->count++] =
        (span){(uintptr_t)from, (uintptr_t)(from + bytes), writes};
}

static size_t count_rows(const agpu__emu_rows *rows) {
  return rows->height * rows->depth;
}

static void add_rows(use *to, const agpu__emu_rows *rows, bool writes) {
  for (size_t z = 0; z < rows->depth; ++z)
    for (size_t y = 0; y < rows->height; ++y)
      add_span(to, agpu__emu_row_at(rows, y, z), rows->width, writes);
}

/// What the parameters of a kernel point into, each once. Of memory that the
/// driver knows nothing of, nobody knows where it ends: that is all of it.
static use *create_reach(const agpu__emu_op *op) {
  const agpu_native_kernel *kernel = op->launch.kernel;
  bool is_unified = agpu__emu_is_unified();
  use *created = create(kernel->param_count + 1 + MOST_RUNS);
  created->is_kernel = created->is_pending = true;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    CUdeviceptr pointer, base;
    size_t bytes;
    if (kernel->param_sizes[i] != sizeof pointer)
      continue;
    memcpy(&pointer, op->launch.params[i], sizeof pointer);
    if (!agpu__emu_host_memory_bounds(pointer, &base, &bytes)) {
      agpu__emu_allocation at = agpu__emu_memory_bounds(pointer);
      base = at.base;
      bytes = at.bytes;
    }
    if (is_unified && !bytes && pointer >= FIRST_ADDRESS &&
        agpu__emu_memory_is_pageable(pointer, 1)) {
      base = FIRST_ADDRESS;
      bytes = LAST_ADDRESS - FIRST_ADDRESS;
    }
    bool is_new = bytes != 0;
    for (size_t j = 0; j < created->count; ++j)
      is_new &= created->spans[j].from != (uintptr_t)base;
    if (is_new)
      add_span(created, base, bytes, true);
  }
  created->reach = created->count;
  return created;
}

void agpu__emu_host_races_enqueue(const agpu__emu_op *op) {
  bool is_own = op->origin.is_silent; // its memory the runtime's
  use *added = NULL;
  if (op->kind == AGPU__EMU_OP_HOST) {
    size_t count;
    const agpu__host_range *touched = agpu__emu_client_now->get_touched(&count);
    if (!count)
      return;
    added = create(count);
    for (size_t i = 0; i < count; ++i)
      add_span(added, (CUdeviceptr)(uintptr_t)touched[i].from, touched[i].bytes,
               touched[i].writes);
  } else if (op->kind == AGPU__EMU_OP_COPY && !is_own) {
    added = create(2 * count_rows(&op->copy.target));
    add_rows(added, &op->copy.source, false);
    add_rows(added, &op->copy.target, true);
  } else if (op->kind == AGPU__EMU_OP_KERNEL && !is_own) {
    added = create_reach(op);
  } else if (op->kind == AGPU__EMU_OP_FILL && !is_own) {
    added = create(count_rows(&op->fill.target));
    add_rows(added, &op->fill.target, true);
  }
  if (added && added->count)
    add(added, op);
  else
    agpu__memory_free(added);
}

//===----------------------------------------------------------------------===//
// What the host does
//===----------------------------------------------------------------------===//

static const span *find_conflict(const use *in, uintptr_t from, uintptr_t to,
                                 bool writes) {
  if (from >= in->to || in->from >= to)
    return NULL;
  for (size_t i = in->reach; i < in->count; ++i) {
    const span *of = &in->spans[i];
    if (from < of->to && of->from < to && (writes || of->writes))
      return of;
  }
  return NULL;
}

static agpu_status describe(const use *of, const span *conflict, uintptr_t from,
                            uintptr_t to, const char *verb,
                            const char *location) {
  char op[512];
  agpu__emu_race_describe(&of->origin, op, sizeof op);
  from = conflict->from > from ? conflict->from : from;
  to = conflict->to < to ? conflict->to : to;
  return agpu_status_create(
      AGPU_STATUS_PROGRAM, location,
      "race: nothing orders the host, which %s the %zu bytes at 0x%zx, and %s, "
      "which %s them: await that first",
      verb, (size_t)(to - from), (size_t)from, op,
      conflict->writes ? "writes" : "reads");
}

static bool overlaps(const span *of, uintptr_t from, uintptr_t to) {
  return from < of->to && of->from < to;
}

/// The host touches [from, to), of which the kernel may use `of`.
static void keep_touch(use *kernel, const span *of, uintptr_t from,
                       uintptr_t to, bool writes, const char *verb,
                       const char *location) AGPU__REQUIRES(all.lock) {
  from = of->from > from ? of->from : from;
  to = of->to < to ? of->to : to;
  size_t count = kernel->touch_count;
  for (size_t i = count; i-- > 0 && count - i <= GROWING_TOUCHES;) {
    touch *old = &kernel->touches[i];
    if (old->location != location || old->of.writes != writes ||
        from < old->of.from || from > old->of.to)
      continue;
    old->of.to = to > old->of.to ? to : old->of.to;
    return;
  }
  if (count == MOST_TOUCHES)
    return;
  if (!kernel->touches)
    kernel->touches =
        agpu__memory_alloc((int64_t)(MOST_TOUCHES * sizeof(touch)),
                           _Alignof(touch), "the check for races");
  kernel->touches[kernel->touch_count++] =
      (touch){{from, to, writes}, verb, location};
}

/// The host makes an atomic operation: what it shares with a kernel may order
/// it with whatever kernels do.
static void drop_kernels(uintptr_t from, uintptr_t to)
    AGPU__REQUIRES(all.lock) {
  bool is_shared = false;
  use *at, *next;
  LIST_FOREACH (at, &all.uses, link)
    for (size_t i = 0; at->is_kernel && i < at->count; ++i)
      is_shared |= overlaps(&at->spans[i], from, to);
  for (at = is_shared ? LIST_FIRST(&all.uses) : NULL; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->is_kernel)
      take_out(at);
  }
}

/// The first race with what the host does, whose op is forgotten: one report of
/// it is enough. NULL: there is none.
static agpu_status find_race(uintptr_t from, uintptr_t to, uint32_t flags,
                             const char *verb, const char *location) {
  bool writes = flags & AGPU_NATIVE_WRITES;
  agpu_status status = NULL;
  agpu__lock_acquire(&all.lock);
  if (flags & AGPU_NATIVE_ATOMIC)
    drop_kernels(from, to);
  for (use *at = LIST_FIRST(&all.uses), *next; at && !status; at = next) {
    next = LIST_NEXT(at, link);
    if (is_behind_host_function(at))
      continue;
    for (size_t i = 0; at->is_pending && i < at->reach; ++i)
      if (overlaps(&at->spans[i], from, to) && !is_over(at))
        keep_touch(at, &at->spans[i], from, to, writes, verb, location);
    const span *conflict = find_conflict(at, from, to, writes);
    if (!conflict)
      continue;
    if (!is_over(at))
      status = describe(at, conflict, from, to, verb, location);
    take_out(at);
  }
  agpu__lock_release(&all.lock);
  return status;
}

static bool has_uses(void) {
  return atomic_load_explicit(&all.count, memory_order_relaxed) != 0;
}

static void report(agpu_status race) {
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", agpu_status_get_message(race));
  agpu__emu_report_error(race);
}

void agpu__emu_host_races_access(uintptr_t from, uint64_t bytes, uint32_t flags,
                                 const char *location) {
  const char *verb = flags & AGPU_NATIVE_WRITES ? "writes" : "reads";
  agpu_status race;
  while (has_uses() &&
         (race = find_race(from, from + bytes, flags, verb, location)))
    report(race);
}

void agpu__emu_host_races_free(void *memory, const char *location) {
  if (!memory || !has_uses())
    return;
  uintptr_t from = (uintptr_t)memory;
  agpu_status race = find_race(from, from + malloc_usable_size(memory),
                               AGPU_NATIVE_WRITES, "frees", location);
  if (race)
    agpu__emu_end(race);
}

//===----------------------------------------------------------------------===//
// Kernels that have run
//===----------------------------------------------------------------------===//

/// What a kernel has touched, and the first race with what the host did before.
typedef struct comparison {
  use *kernel;
  agpu_status race;
} comparison;

static void add_run(uintptr_t from, uintptr_t to, bool writes, void *argument)
    AGPU__REQUIRES(all.lock) {
  comparison *with = argument;
  use *kernel = with->kernel;
  if (!agpu__emu_memory_is_open_to_host(from))
    return;
  const span run = {from, to, writes};
  for (size_t i = 0; i < kernel->touch_count && !with->race; ++i) {
    const touch *at = &kernel->touches[i];
    if (from < at->of.to && at->of.from < to && (writes || at->of.writes))
      with->race = describe(kernel, &run, at->of.from, at->of.to, at->verb,
                            at->location);
  }
  if (kernel->count - kernel->reach < MOST_RUNS)
    kernel->spans[kernel->count++] = run;
}

void agpu__emu_host_races_ran(const agpu__emu_op *op) {
  comparison with = {.kernel = NULL};
  uint64_t position = agpu__emu_stamp_position(op->stamp);
  agpu__lock_acquire(&all.lock);
  LIST_FOREACH (with.kernel, &all.uses, link)
    if (with.kernel->is_pending && with.kernel->stream == op->stamp->stream &&
        with.kernel->position == position)
      break;
  if (with.kernel) {
    use *kernel = with.kernel;
    kernel->is_pending = false;
    if (!is_over(kernel))
      (void)agpu__emu_thread_races_visit(add_run, &with);
    set_bounds(kernel);
    if (with.race || kernel->count == kernel->reach)
      take_out(kernel);
  }
  agpu__lock_release(&all.lock);
  if (with.race)
    report(with.race);
}

void agpu__emu_host_races_reset(void) {
  agpu__lock_acquire(&all.lock);
  while (!LIST_EMPTY(&all.uses))
    take_out(LIST_FIRST(&all.uses));
  all.swept = 0;
  agpu__lock_release(&all.lock);
}
