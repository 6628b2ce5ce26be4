//===- timeline.c - Work of devices in modelled time ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps. Of all that may happen next the earliest does: a piece of work
// that runs ends, or the first of a stream begins. At the same time ends come
// first, and begins in the order in which the work was enqueued.
//
//===----------------------------------------------------------------------===//

#include "emu/model/timeline.h"

#include "base/report/assert.h"
#include "base/report/settings.h"
#include "emu/device/marker.h"
#include "emu/model/cache.h"
#include "emu/model/rest.h"
#include "emu/model/timed.h"

#include <math.h>
#include <stdlib.h>

typedef agpu__emu_timed timed;

/// What the timeline keeps of a stream.
typedef struct agpu__emu_timed_stream {
  LIST_ENTRY(agpu__emu_timed_stream) link;
  CUdevice device;
  STAILQ_HEAD(, agpu__emu_timed) waiting;
  uint64_t given, over;   // pieces of work
  bool is_busy;           // one runs
  bool is_ended;          // goes when nothing is left
  agpu__emu_op_kind last; // kind of the last one that was over
  int64_t free;           // from when on
} stream;

static struct {
  const agpu__emu_model *model;
  agpu__emu_ran *ran;
  LIST_HEAD(, agpu__emu_timed_stream)
  streams AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  TAILQ_HEAD(running, agpu__emu_timed)
  running AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  bool is_busy[AGPU__EMU_MAX_DEVICES][AGPU__EMU_ENGINES] AGPU__GUARDED_BY(
      agpu__emu_timeline_lock);
  uint64_t count AGPU__GUARDED_BY(agpu__emu_timeline_lock); // enqueued so far
  int64_t now AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  bool is_stepping AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // Pieces of work that run in real time, and host functions that wait for
  // their turn, or are left.
  unsigned working, held AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // The host function whose return the step waits for, or NULL.
  timed *called AGPU__GUARDED_BY(agpu__emu_timeline_lock);
} all;

void agpu__emu_timeline_tell(agpu__emu_ran *ran) { all.ran = ran; }

AGPU__UNCHECKED_LOCKS void
agpu__emu_timeline_start(const agpu__emu_model *model) {
  if (!all.model) {
    agpu__emu_rest_start();
    TAILQ_INIT(&all.running);
  }
  all.model = model;
}

//===----------------------------------------------------------------------===//
// What is enqueued, and what has run
//===----------------------------------------------------------------------===//

static stream *get_stream(agpu__emu_order *order)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (order->timed)
    return order->timed;
  stream *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  STAILQ_INIT(&made->waiting);
  made->device = order->device;
  made->last = AGPU__EMU_OP_RECORD;
  LIST_INSERT_HEAD(&all.streams, made, link);
  return order->timed = made;
}

void agpu__emu_timeline_add(agpu__emu_order *order, agpu__emu_op *op,
                            int64_t now) {
  stream *to = get_stream(order);
  timed *made =
      to ? agpu__emu_timed_create(all.model, op, all.count++, now) : NULL;
  if (!made)
    return;
  made->stream = to;
  ++to->given;
  STAILQ_INSERT_TAIL(&to->waiting, made, link);
}

