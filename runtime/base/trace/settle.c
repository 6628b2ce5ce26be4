//===- settle.c - Texts of programs that are released ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events point to texts and code of programs. Before a program is released, all
// that has been recorded so far gets copies, while nothing is recorded: what
// happens meanwhile is lost, and the trace says from when until when.
//
//===----------------------------------------------------------------------===//

#include "base/trace/session.h"

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/sync/mutex.h"
#include "base/trace/names.h"
#include "base/trace/ring.h"
#include "base/trace/trace.h"

static agpu__mutex lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACE_SETTLE);

static void settle_event(agpu__trace_event *event) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  if (event->flags & AGPU__TRACE_SETTLED)
    return;
  event->flags |= AGPU__TRACE_SETTLED;
  if (row->shape == AGPU__TRACE_SHAPE_TASK)
    event->name = event->name ? agpu__trace_keep_name(event->name) : NULL;
  else
    event->name = agpu__text_keep(event->name);
  for (int i = 0; i < 3; ++i)
    if (row->args[i].format == AGPU__TRACE_FORMAT_NAME)
      event->args[i] = (uintptr_t)agpu__trace_copy_name(
          (const agpu_trace_name *)(uintptr_t)event->args[i]);
    else if (row->args[i].format == AGPU__TRACE_FORMAT_PLACE)
      event->args[i] =
          (uintptr_t)agpu__text_keep((const char *)(uintptr_t)event->args[i]);
}

void agpu__trace_settle(void) {
  if (!agpu__trace_on())
    return;
  agpu__mutex_lock(&lock);
  // Whoever writes the trace meanwhile reads texts that are still there.
  if (agpu__trace_on() && !agpu__trace_is_finished()) {
    int64_t begin = agpu__clock_now_ns();
    agpu__trace_stop();
    for (agpu__trace_ring *ring = agpu__trace_rings(); ring;
         ring = ring->next_ring)
      for (agpu__trace_chunk *chunk = ring->oldest; chunk;
           chunk = chunk->newer) {
        size_t count = agpu__trace_chunk_count(ring, chunk);
        for (size_t i = 0; i < count; ++i)
          settle_event(&chunk->events[i]);
      }
    if (!agpu__trace_is_finished())
      agpu__hooks_set(AGPU__HOOK_TRACE, true);
    agpu__trace_record_at(AGPU__TRACE_OWN_TRACK, begin, AGPU__TRACE_SETTLE, 0,
                          0, NULL, (uint64_t)(agpu__clock_now_ns() - begin), 0,
                          0);
  }
  agpu__mutex_unlock(&lock);
}

agpu_status agpu__trace_end_alone(void) {
  agpu__mutex_lock(&lock);
  agpu_status status = agpu__trace_end();
  agpu__mutex_unlock(&lock);
  return status;
}

void agpu_trace_names_remove(agpu_trace_names *table) {
  agpu__trace_settle();
  agpu__trace_forget_names(table);
}

void agpu__trace_settle_fork(agpu__fork_step step) {
  agpu__mutex_fork(&lock, step);
}
