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
// compared.
//
//===----------------------------------------------------------------------===//

#include "emu/check/host_races.h"

#include "emu/base/context.h"
#include "emu/check/history.h"
#include "emu/check/order.h"
#include "emu/memory/memory.h"

#include "base/memory/memory.h"
#include "base/report/fatal.h"
#include "base/report/log.h"
#include "base/report/status_track.h"
#include "base/sync/lock.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/queue.h>

/// Uses up to this many are kept without asking whether they are over.
#define FEW ((size_t)64)

typedef struct span {
  uintptr_t from, to;
  bool writes;
} span;

/// What an op uses of the host's memory.
typedef struct use {
  LIST_ENTRY(use) link;
  CUcontext context;
  unsigned stream;
  uint64_t position;
  agpu__op_name origin; // `what` is never NULL here
  uintptr_t from, to;   // of all spans
  size_t count;
  span spans[];
} use;

// Lock order: a stream's lock, then this one, then that of the order.
static agpu__lock lock;
static LIST_HEAD(, use) uses AGPU__GUARDED_BY(lock);
static size_t swept AGPU__GUARDED_BY(lock); // uses that the last sweep has left
static atomic_size_t any; // uses; relaxed: whoever orders the program orders it

/// The op is done, and the host knows, or it never will be:
/// what a failed context has dropped is over as well.
static bool is_over(const use *of) {
  return agpu__emu_order_is_known(of->stream, of->position) ||
         agpu__emu_context_get_error(of->context) != CUDA_SUCCESS;
}

static void take_out(use *over) AGPU__REQUIRES(lock) {
  LIST_REMOVE(over, link);
  agpu__memory_free(over);
  atomic_fetch_sub_explicit(&any, 1, memory_order_relaxed);
}

static void sweep(void) AGPU__REQUIRES(lock) {
  for (use *at = LIST_FIRST(&uses), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (is_over(at))
      take_out(at);
  }
  swept = atomic_load_explicit(&any, memory_order_relaxed);
}

/// Takes `added` over.
static void add(use *added, const agpu__emu_op *op) {
  added->context = agpu__emu_get_context();
  added->stream = op->stamp->stream;
  added->position = agpu__emu_stamp_position(op->stamp);
  added->origin = agpu__emu_op_origin(op);
  added->from = UINTPTR_MAX;
  added->to = 0;
  for (size_t i = 0; i < added->count; ++i) {
    const span *of = &added->spans[i];
    added->from = of->from < added->from ? of->from : added->from;
    added->to = of->to > added->to ? of->to : added->to;
  }
  agpu__lock_acquire(&lock);
  if (atomic_load_explicit(&any, memory_order_relaxed) >= 2 * swept + FEW)
    sweep();
  LIST_INSERT_HEAD(&uses, added, link);
  atomic_fetch_add_explicit(&any, 1, memory_order_relaxed);
  agpu__lock_release(&lock);
}

static use *create(size_t count) {
  use *created =
      agpu__memory_alloc((int64_t)(sizeof *created + count * sizeof(span)),
                         _Alignof(use), "the check for races");
  created->count = 0;
  return created;
}

static void add_span(use *to, CUdeviceptr from, size_t bytes, bool writes) {
  if (bytes && agpu__emu_memory_is_open_to_host(from))
    to->spans[to->count++] =
        (span){(uintptr_t)from, (uintptr_t)(from + bytes), writes};
}

void agpu__emu_host_races_enqueue(const agpu__emu_op *op) {
  bool is_own = op->origin.is_silent; // its memory the runtime's
  use *added = NULL;
  if (op->kind == AGPU__EMU_OP_HOST) {
    size_t count;
    const agpu__host_range *touched = agpu__driver_get_touched(&count);
    if (!count)
      return;
    added = create(count);
    for (size_t i = 0; i < count; ++i)
      add_span(added, (CUdeviceptr)(uintptr_t)touched[i].from, touched[i].bytes,
               touched[i].writes);
  } else if (op->kind == AGPU__EMU_OP_COPY && !is_own) {
    added = create(2);
    add_span(added, op->copy.source, op->copy.bytes, false);
    add_span(added, op->copy.target, op->copy.bytes, true);
  } else if (op->kind == AGPU__EMU_OP_FILL && !is_own) {
    added = create(1);
    if (op->fill.height == 1) // of more rows the space between is not touched
      add_span(added, op->fill.target, agpu__emu_fill_span(op), true);
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
  for (size_t i = 0; i < in->count; ++i) {
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

/// The first race with what the host does, whose op is forgotten: one report of
/// it is enough. NULL: there is none.
static agpu_status find_race(uintptr_t from, uintptr_t to, bool writes,
                             const char *verb, const char *location) {
  agpu_status status = NULL;
  agpu__lock_acquire(&lock);
  for (use *at = LIST_FIRST(&uses), *next; at && !status; at = next) {
    next = LIST_NEXT(at, link);
    const span *conflict = find_conflict(at, from, to, writes);
    if (!conflict)
      continue;
    if (!is_over(at))
      status = describe(at, conflict, from, to, verb, location);
    take_out(at);
  }
  agpu__lock_release(&lock);
  return status;
}

static bool has_uses(void) {
  return atomic_load_explicit(&any, memory_order_relaxed) != 0;
}

void agpu__emu_host_races_access(uintptr_t from, uint64_t bytes, bool writes,
                                 const char *location) {
  agpu_status race;
  while (has_uses() &&
         (race = find_race(from, from + bytes, writes,
                           writes ? "writes" : "reads", location))) {
    agpu__log(AGPU__LOG_DEVICE, "emu: %s", agpu_status_get_message(race));
    agpu__status_report(race);
  }
}

void agpu__emu_host_races_free(void *memory, const char *location) {
  if (!memory || !has_uses())
    return;
  uintptr_t from = (uintptr_t)memory;
  agpu_status race = find_race(from, from + malloc_usable_size(memory), true,
                               "frees", location);
  if (race)
    agpu__fatal(race, NULL, EXIT_FAILURE);
}

void agpu__emu_host_races_reset(void) {
  agpu__lock_acquire(&lock);
  while (!LIST_EMPTY(&uses))
    take_out(LIST_FIRST(&uses));
  swept = 0;
  agpu__lock_release(&lock);
}
