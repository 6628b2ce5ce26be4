//===- regions.c - Lives of regions ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is known by its handle from when it is first queued, or waits, until
// a run of it returns that has not been followed by a wait or by its being
// queued once more; the same address may then be another region. It is queued,
// waits or runs. Between its wait and the return from its run it may run on
// another thread already: so whether it waits is known of each run.
//
// Tasks that are no coroutines may be queued several times with one handle:
// those are regions of their own, which run in the order in which they were
// queued.
//
//===----------------------------------------------------------------------===//

#include "trace/regions.h"

agpu__region *agpu__region_at(agpu__tasks *self, uint32_t index) {
  return (agpu__region *)self->regions.data + index;
}

static agpu__frame *frames_of(agpu__tasks_thread *thread) {
  return thread->stack.data;
}

agpu__frame *agpu__region_top(agpu__tasks_thread *thread) {
  for (size_t i = thread->stack.count; i-- > 0;)
    if (frames_of(thread)[i].region)
      return &frames_of(thread)[i];
  return NULL;
}

agpu__emit_point agpu__tasks_point(agpu__tasks *self, size_t thread,
                                   int64_t time) {
  agpu__tasks_thread *on = &self->threads[thread];
  if (on->stack.count == 0)
    on->needs_cover = true;
  return (agpu__emit_point){on->track, time};
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

void agpu__region_emit_counter(agpu__tasks *self, const char *name,
                               int64_t time, int64_t value) {
  agpu__emit_point at = {{self->host, 0}, time};
  agpu__emit_begin(self->emitter, "C", "counter", name, at, 0);
  agpu__emit_signed(self->emitter, "value", value);
  agpu__emit_end(self->emitter);
}

void agpu__region_count(agpu__tasks *self, int64_t time, int alive,
                        int queued) {
  self->alive += alive;
  self->queued += queued;
  // What began before the first event that was kept is not known.
  if (self->alive < 0)
    self->alive = 0;
  if (self->queued < 0)
    self->queued = 0;
  bool is_due = !self->sampled || time - self->sampled >= self->sample_every;
  if (!is_due && alive >= 0)
    return;
  if (!is_due && self->alive > 0)
    return;
  self->sampled = time;
  if (self->alive != self->seen_alive || time == 0)
    agpu__region_emit_counter(self, "tasks alive", time, self->alive);
  if (self->queued != self->seen_queued)
    agpu__region_emit_counter(self, "tasks queued", time, self->queued);
  self->seen_alive = self->alive;
  self->seen_queued = self->queued;
}

//===----------------------------------------------------------------------===//
// Lives of regions
//===----------------------------------------------------------------------===//

uint32_t agpu__region_create(agpu__tasks *self, size_t thread, int64_t time) {
  uint32_t index = self->free_region;
  if (index) {
    self->free_region = agpu__region_at(self, index)->next;
  } else {
    if (self->regions.count == 0 &&
        !agpu__trace_array_add(&self->regions, sizeof(agpu__region))) {
      self->is_incomplete = true;
      return 0;
    }
    index = (uint32_t)self->regions.count;
    if (!agpu__trace_array_add(&self->regions, sizeof(agpu__region))) {
      self->is_incomplete = true;
      return 0;
    }
  }
  agpu__frame *by = agpu__region_top(&self->threads[thread]);
  *agpu__region_at(self, index) =
      (agpu__region){.id = ++self->region_count,
                     .spawner = by ? agpu__region_at(self, by->region)->id : 0,
                     .has_cause = true,
                     .is_spawn = true,
                     .cause = agpu__tasks_point(self, thread, time)};
  agpu__region_count(self, time, 1, 0);
  return index;
}

/// The first of the regions that are known by the handle. The last is before
/// the first, and has none behind it.
static uint64_t *find_first(agpu__tasks *self, uint64_t handle) {
  return handle ? agpu__trace_table_find(&self->by_handle, handle) : NULL;
}

/// Puts the region where its state belongs: those that are queued are last, in
/// the order in which they were.
static void link_one(agpu__tasks *self, uint32_t index) {
  agpu__region *of = agpu__region_at(self, index);
  uint64_t *value = agpu__trace_table_add(&self->by_handle, of->handle);
  if (!value) {
    self->is_incomplete = true;
    return;
  }
  uint32_t first = (uint32_t)*value;
  if (!first) {
    *value = of->previous = index;
    return;
  }
  uint32_t last = agpu__region_at(self, first)->previous;
  of->previous = last;
  if (of->state == AGPU__REGION_QUEUED) {
    agpu__region_at(self, last)->next = index;
    agpu__region_at(self, first)->previous = index;
  } else {
    of->next = first;
    agpu__region_at(self, first)->previous = index;
    *value = index;
  }
}

static void unlink_one(agpu__tasks *self, uint32_t index) {
  agpu__region *of = agpu__region_at(self, index);
  uint64_t *value = find_first(self, of->handle);
  if (!value || !of->previous)
    return;
  uint32_t first = (uint32_t)*value;
  if (first != index)
    agpu__region_at(self, of->previous)->next = of->next;
  else if (of->next)
    *value = of->next;
  else
    agpu__trace_table_remove(&self->by_handle, of->handle);
  if (of->next)
    agpu__region_at(self, of->next)->previous = of->previous;
  else if (first != index)
    agpu__region_at(self, first)->previous = of->previous;
  of->next = of->previous = 0;
}

void agpu__region_bind(agpu__tasks *self, uint32_t index, uint64_t handle) {
  agpu__region_at(self, index)->handle = handle;
  if (handle)
    link_one(self, index);
}

void agpu__region_set_state(agpu__tasks *self, uint32_t index,
                            agpu__region_state state) {
  agpu__region *of = agpu__region_at(self, index);
  unlink_one(self, index);
  of->state = state;
  if (of->handle)
    link_one(self, index);
}

static void forget(agpu__tasks *self, uint32_t index) {
  *agpu__region_at(self, index) = (agpu__region){.next = self->free_region};
  self->free_region = index;
}

void agpu__region_destroy(agpu__tasks *self, uint32_t index, int64_t time) {
  bool was_queued = agpu__region_at(self, index)->is_in_queue;
  unlink_one(self, index);
  agpu__region_at(self, index)->handle = 0;
  agpu__region_count(self, time, -1, was_queued ? -1 : 0);
  agpu__region_at(self, index)->is_over = true;
  if (!agpu__region_at(self, index)->open)
    forget(self, index);
}

uint32_t agpu__region_open(agpu__tasks *self, uint32_t index) {
  ++agpu__region_at(self, index)->open;
  return agpu__region_at(self, index)->runs;
}

void agpu__region_close(agpu__tasks *self, uint32_t index) {
  agpu__region *of = agpu__region_at(self, index);
  if (--of->open == 0 && of->is_over)
    forget(self, index);
}

uint32_t agpu__region_find(agpu__tasks *self, uint64_t handle,
                           agpu__region_state state) {
  const uint64_t *value = find_first(self, handle);
  for (uint32_t at = value ? (uint32_t)*value : 0; at;
       at = agpu__region_at(self, at)->next) {
    agpu__region_state is = agpu__region_at(self, at)->state;
    if (is == state)
      return at;
    if (is == AGPU__REGION_QUEUED)
      return 0;
  }
  return 0;
}
