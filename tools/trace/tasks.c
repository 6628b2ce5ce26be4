//===- tasks.c - What became of the tasks ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an event says is one of: a region is queued, waits, runs or returns; a
// thread waits or goes on. Each thread has a stack of what has begun on it; the
// slices are written as they end. The lives of regions are in regions.c.
//
//===----------------------------------------------------------------------===//

#include "trace/tasks.h"

#include "trace/regions.h"

#include <string.h>

typedef struct wait {
  uint64_t object;
  const char *place;
  bool ended, enqueued;
  agpu__emit_point cause;
  uint64_t causer;
  const agpu_trace_name *causer_name;
  const agpu__code *causer_code;
} wait;

static wait *wait_at(agpu__tasks *self, uint64_t index) {
  return (wait *)self->waits.data + index;
}

static agpu__frame *frames_of(agpu__tasks_thread *thread) {
  return thread->stack.data;
}

static agpu__frame *push(agpu__tasks *self, agpu__tasks_thread *thread,
                         const agpu__trace_event *event) {
  agpu__frame *added =
      agpu__trace_array_add(&thread->stack, sizeof(agpu__frame));
  if (!added) {
    self->is_incomplete = true;
    return NULL;
  }
  added->kind = event->kind;
  added->begin = event->time;
  added->event = event;
  return added;
}

/// The names of a task's code.
static void take_name(agpu__region *of, const agpu__trace_event *event) {
  if (of->name || !event->name)
    return;
  of->code = event->name;
  of->name = of->code->name;
}

/// A run of the region with this handle on the thread that has not suspended
/// yet.
static agpu__frame *find_run(agpu__tasks *self, agpu__tasks_thread *thread,
                             uint64_t handle) {
  for (size_t i = thread->stack.count; i-- > 0;) {
    agpu__frame *at = &frames_of(thread)[i];
    if (at->region && !at->suspended &&
        agpu__region_at(self, at->region)->handle == handle && handle)
      return at;
  }
  return NULL;
}

/// Its run on `thread` suspends, and names what it waits for.
static void suspend(agpu__tasks *self, agpu__frame *run,
                    agpu__region_state state, uint64_t object,
                    const char *place) {
  agpu__region *of = agpu__region_at(self, run->region);
  run->suspended = true;
  run->object = object;
  run->place = place;
  agpu__region_set_state(self, run->region, state);
  of->object = object;
  of->place = place;
  of->has_cause = of->is_spawn = false;
  of->causer = 0;
}

/// A run that has no handle yet and turns out to be of this one.
static agpu__frame *claim(agpu__tasks *self, agpu__tasks_thread *thread,
                          const agpu__trace_event *event) {
  if (!(event->flags & AGPU__TRACE_OWN) || !thread->stack.count)
    return NULL;
  agpu__frame *run = agpu__region_top(thread);
  if (!run || run->kind != AGPU__TRACE_HERE)
    return NULL;
  if (!agpu__region_at(self, run->region)->handle)
    agpu__region_bind(self, run->region, event->id);
  return run;
}

static void queue(agpu__tasks *self, size_t number,
                  const agpu__trace_event *event) {
  agpu__tasks_thread *thread = &self->threads[number];
  agpu__frame *run = claim(self, thread, event);
  if (!run)
    run = find_run(self, thread, event->id);
  uint32_t index =
      run ? run->region
          : agpu__region_find(self, event->id, AGPU__REGION_WAITING);
  if (run) {
    suspend(self, run, AGPU__REGION_QUEUED, 0, NULL);
  } else if (!index) {
    index = agpu__region_create(self, number, event->time);
    if (!index)
      return;
    agpu__region_bind(self, index, event->id);
  }
  agpu__region *of = agpu__region_at(self, index);
  take_name(of, event);
  if (!run)
    agpu__region_set_state(self, index, AGPU__REGION_QUEUED);
  of->is_in_queue = true;
  if (!of->has_cause) {
    of->has_cause = true;
    of->cause = agpu__tasks_point(self, number, event->time);
  }
  agpu__region_count(self, event->time, 0, 1);
}

