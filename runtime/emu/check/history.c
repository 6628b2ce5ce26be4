//===- history.c - Accesses of ops to allocations -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation remembers its last accesses, but for those that a later one of
// their stream makes redundant.
//
//===----------------------------------------------------------------------===//

#include "emu/check/history.h"

#include "base/memory/memory.h"
#include "base/report/log.h"
#include "emu/base/client.h"
#include "emu/base/settings.h"
#include "emu/check/order.h"
#include "emu/memory/memory.h"

#include <stdio.h>
#include <string.h>

/// Accesses that an allocation remembers. Older ones are forgotten: an access
/// of a stream makes its earlier ones to the same bytes redundant, so only
/// programs that touch a buffer in many pieces come here.
#define MOST_ACCESSES 512u

typedef struct access {
  unsigned stream;
  uint64_t position;
  CUdeviceptr from, to; // of the rows
  agpu__emu_rows rows;
  bool writes;
  agpu__emu_guess guess;
  agpu__op_name origin; // `what` is never NULL here
} access;

typedef struct agpu__emu_history {
  unsigned count, capacity;
  access *accesses; // the oldest first
} agpu__emu_history;

/// A kernel that was seen to write through some of its parameters.
typedef struct writer {
  SLIST_ENTRY(writer) link;
  const agpu_native_kernel *kernel;
  uint64_t params; // bit i: the i-th; later ones are not noted
} writer;

agpu__mutex agpu__emu_history_lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_HISTORY);

static struct {
  SLIST_HEAD(, writer) writers;
  /// Of all memory that the driver knows nothing of, on a unified device. The
  /// host has waited for what used it before when it frees some.
  agpu__emu_history *of_host;
} state AGPU__GUARDED_BY(agpu__emu_history_lock);

static void drop(agpu__emu_history **history) {
  if (*history)
    agpu__memory_free((*history)->accesses);
  agpu__memory_free(*history);
  *history = NULL;
}

void agpu__emu_history_drop(agpu__emu_record *record) {
  drop(&record->history);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void agpu__emu_race_describe(const agpu__op_name *origin, char *out,
                             size_t size) {
  const char *location = origin->location;
  (void)snprintf(
      out, size, "%s%s%s%s%s%s", origin->what, origin->kernel ? " '" : "",
      origin->kernel ? origin->kernel : "", origin->kernel ? "'" : "",
      location ? " at " : "", location ? location : "");
}

static void report(const access *before, const access *after) {
  char one[512], other[512];
  agpu__emu_race_describe(&before->origin, one, sizeof one);
  agpu__emu_race_describe(&after->origin, other, sizeof other);
  CUdeviceptr from = before->from > after->from ? before->from : after->from;
  CUdeviceptr to = before->to < after->to ? before->to : after->to;
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, after->origin.location,
      "race: nothing orders %s, which %s the %llu bytes at 0x%llx, and %s, "
      "which %s them",
      other, after->writes ? "writes" : "reads", to - from, from, one,
      before->writes ? "writes" : "reads");
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", agpu_status_get_message(status));
  agpu__emu_report_error(status);
}

//===----------------------------------------------------------------------===//
// Histories
//===----------------------------------------------------------------------===//

/// Between rows there is what they do not contain, but for the same rows.
static bool contains(const access *outer, const access *inner) {
  const agpu__emu_rows *a = &outer->rows, *b = &inner->rows;
  if (a->height * a->depth == 1)
    return outer->from <= inner->from && outer->to >= inner->to;
  return a->at == b->at && a->width == b->width && a->height == b->height &&
         a->depth == b->depth && a->pitch == b->pitch && a->plane == b->plane;
}

static void remember(agpu__emu_history *history, const access *added) {
  unsigned kept = 0;
  for (unsigned i = 0; i < history->count; ++i) {
    const access *old = &history->accesses[i];
    // What depends on the new access depends on older ones of its stream.
    bool redundant = old->stream == added->stream && contains(added, old) &&
                     (added->writes || !old->writes);
    if (!redundant)
      history->accesses[kept++] = *old;
  }
  if (kept == MOST_ACCESSES) {
    --kept;
    memmove(history->accesses, history->accesses + 1,
            kept * sizeof *history->accesses);
  }
  history->count = kept;
  if (kept == history->capacity) {
    unsigned capacity = kept ? kept * 2 : 8;
    access *grown = agpu__memory_alloc((int64_t)(capacity * sizeof *grown),
                                       _Alignof(access), "the check for races");
    if (kept)
      memcpy(grown, history->accesses, kept * sizeof *grown);
    agpu__memory_free(history->accesses);
    history->accesses = grown;
    history->capacity = capacity;
  }
  history->accesses[history->count++] = *added;
}

