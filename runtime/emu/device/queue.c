//===- queue.c - The ops of a stream, and who runs them -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue that has ops has a thread of its own, as any op may wait for those of
// other streams. Without ops it has none, so that a program which uses one
// stream after the other, as the runtime does, has one thread run them all: no
// thread is created on the way, and what it has touched is in its processor's
// caches. A thread of the host that waits for what the queue's thread has not
// begun runs it itself, up to the next host function, which no thread of the
// program's runs: it would take longer until the other has woken.
//
// As on a GPU, the queue has so many entries (ASYNC_GPU_EMU_QUEUE), and who
// enqueues more waits; and streams share connections (connection.h).
//
//===----------------------------------------------------------------------===//

#include "emu/device/queue.h"

#include "base/os/platform.h"
#include "base/report/assert.h"
#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"

void agpu__emu_queue_init(agpu__emu_queue *queue, CUcontext context) {
  agpu__mutex_init(&queue->lock, AGPU__RANK_EMU_STREAM);
  agpu__condition_init(&queue->changed);
  queue->context = context;
  STAILQ_INIT(&queue->ops);
  queue->order.device = agpu__emu_context_device(context);
  AGPU__EMU_TELL(stream_created, (&queue->order));
}

/// Of a queue without ops.
static void drop_carrier(agpu__emu_queue *of) AGPU__REQUIRES(of->lock) {
  AGPU__ASSERT(!of->running && STAILQ_EMPTY(&of->ops));
  if (of->carrier)
    agpu__emu_carrier_give(of->carrier);
  of->carrier = NULL;
}