static void await(agpu__tasks *self, size_t number,
                  const agpu__trace_event *event) {
  agpu__tasks_thread *thread = &self->threads[number];
  const char *place = (const char *)(uintptr_t)event->args[1];
  agpu__frame *run = claim(self, thread, event);
  if (!run)
    run = find_run(self, thread, event->id);
  if (run) {
    suspend(self, run, AGPU__REGION_WAITING, event->args[0], place);
    take_name(agpu__region_at(self, run->region), event);
    return;
  }
  // The same wait once more: the object's work has been enqueued.
  if (agpu__region_find(self, event->id, AGPU__REGION_WAITING))
    return;
  uint32_t index = agpu__region_create(self, number, event->time);
  if (!index)
    return;
  agpu__region_bind(self, index, event->id);
  agpu__region *of = agpu__region_at(self, index);
  take_name(of, event);
  agpu__region_set_state(self, index, AGPU__REGION_WAITING);
  of->object = event->args[0];
  of->place = place;
}

static void begin_run(agpu__tasks *self, size_t number,
                      const agpu__trace_event *event) {
  agpu__tasks_thread *thread = &self->threads[number];
  uint32_t index = agpu__region_find(self, event->id, AGPU__REGION_QUEUED);
  if (!index)
    index = agpu__region_find(self, event->id,
                              AGPU__REGION_WAITING); // handed on, not queued
  if (!index) { // its begin is among what was dropped
    index = agpu__region_create(self, number, event->time);
    if (!index)
      return;
    agpu__region_bind(self, index, event->id);
    agpu__region_at(self, index)->has_cause = false;
  }
  agpu__region *of = agpu__region_at(self, index);
  take_name(of, event);
  if (of->is_in_queue)
    agpu__region_count(self, event->time, 0, -1);
  of->is_in_queue = false;
  agpu__region_set_state(self, index, AGPU__REGION_RUNNING);
  of->thread = (uint32_t)number;
  ++of->runs;
  agpu__frame *run = push(self, thread, event);
  if (!run)
    return;
  run->region = index;
  run->part = agpu__region_open(self, index);
  of = agpu__region_at(self, index);
  agpu__emit_point begin = {thread->track, event->time};
  if (of->has_cause)
    agpu__emit_arrow(self->emitter, of->is_spawn ? "spawn" : "resume",
                     of->cause, begin);
  if (of->has_end)
    agpu__emit_arrow(self->emitter, "resume", of->wait_end, begin);
  of->has_end = false;
}

/// Whether the innermost slice of the thread is a task of `name`: the body of a
/// call that waited, which says who it is too.
static bool runs_already(agpu__tasks *self, agpu__tasks_thread *thread,
                         const agpu_trace_name *name) {
  const agpu__frame *top =
      thread->stack.count ? &frames_of(thread)[thread->stack.count - 1] : NULL;
  if (!top || top->kind != AGPU__TRACE_RUN || !name)
    return false;
  const agpu_trace_name *of = agpu__region_at(self, top->region)->name;
  return of && of->line == name->line && of->column == name->column &&
         strcmp(of->name, name->name) == 0;
}

/// A run on top of its spawner.
static void begin_here(agpu__tasks *self, size_t number,
                       const agpu__trace_event *event) {
  agpu__tasks_thread *thread = &self->threads[number];
  const agpu_trace_name *name =
      (const agpu_trace_name *)(uintptr_t)event->args[0];
  uint32_t index = 0;
  if (!runs_already(self, thread, name)) {
    index = agpu__region_create(self, number, event->time);
    if (!index)
      return;
    agpu__region *of = agpu__region_at(self, index);
    of->name = name;
    of->state = AGPU__REGION_RUNNING;
    of->thread = (uint32_t)number;
    of->runs = 1;
  }
  agpu__frame *run = push(self, thread, event);
  if (!run || !index)
    return;
  run->region = index;
  run->part = agpu__region_open(self, index);
}

/// The end of a run at `time`, as a slice.
static void emit_run(agpu__tasks *self, agpu__tasks_thread *thread,
                     const agpu__frame *run, int64_t time, bool unfinished) {
  const agpu__region *of = agpu__region_at(self, run->region);
  char label[AGPU__LABEL];
  agpu__emitter *emitter = self->emitter;
  agpu__emit_begin(
      emitter, "X", "region", agpu__emit_label(label, of->name, of->code),
      (agpu__emit_point){thread->track, run->begin}, time - run->begin);
  agpu__emit_number(emitter, "run", of->id);
  agpu__emit_number(emitter, "part", run->part);
  agpu__emit_region(emitter, of->name);
  if (of->spawner)
    agpu__emit_number(emitter, "spawned_by", of->spawner);
  if (of->name && of->name->file) {
    agpu__emit_text(emitter, "file", of->name->file);
    agpu__emit_number(emitter, "line", of->name->line);
    agpu__emit_number(emitter, "column", of->name->column);
  }
  if (run->kind != AGPU__TRACE_RUN)
    agpu__emit_true(emitter, "in_spawner");
  if (run->suspended) {
    agpu__emit_text(emitter, "ends", "suspended");
    if (run->object)
      agpu__emit_number(emitter, "waits_for", run->object);
    agpu__emit_text(emitter, "at", run->place);
  } else {
    agpu__emit_text(emitter, "ends", unfinished ? "unfinished" : "returned");
  }
  agpu__emit_end(emitter);
}