static void check_access(const agpu__emu_op *op, agpu__emu_history **history,
                         const access *added)
    AGPU__REQUIRES(agpu__emu_history_lock) {
  if (!*history) {
    *history = agpu__memory_alloc(sizeof **history, _Alignof(agpu__emu_history),
                                  "the check for races");
    **history = (agpu__emu_history){.accesses = NULL};
  }
  for (unsigned i = 0; i < (*history)->count; ++i) {
    const access *old = &(*history)->accesses[i];
    if ((old->writes || added->writes) && old->from < added->to &&
        added->from < old->to &&
        agpu__emu_rows_overlap(&old->rows, &added->rows) &&
        !(old->guess.kernel &&
          agpu__emu_history_is_writer(old->guess.kernel, old->guess.param)) &&
        !agpu__emu_stamp_is_behind(op->stamp, old->stream, old->position))
      report(old, added);
  }
  remember(*history, added);
}

void agpu__emu_history_access_rows(const agpu__emu_op *op,
                                   const agpu__emu_rows *rows, bool writes) {
  access added = {.stream = op->stamp->stream,
                  .position = agpu__emu_stamp_position(op->stamp),
                  .from = rows->at,
                  .to = rows->at + agpu__emu_rows_span(rows),
                  .rows = *rows,
                  .writes = writes,
                  .origin = agpu__emu_op_origin(op)};
  agpu__emu_memory_hold();
  agpu__emu_allocation at = agpu__emu_memory_look(rows->at);
  if (at.record)
    check_access(op, &at.record->history, &added);
  agpu__emu_memory_let_go();
  if (!at.record && agpu__emu_is_unified() &&
      agpu__emu_memory_is_pageable(rows->at, 1))
    check_access(op, &state.of_host, &added);
}

void agpu__emu_history_access(const agpu__emu_op *op, CUdeviceptr pointer,
                              size_t bytes, bool writes) {
  const agpu__emu_rows row = agpu__emu_rows_of(pointer, bytes);
  agpu__emu_history_access_rows(op, &row, writes);
}

void agpu__emu_history_access_all(const agpu__emu_op *op, CUdeviceptr pointer,
                                  bool writes, const agpu__emu_guess *guess) {
  access added = {.stream = op->stamp->stream,
                  .position = agpu__emu_stamp_position(op->stamp),
                  .writes = writes,
                  .guess = guess ? *guess : (agpu__emu_guess){.kernel = NULL},
                  .origin = agpu__emu_op_origin(op)};
  agpu__emu_memory_hold();
  agpu__emu_allocation at = agpu__emu_memory_look(pointer);
  added.from = at.base;
  added.to = at.base + at.bytes;
  added.rows = agpu__emu_rows_of(at.base, at.bytes);
  if (at.record)
    check_access(op, &at.record->history, &added);
  agpu__emu_memory_let_go();
}

static writer *find_writer(const agpu_native_kernel *kernel)
    AGPU__REQUIRES(agpu__emu_history_lock) {
  writer *of;
  SLIST_FOREACH (of, &state.writers, link)
    if (of->kernel == kernel)
      break;
  return of;
}

bool agpu__emu_history_is_writer(const agpu_native_kernel *kernel,
                                 uint32_t param) {
  const writer *of = find_writer(kernel);
  return of && param < 64 && (of->params >> param & 1);
}

void agpu__emu_history_note_writer(const agpu_native_kernel *kernel,
                                   uint32_t param) {
  writer *of = find_writer(kernel);
  if (!of) {
    of =
        agpu__memory_alloc(sizeof *of, _Alignof(writer), "the check for races");
    *of = (writer){.kernel = kernel};
    SLIST_INSERT_HEAD(&state.writers, of, link);
  }
  if (param < 64)
    of->params |= (uint64_t)1 << param;
}

void agpu__emu_history_reset(void) {
  drop(&state.of_host);
  writer *of;
  while ((of = SLIST_FIRST(&state.writers))) {
    SLIST_REMOVE_HEAD(&state.writers, link);
    agpu__memory_free(of);
  }
}