void agpu__emu_timeline_add_part(timed *of, agpu__emu_op *op) {
  agpu__emu_op asking = {.kind = AGPU__EMU_OP_CONDITIONAL, .is_part = true};
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  timed *made = agpu__emu_timed_create(all.model, op ? op : &asking, of->number,
                                       of->enqueued);
  if (made) {
    made->stream = of->stream;
    made->is_inner = true;
    made->is_asking = !op;
    if (!op)
      made->cost.alone = all.model->condition_gap;
    STAILQ_INSERT_TAIL(&of->parts, made, link);
    agpu__emu_changed();
  }
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_timeline_runs(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  if (!all.working++)
    agpu__emu_leave_out_cpu(true);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_timeline_ran(timed *of) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_timed_count(of);
  if (!--all.working)
    agpu__emu_leave_out_cpu(false);
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

int64_t agpu__emu_timeline_await_turn(timed *of, void (*every)(void)) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  of->has_come = true;
  ++all.held;
  agpu__emu_changed();
  while (!of->has_turn)
    if (!agpu__emu_rest() && !of->has_turn) {
      agpu__mutex_unlock(&agpu__emu_timeline_lock);
      every();
      agpu__mutex_lock(&agpu__emu_timeline_lock);
    }
  int64_t begin = of->begin;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return begin;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool has_engines(const timed *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  for (size_t i = 0; i < of->cost.engine_count; ++i)
    if (all.is_busy[of->cost.engines[i].device][of->cost.engines[i].engine])
      return false;
  return true;
}

static void set_engines(const timed *of, bool is_busy)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  for (size_t i = 0; i < of->cost.engine_count; ++i)
    all.is_busy[of->cost.engines[i].device][of->cost.engines[i].engine] =
        is_busy;
}

/// When the first of the stream can begin; NEVER: what it waits for is not
/// over.
static int64_t get_ready(const stream *of, const timed *first)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const agpu__emu_model *model = all.model;
  if (!has_engines(first))
    return AGPU__EMU_NEVER;
  int64_t latency = 0, gap = 0;
  if (agpu__emu_takes_time(first) || first->kind == AGPU__EMU_OP_CONDITIONAL)
    latency = (int64_t)model->launch_latency;
  if (agpu__emu_is_work(first->kind) && agpu__emu_is_work(of->last))
    gap = (int64_t)(first->is_part ? model->graph_gap : model->kernel_gap);
  if (agpu__emu_is_work(first->kind) && of->last == AGPU__EMU_OP_WAIT)
    gap = (int64_t)(first->is_part ? model->graph_gap : model->event_gap);
  int64_t ready = of->free + gap, enqueued = first->enqueued + latency;
  ready = ready > enqueued ? ready : enqueued;
  if (first->kind == AGPU__EMU_OP_WAIT) {
    int64_t marked = agpu__emu_marker_get_modelled(first->marker);
    if (marked < 0)
      return AGPU__EMU_NEVER;
    ready = ready > marked ? ready : marked;
  }
  return ready;
}

static int64_t get_end(const timed *of) {
  return of->rate > 0 && (!of->is_left || of->has_returned)
             ? (int64_t)ceil(of->left / of->rate)
             : AGPU__EMU_NEVER;
}

/// Shares what each device has among those that run there, first come, first
/// served: the multiprocessors, and then the memory's bandwidth in proportion.
static void share_out(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  double taken[AGPU__EMU_MAX_DEVICES] = {0},
         memory[AGPU__EMU_MAX_DEVICES] = {0};
  timed *at;
  TAILQ_FOREACH (at, &all.running, beside) {
    CUdevice device = at->stream->device;
    double left = 1 - taken[device];
    double share = at->cost.share < left ? at->cost.share : left;
    at->rate = at->cost.share > 0 ? share / at->cost.share : 1;
    taken[device] += share;
    memory[device] += at->rate * at->cost.memory;
  }
  TAILQ_FOREACH (at, &all.running, beside) {
    double asked = memory[at->stream->device];
    if (asked > 1 && at->cost.memory > 0)
      at->rate /= 1 + at->cost.memory * (asked - 1);
  }
}

/// Time passes for those that run.
static void pass(int64_t until) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  timed *at;
  if (until <= all.now)
    return;
  TAILQ_FOREACH (at, &all.running, beside) {
    at->left -= at->rate * (double)(until - all.now);
    at->left = at->left > 0 ? at->left : 0;
  }
  all.now = until;
}

static void give_up(stream *of) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  LIST_REMOVE(of, link);
  free(of);
}