/// What ended the wait is the region that runs on the thread, if any.
static void serve(agpu__tasks *self, size_t number,
                  const agpu__trace_event *event) {
  agpu__tasks_thread *thread = &self->threads[number];
  agpu__frame *by = agpu__region_top(thread);
  uint32_t index = agpu__region_find(self, event->id, AGPU__REGION_WAITING);
  if (index) {
    agpu__region *of = agpu__region_at(self, index);
    of->causer = by ? agpu__region_at(self, by->region)->id : 0;
    agpu__emit_point point = agpu__tasks_point(self, number, event->time);
    if (of->runs > 0) {
      of->has_cause = true;
      of->is_spawn = false;
      of->cause = point;
    } else { // it still comes from its spawner, too
      of->has_end = true;
      of->wait_end = point;
    }
    return;
  }
  uint64_t *parked = agpu__trace_table_find(&self->by_parker, event->id);
  if (!parked || !*parked)
    return;
  wait *of = wait_at(self, *parked);
  of->ended = true;
  of->cause = agpu__tasks_point(self, number, event->time);
  if (by) {
    of->causer = agpu__region_at(self, by->region)->id;
    of->causer_name = agpu__region_at(self, by->region)->name;
    of->causer_code = agpu__region_at(self, by->region)->code;
  }
}

//===----------------------------------------------------------------------===//
// Waits of threads
//===----------------------------------------------------------------------===//

/// The thread that parks there is about to wait for an object.
static void park(agpu__tasks *self, const agpu__trace_event *event) {
  uint64_t *index = agpu__trace_table_add(&self->by_parker, event->id);
  if (index && !*index) {
    if (self->waits.count == 0)
      (void)agpu__trace_array_add(&self->waits, sizeof(wait));
    if (agpu__trace_array_add(&self->waits, sizeof(wait)))
      *index = self->waits.count - 1;
  }
  if (!index || !*index) {
    self->is_incomplete = true;
    return;
  }
  wait *of = wait_at(self, *index);
  *of = (wait){.object = event->args[0],
               .place = (const char *)(uintptr_t)event->args[1],
               .enqueued = (event->args[2] & AGPU__TRACE_ENQUEUED) != 0};
}

static void begin_wait(agpu__tasks *self, size_t number,
                       const agpu__trace_event *event) {
  agpu__frame *added = push(self, &self->threads[number], event);
  uint64_t *parked = agpu__trace_table_find(&self->by_parker, event->id);
  if (added && parked)
    added->wait = (uint32_t)*parked;
}