AGPU__UNCHECKED_LOCKS void agpu__emu_queue_end(agpu__emu_queue *queue) {
  drop_carrier(queue);
  AGPU__EMU_TELL(stream_ended, (&queue->order));
  agpu__condition_destroy(&queue->changed);
  agpu__mutex_destroy(&queue->lock);
  agpu__emu_stamp_release(queue->order.last);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs an op, in its turn in the connection.
static void run_op(agpu__emu_queue *self, agpu__emu_op *op) {
  uint64_t place = op->place;
  bool holds_up =
      op->kind == AGPU__EMU_OP_WAIT || op->kind == AGPU__EMU_OP_HOST;
  agpu__emu_delay(&self->random);
  agpu__emu_connection_await(self->connection, place);
  if (!holds_up)
    agpu__emu_connection_pass(self->connection, place);
  agpu__emu_op_run(op, &self->random);
  if (holds_up)
    agpu__emu_connection_pass(self->connection, place);
}

/// Runs the next op. False where there is none.
static bool run_next(agpu__emu_queue *self) AGPU__REQUIRES(self->lock) {
  agpu__emu_op *op = STAILQ_FIRST(&self->ops);
  if (!op)
    return false;
  STAILQ_REMOVE_HEAD(&self->ops, link);
  agpu__mutex_unlock(&self->lock);
  bool is_entry = !op->is_part;
  run_op(self, op);
  agpu__mutex_lock(&self->lock);
  AGPU__ASSERT(self->done < self->enqueued && self->entries >= is_entry);
  atomic_fetch_add_explicit(&self->done, 1, memory_order_release);
  self->entries -= is_entry;
  agpu__condition_broadcast(&self->changed);
  return true;
}

/// Where no op is left: the queue may be freed once the lock is open.
static void rest(agpu__emu_queue *self) AGPU__REQUIRES(self->lock) {
  self->running = false;
  // A thread that ran several streams would order them for the thread
  // sanitizer, which then finds fewer races of the program.
  if (!AGPU__THREAD_SANITIZER)
    drop_carrier(self);
}

/// Runs the ops of a queue until none is left.
static void run_queue(void *argument) {
  agpu__emu_queue *self = argument;
  agpu__emu_set_context(self->context);
  agpu__mutex_lock(&self->lock);
  while (run_next(self))
    continue;
  rest(self);
  agpu__mutex_unlock(&self->lock);
}

/// Whether it does not matter which thread runs an op: to a seed and the checks
/// it does, as to the thread sanitizer.
static bool may_run_here(void) {
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  return !AGPU__THREAD_SANITIZER && !settings->seeded &&
         !settings->check_races && !settings->check_memory &&
         !settings->check_arithmetic && !settings->check_lanes;
}

/// Whether there is a next op, and any thread may run it.
static bool is_for_all(const agpu__emu_queue *queue)
    AGPU__REQUIRES(queue->lock) {
  const agpu__emu_op *op = STAILQ_FIRST(&queue->ops);
  return op && op->kind != AGPU__EMU_OP_HOST;
}

void agpu__emu_queue_run_here(agpu__emu_queue *queue, bool (*is_done)(void *of),
                              void *of) {
  if (is_done(of) || !may_run_here())
    return;
  agpu__mutex_lock(&queue->lock);
  if (!queue->running || !is_for_all(queue) ||
      !agpu__emu_carrier_stop(queue->carrier)) {
    agpu__mutex_unlock(&queue->lock);
    return;
  }
  CUcontext own = agpu__emu_get_context();
  agpu__emu_set_context(queue->context);
  while (is_for_all(queue) && !is_done(of))
    (void)run_next(queue);
  agpu__emu_carrier *started = NULL;
  if (STAILQ_EMPTY(&queue->ops))
    rest(queue);
  else
    started = queue->carrier;
  agpu__mutex_unlock(&queue->lock);
  if (started)
    agpu__emu_carrier_start(started, run_queue, queue);
  agpu__emu_set_context(own);
}

//===----------------------------------------------------------------------===//
// Appending
//===----------------------------------------------------------------------===//

/// To a queue that has a thread.
static void append(agpu__emu_queue *to, agpu__emu_op *op)
    AGPU__REQUIRES(to->lock) {
  AGPU__ASSERT_HELD(&to->lock);
  AGPU__ASSERT(to->running);
  // Events and flags are the runtime's own business, in nobody's name: the
  // thread's last op may be of code that has been released.
  if (op->kind != AGPU__EMU_OP_RECORD && op->kind != AGPU__EMU_OP_WAIT &&
      op->kind != AGPU__EMU_OP_WRITE)
    op->origin = agpu__emu_get_origin();
  AGPU__EMU_TELL(op_enqueued, (&to->order,
                               op->kind == AGPU__EMU_OP_WAIT
                                   ? agpu__emu_marker_get_stamp(op->marker)
                                   : NULL,
                               op));
  if (op->kind == AGPU__EMU_OP_RECORD)
    agpu__emu_marker_set_stamp(op->marker, op->stamp);
  agpu__emu_op_enqueued(op);
  op->place = agpu__emu_connection_enqueue(to->connection);
  STAILQ_INSERT_TAIL(&to->ops, op, link);
  ++to->enqueued;
  to->entries += !op->is_part;
}

// "Any CUDA API call may block or synchronize for various reasons such as
// contention for or unavailability of internal resources." (API synchronization
// behavior)
static void await_entry(agpu__emu_queue *to) AGPU__REQUIRES(to->lock) {
  AGPU__ASSERT_HELD(&to->lock);
  unsigned most = agpu__emu_get_settings()->queue;
  if (!most || to->entries < most)
    return;
  if (agpu__emu_hooks_table.held_up)
    agpu__emu_hooks_table.held_up(true);
  while (to->entries >= most)
    agpu__condition_wait(&to->changed, &to->lock);
  if (agpu__emu_hooks_table.held_up)
    agpu__emu_hooks_table.held_up(false);
}

CUresult agpu__emu_queue_append(agpu__emu_queue *queue, agpu__emu_op *op) {
  agpu__emu_carrier *started = NULL;
  agpu__mutex_lock(&queue->lock);
  if (!op->is_part)
    await_entry(queue);
  if (!queue->running) {
    if (!queue->carrier)
      queue->carrier = agpu__emu_carrier_take();
    started = queue->carrier;
    queue->running = started != NULL;
  }
  bool taken = queue->running;
  if (taken)
    append(queue, op);
  agpu__mutex_unlock(&queue->lock);
  if (started)
    agpu__emu_carrier_start(started, run_queue, queue);
  if (!taken)
    agpu__emu_op_free(op);
  return taken ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

typedef struct target {
  agpu__emu_queue *of;
  uint64_t done;
} target;

static bool is_reached(void *data) {
  const target *wanted = data;
  return atomic_load_explicit(&wanted->of->done, memory_order_acquire) >=
         wanted->done;
}

void agpu__emu_queue_wait(agpu__emu_queue *queue, bool tells, bool may_run) {
  AGPU__EMU_TELL(await_stream, (&queue->order));
  agpu__mutex_lock(&queue->lock);
  target wanted = {queue, queue->enqueued};
  agpu__emu_stamp *last = agpu__emu_stamp_retain(queue->order.last);
  agpu__mutex_unlock(&queue->lock);
  if (may_run)
    agpu__emu_queue_run_here(queue, is_reached, &wanted);
  (void)agpu__emu_launch_help(is_reached, &wanted);
  agpu__mutex_lock(&queue->lock);
  while (!is_reached(&wanted))
    agpu__condition_wait(&queue->changed, &queue->lock);
  agpu__mutex_unlock(&queue->lock);
  if (tells)
    AGPU__EMU_TELL(observed, (last));
  agpu__emu_stamp_release(last);
}

bool agpu__emu_queue_is_idle(agpu__emu_queue *queue, bool tells) {
  if (agpu__emu_hooks_table.sees_stream) {
    if (!agpu__emu_hooks_table.sees_stream(&queue->order))
      return false;
    agpu__emu_queue_wait(queue, false, false); // it may yet have to come
  }
  agpu__mutex_lock(&queue->lock);
  bool idle = queue->done == queue->enqueued;
  if (idle && tells)
    AGPU__EMU_TELL(observed, (queue->order.last));
  agpu__mutex_unlock(&queue->lock);
  return idle;
}

bool agpu__emu_queue_has_work(agpu__emu_queue *queue) {
  agpu__mutex_lock(&queue->lock);
  bool has_work =
      queue->done != queue->enqueued || queue->order.last || queue->order.timed;
  agpu__mutex_unlock(&queue->lock);
  return has_work;
}

bool agpu__emu_queue_is_running(agpu__emu_queue *queue) {
  agpu__mutex_lock(&queue->lock);
  bool running = queue->running;
  agpu__mutex_unlock(&queue->lock);
  return running;
}
