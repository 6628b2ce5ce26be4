//===- events.c - The events of all threads, in order ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stable sort by time: events of one thread at one time stay as they were.
// Those of other tracks may have been told of by any thread, so at one time
// they have an order of their own.
//
//===----------------------------------------------------------------------===//

#include "trace/events.h"

/// At one time threads come first, then work that takes no time, records behind
/// it, which arrows begin at, and other work last.
static int get_place(const agpu__trace_event *of) {
  bool is_slice = agpu__trace_kinds[of->kind].shape == AGPU__TRACE_SHAPE_SLICE;
  return !of->track                       ? 0
         : is_slice && !of->args[0]       ? 1
         : of->kind == AGPU__TRACE_RECORD ? 2
         : is_slice                       ? 4
                                          : 3;
}

static bool is_before(const agpu__trace_event *a, const agpu__trace_event *b) {
  if (a->time != b->time)
    return a->time < b->time;
  int place = get_place(a), other = get_place(b);
  if (place != other || !place)
    return place < other;
  return a->track != b->track ? a->track < b->track : a->id < b->id;
}

static void sort(agpu__events *self) {
  size_t count = self->count;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = low + width < count ? low + width : count;
      size_t high = low + 2 * width < count ? low + 2 * width : count;
      size_t left = low, right = middle;
      for (size_t at = low; at < high; ++at)
        self->other[at] = left < middle && (right == high ||
                                            !is_before(self->data[right].event,
                                                       self->data[left].event))
                              ? self->data[left++]
                              : self->data[right++];
    }
    agpu__thread_event *sorted = self->other;
    self->other = self->data;
    self->data = sorted;
  }
}

bool agpu__events_gather(agpu__events *self, const agpu__dump *dump) {
  const agpu__dump_piece *pieces = dump->pieces.data;
  self->capacity = 1;
  for (size_t i = 0; i < dump->pieces.count; ++i)
    self->capacity += pieces[i].count;
  self->data = agpu__trace_map(self->capacity * sizeof *self->data);
  self->other = agpu__trace_map(self->capacity * sizeof *self->other);
  if (!self->data || !self->other)
    return false;
  for (size_t i = 0; i < dump->pieces.count; ++i)
    for (size_t j = 0; j < pieces[i].count; ++j)
      self->data[self->count++] =
          (agpu__thread_event){&pieces[i].events[j], pieces[i].thread};
  sort(self);
  return true;
}

void agpu__events_free(agpu__events *self) {
  agpu__trace_unmap(self->data, self->capacity * sizeof *self->data);
  agpu__trace_unmap(self->other, self->capacity * sizeof *self->other);
  *self = (agpu__events){.count = 0};
}