static void emit_wait(agpu__tasks *self, agpu__tasks_thread *thread,
                      const agpu__frame *at, int64_t time, bool unfinished) {
  agpu__emitter *emitter = self->emitter;
  const wait *of = at->wait ? wait_at(self, at->wait) : NULL;
  agpu__emit_begin(emitter, "X", "wait", "wait",
                   (agpu__emit_point){thread->track, at->begin},
                   time - at->begin);
  if (of) {
    agpu__emit_text(emitter, "until", of->enqueued ? "enqueued" : "complete");
    agpu__emit_number(emitter, "object", of->object);
    agpu__emit_text(emitter, "at", of->place);
    if (of->causer) {
      char label[AGPU__LABEL];
      agpu__emit_number(emitter, "ended_by", of->causer);
      agpu__emit_text(
          emitter, "for",
          agpu__emit_label(label, of->causer_name, of->causer_code));
      if (of->causer_name && of->causer_name->region >= 0)
        agpu__emit_number(emitter, "for_region",
                          (uint64_t)of->causer_name->region);
    }
  }
  if (unfinished)
    agpu__emit_true(emitter, "unfinished");
  agpu__emit_end(emitter);
  if (of && of->ended && !unfinished)
    agpu__emit_arrow(
        emitter, "resume", of->cause,
        (agpu__emit_point){thread->track, time > at->begin ? time - 1 : time});
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// The innermost slice of the thread ends.
static void pop(agpu__tasks *self, size_t number, int64_t time,
                bool unfinished) {
  agpu__tasks_thread *thread = &self->threads[number];
  agpu__frame at = frames_of(thread)[--thread->stack.count];
  if (at.region) {
    emit_run(self, thread, &at, time, unfinished);
    if (!at.suspended && !unfinished)
      agpu__region_destroy(self, at.region, time);
    agpu__region_close(self, at.region);
  } else if (at.kind == AGPU__TRACE_WAIT) {
    emit_wait(self, thread, &at, time, unfinished);
  }
}

/// Ends the innermost slice if it is one that `begin` began: not if that is
/// among what was dropped.
static void end(agpu__tasks *self, size_t number, unsigned begin,
                int64_t time) {
  agpu__tasks_thread *thread = &self->threads[number];
  if (thread->stack.count &&
      frames_of(thread)[thread->stack.count - 1].kind == begin)
    pop(self, number, time, /*unfinished=*/false);
}

void agpu__tasks_follow(agpu__tasks *self, size_t thread,
                        const agpu__trace_event *event) {
  self->last = event->time;
  switch ((agpu__trace_kind)event->kind) {
  case AGPU__TRACE_QUEUE: queue(self, thread, event); return;
  case AGPU__TRACE_AWAIT:
    if (event->args[2] & AGPU__TRACE_THREAD)
      park(self, event);
    else
      await(self, thread, event);
    return;
  case AGPU__TRACE_RUN: begin_run(self, thread, event); return;
  case AGPU__TRACE_HERE:
  case AGPU__TRACE_IN_PLACE: begin_here(self, thread, event); return;
  case AGPU__TRACE_SERVE: serve(self, thread, event); return;
  case AGPU__TRACE_WAIT: begin_wait(self, thread, event); return;
  case AGPU__TRACE_RAN: end(self, thread, AGPU__TRACE_RUN, event->time); return;
  case AGPU__TRACE_HERE_END:
    end(self, thread, AGPU__TRACE_HERE, event->time);
    return;
  case AGPU__TRACE_WAIT_END:
    end(self, thread, AGPU__TRACE_WAIT, event->time);
    return;
  case AGPU__TRACE_IN_PLACE_END:
    end(self, thread, AGPU__TRACE_IN_PLACE, event->time);
    return;
  default: return;
  }
}

void agpu__tasks_finish(agpu__tasks *self) {
  for (size_t i = 0; i < self->thread_count; ++i) {
    if (self->threads[i].stack.count)
      self->threads[i].last = self->last;
    while (self->threads[i].stack.count)
      pop(self, i, self->last, /*unfinished=*/true);
  }
  if (self->last) {
    agpu__region_emit_counter(self, "tasks alive", self->last, self->alive);
    agpu__region_emit_counter(self, "tasks queued", self->last, self->queued);
  }
}

void agpu__tasks_emit_waiting(agpu__tasks *self) {
  enum { MOST = 100 };
  agpu__trace_output *to = self->emitter->to;
  int shown = 0;
  for (size_t i = 1; i < self->regions.count && shown < MOST; ++i) {
    const agpu__region *of = agpu__region_at(self, (uint32_t)i);
    if (of->state != AGPU__REGION_WAITING)
      continue;
    char label[AGPU__LABEL];
    agpu__trace_put(to, shown++ ? ",{\"run\":" : "{\"run\":");
    agpu__trace_put_number(to, of->id);
    if (of->name && of->name->region >= 0) {
      agpu__trace_put(to, ",\"region\":");
      agpu__trace_put_signed(to, of->name->region);
    }
    agpu__trace_put(to, ",\"name\":");
    agpu__trace_put_string(to, agpu__emit_label(label, of->name, of->code));
    agpu__trace_put(to, ",\"waits_for\":");
    agpu__trace_put_number(to, of->object);
    if (of->place) {
      agpu__trace_put(to, ",\"at\":");
      agpu__trace_put_string(to, of->place);
    }
    agpu__trace_put(to, "}");
  }
}

void agpu__tasks_free(agpu__tasks *self) {
  for (size_t i = 0; i < self->thread_count; ++i)
    agpu__trace_array_free(&self->threads[i].stack, sizeof(agpu__frame));
  agpu__trace_array_free(&self->regions, sizeof(agpu__region));
  agpu__trace_array_free(&self->waits, sizeof(wait));
  agpu__trace_table_free(&self->by_handle);
  agpu__trace_table_free(&self->by_parker);
}
