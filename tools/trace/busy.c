//===- busy.c - How many streams are busy ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the work that is not over, of which a stream has one piece at a time:
// there are few. The counter changes where work begins, and where it ends,
// which is told of when later work begins.
//
//===----------------------------------------------------------------------===//

#include "trace/busy.h"

typedef struct work {
  uint32_t group;
  int64_t end;
} work;

static void emit(const agpu__busy *self, agpu__emitter *emitter, uint32_t group,
                 int64_t time) {
  const work *running = self->running.data;
  uint64_t count = 0;
  for (size_t i = 0; i < self->running.count; ++i)
    count += running[i].group == group;
  agpu__emit_begin(emitter, "C", "counter", "streams busy",
                   (agpu__emit_point){{group, 0}, time}, 0);
  agpu__emit_number(emitter, "value", count);
  agpu__emit_end(emitter);
}

/// What ends up to `time`, in order.
static void end_until(agpu__busy *self, agpu__emitter *emitter, int64_t time) {
  work *running = self->running.data;
  for (;;) {
    size_t first = 0;
    for (size_t i = 1; i < self->running.count; ++i)
      if (running[i].end < running[first].end)
        first = i;
    if (!self->running.count || running[first].end > time)
      return;
    work over = running[first];
    running[first] = running[--self->running.count];
    emit(self, emitter, over.group, over.end);
  }
}

void agpu__busy_add(agpu__busy *self, agpu__emitter *emitter, uint32_t group,
                    int64_t begin, int64_t end) {
  if (end <= begin)
    return; // nobody knows when it ran
  end_until(self, emitter, begin);
  work *added = agpu__trace_array_add(&self->running, sizeof *added);
  if (!added) {
    self->is_incomplete = true;
    return;
  }
  *added = (work){group, end};
  emit(self, emitter, group, begin);
}

void agpu__busy_finish(agpu__busy *self, agpu__emitter *emitter) {
  end_until(self, emitter, INT64_MAX);
  agpu__trace_array_free(&self->running, sizeof(work));
}