/// The piece of work, in no list, is over.
static void end(timed *of, int64_t time)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  stream *on = of->stream;
  on->free = time;
  if (of->kind != AGPU__EMU_OP_CONDITIONAL || of->is_asking)
    on->last = of->kind;
  on->over += !of->is_inner;
  if (of->kind == AGPU__EMU_OP_RECORD) {
    const timed *next = STAILQ_FIRST(&on->waiting);
    while (next && next->kind == AGPU__EMU_OP_RECORD)
      next = STAILQ_NEXT(next, link);
    agpu__emu_marker_set_modelled(of->marker, time,
                                  next && next->kind == AGPU__EMU_OP_HOST);
  }
  if (of->work && all.ran &&
      (agpu__emu_is_work(of->kind) || of->kind == AGPU__EMU_OP_HOST ||
       of->kind == AGPU__EMU_OP_CONDITIONAL))
    all.ran(of->work, of->round, of->begin, time);
  agpu__emu_timed_free(of);
  if (on->is_ended && on->over == on->given)
    give_up(on);
  agpu__emu_changed();
}

/// The earliest of those that run to end; NULL: none does.
static timed *find_ending(int64_t *out_time)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  timed *at, *found = NULL;
  *out_time = AGPU__EMU_NEVER;
  TAILQ_FOREACH (at, &all.running, beside) {
    int64_t left = get_end(at);
    if (left != AGPU__EMU_NEVER && all.now + left < *out_time) {
      *out_time = all.now + left;
      found = at;
    }
  }
  return found;
}

static timed *find_beginning(int64_t *out_time)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  stream *at;
  timed *found = NULL;
  *out_time = AGPU__EMU_NEVER;
  LIST_FOREACH (at, &all.streams, link) {
    timed *first = STAILQ_FIRST(&at->waiting);
    if (!first || at->is_busy || first->is_late)
      continue;
    int64_t ready = get_ready(at, first);
    if (ready < *out_time ||
        (found && ready == *out_time && ready != AGPU__EMU_NEVER &&
         first->number < found->number)) {
      *out_time = ready;
      found = first;
    }
  }
  return found;
}

/// Whether the piece of work has yet to run in real time; a host function, to
/// be about to.
static bool is_awaited(const timed *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (of->kind == AGPU__EMU_OP_HOST)
    return !of->has_come && !of->has_returned;
  if (of->kind == AGPU__EMU_OP_CONDITIONAL)
    return !of->is_asking && !of->has_run && STAILQ_EMPTY(&of->parts);
  return agpu__emu_is_work(of->kind) && !of->has_run;
}

/// Waits until the piece of work has run: what it takes is known from then on.
/// False: nothing runs, as host functions hold it up in its connection whose
/// turn comes later.
static bool await_run(const timed *of) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  // A thread may look again and again for what a host function does.
  enum { RESTS = 3, USED_NS = 200000000 };
  int64_t since = agpu__emu_used_cpu();
  for (unsigned rests = 0; is_awaited(of);) {
    if (agpu__emu_rest() || !all.held || all.working) {
      rests = 0;
      since = agpu__emu_used_cpu();
    } else if (agpu__emu_used_cpu() - since > USED_NS ||
               (!agpu__emu_is_any_runnable() && ++rests == RESTS)) {
      return false;
    }
  }
  return true;
}

/// What the piece of work takes, which begins now: work before it has left the
/// cache as it is.
static agpu__emu_cost get_cost(const timed *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const agpu__emu_model *model = all.model;
  if (of->kind == AGPU__EMU_OP_KERNEL)
    return agpu__emu_cost_of_kernel(
        model, &of->launch, of->stream->device, &of->counts,
        agpu__emu_cache_touch(model, of->counts.touched, of->counts.ranges));
  double missed = agpu__emu_cache_touch(model, of->rows, of->row_count);
  if (of->cost.alone > 0)
    return of->cost;
  double traffic = 0;
  for (size_t i = 0; i < of->row_count; ++i)
    traffic += of->rows[i].traffic;
  return agpu__emu_cost_of_traffic(
      model, traffic, missed,
      of->kind == AGPU__EMU_OP_COPY ? model->copy_least : model->kernel_least);
}

/// False: a host function runs now, and the step is over when it is. The thread
/// that makes the step may be the one that has to call it.
static bool begin(timed *of, int64_t time)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  stream *on = of->stream;
  // What was enqueued late finds the device as it is.
  if (agpu__emu_takes_time(of) && time < all.now)
    time = all.now;
  of->is_late = !await_run(of);
  if (of->is_late)
    return true;
  // A conditional node comes here again behind each of its parts.
  if (of->kind != AGPU__EMU_OP_CONDITIONAL || !of->has_begun)
    of->begin = time;
  of->has_begun = true;
  if (of->kind == AGPU__EMU_OP_HOST && !of->has_returned && !of->is_left) {
    of->has_turn = true;
    --all.held;
    all.called = of;
    return false;
  }
  if (!STAILQ_EMPTY(&of->parts)) {
    // In front of the conditional node, which is over behind the last of them.
    STAILQ_CONCAT(&of->parts, &on->waiting);
    STAILQ_CONCAT(&on->waiting, &of->parts);
    return true;
  }
  STAILQ_REMOVE_HEAD(&on->waiting, link);
  if (!agpu__emu_takes_time(of)) {
    end(of, time);
    return true;
  }
  on->is_busy = true;
  if (agpu__emu_is_work(of->kind))
    of->cost = get_cost(of);
  of->left = of->cost.alone;
  if (of->kind == AGPU__EMU_OP_HOST)
    of->left = of->returned > time ? (double)(of->returned - time) : 0;
  set_engines(of, true);
  TAILQ_INSERT_TAIL(&all.running, of, beside);
  share_out();
  return true;
}

/// The step that has called a host function is over.
static void end_call(timed *of) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  all.called = NULL;
  (void)begin(of, of->begin);
  all.is_stepping = false;
}

void agpu__emu_timeline_leave_called(void) {
  if (!all.called)
    return;
  all.called->is_left = true;
  ++all.held;
  end_call(all.called);
  agpu__emu_changed();
}

void agpu__emu_timeline_returned(timed *of, int64_t now) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  of->returned = now;
  of->has_returned = true;
  if (of->is_left) {
    --all.held;
    of->left = now > all.now ? (double)(now - all.now) : 0;
  } else if (of->has_turn) {
    end_call(of);
  }
  // What it has held up may run.
  stream *at;
  LIST_FOREACH (at, &all.streams, link)
    if (!STAILQ_EMPTY(&at->waiting))
      STAILQ_FIRST(&at->waiting)->is_late = false;
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

int64_t agpu__emu_timeline_next(void) {
  int64_t ends, begins;
  (void)find_ending(&ends);
  (void)find_beginning(&begins);
  return ends < begins ? ends : begins;
}

bool agpu__emu_timeline_step(int64_t limit) {
  int64_t ends, begins;
  timed *ending = find_ending(&ends), *beginning = find_beginning(&begins);
  if ((ends > limit || !ending) && (begins > limit || !beginning))
    return false;
  AGPU__ASSERT(!all.is_stepping);
  all.is_stepping = true;
  if (ending && ends <= begins) {
    pass(ends);
    TAILQ_REMOVE(&all.running, ending, beside);
    ending->stream->is_busy = false;
    set_engines(ending, false);
    end(ending, ends);
    share_out();
    all.is_stepping = false;
  } else {
    pass(begins);
    all.is_stepping = !begin(beginning, begins);
  }
  agpu__emu_changed();
  return true;
}

//===----------------------------------------------------------------------===//
// For those who wait
//===----------------------------------------------------------------------===//

int64_t agpu__emu_timeline_now(void) { return all.now; }

bool agpu__emu_timeline_is_stepping(void) { return all.is_stepping; }

uint64_t agpu__emu_timeline_given(const agpu__emu_order *order) {
  return order->timed ? order->timed->given : 0;
}

bool agpu__emu_timeline_is_over(const agpu__emu_order *order, uint64_t given,
                                int64_t *out_time) {
  if (given && order->timed->over < given)
    return false;
  *out_time = given ? order->timed->free : 0;
  return true;
}

void agpu__emu_timeline_stream_ended(agpu__emu_order *order) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  stream *of = order->timed;
  order->timed = NULL;
  if (of) {
    of->is_ended = true;
    if (of->over == of->given)
      give_up(of);
  }
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}
