//===- stream.c - Queues and their threads --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a list of ops, which a thread runs in order. A stream that has
// ops has a thread of its own, as any op may wait for those of other streams.
// Without ops it has none, so that a program which uses one stream after the
// other, as the runtime does, has one thread run them all: no thread is
// created on the way, and what it has touched is in its processor's caches.
//
// Each context has a default stream, which is made when one is asked for. It
// waits for the work of the context's blocking streams, and they for its own,
// by records and waits like those of events.
//
// As on a GPU, the queue has so many entries (ASYNC_GPU_EMU_QUEUE), and who
// enqueues more waits; and streams share connections (connection.h).
// A destroyed stream is freed once its ops are done, by the thread that next
// creates one, or at the end of the context.
//
//===----------------------------------------------------------------------===//

#include "emu/device/stream.h"

#include "base/os/platform.h"
#include "base/report/assert.h"
#include "base/sync/mutex.h"
#include "emu/base/awake.h"
#include "emu/base/calls.h"
#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/settings.h"
#include "emu/device/carrier.h"
#include "emu/device/connection.h"
#include "emu/memory/peers.h"
#include "emu/simt/output.h"

#include <stdlib.h>

typedef LIST_HEAD(streams, stream) streams;

static struct {
  agpu__mutex lock;
  streams live AGPU__GUARDED_BY(lock);   // created, not destroyed
  streams ending AGPU__GUARDED_BY(lock); // destroyed, not freed
  uint64_t created AGPU__GUARDED_BY(lock);
} all = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_STREAMS)};

typedef struct stream {
  LIST_ENTRY(stream) link AGPU__GUARDED_BY(all.lock);
  CUstream handle;
  agpu__emu_random random; // the stream's thread's
  CUcontext context;
  agpu__emu_connection *connection;
  bool is_blocking; // waits for the default stream, and that for it
  // Calls that use it and hold no lock, so that it is not freed.
  unsigned users AGPU__GUARDED_BY(all.lock);

  agpu__mutex lock;
  agpu__condition changed; // `done` or `entries` has
  agpu__emu_order order AGPU__GUARDED_BY(lock);
  STAILQ_HEAD(, agpu__emu_op) ops AGPU__GUARDED_BY(lock);
  uint64_t enqueued AGPU__GUARDED_BY(lock), done AGPU__GUARDED_BY(lock); // ops
  unsigned entries AGPU__GUARDED_BY(lock); // not done, without graphs' parts
  // Runs the ops; NULL: none is needed now.
  agpu__emu_carrier *carrier AGPU__GUARDED_BY(lock);
  atomic_bool running; // the carrier has the stream; set under the lock
} stream;

/// The current context's default stream; NULL: out of memory.
static CUstream get_default(void) {
  if (!agpu__emu_get_context())
    return NULL;
  _Atomic(CUstream) *own = agpu__emu_context_default(agpu__emu_get_context());
  CUstream made, other = atomic_load_explicit(own, memory_order_acquire);
  if (other || agpu__emu_stream_begin(&made, false))
    return other;
  if (atomic_compare_exchange_strong_explicit(
          own, &other, made, memory_order_acq_rel, memory_order_acquire))
    return made;
  (void)agpu__emu_stream_end(made);
  return other;
}

/// The stream that a call means.
static stream *find(CUstream handle) {
  if ((uintptr_t)handle <= (uintptr_t)CU_STREAM_LEGACY)
    handle = get_default();
  return agpu__emu_handle_find(AGPU__EMU_STREAM, handle);
}

/// Of a stream without ops.
static void drop_carrier(stream *of) AGPU__REQUIRES(of->lock) {
  AGPU__ASSERT(!of->running && STAILQ_EMPTY(&of->ops));
  if (of->carrier)
    agpu__emu_carrier_give(of->carrier);
  of->carrier = NULL;
}

/// Runs an op, in its turn in the connection.
static void run_op(stream *self, agpu__emu_op *op) {
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

/// Runs the ops of a stream until none is left.
static void run_stream(void *argument) {
  stream *self = argument;
  agpu__emu_set_context(self->context);
  agpu__mutex_lock(&self->lock);
  agpu__emu_op *op;
  while ((op = STAILQ_FIRST(&self->ops))) {
    STAILQ_REMOVE_HEAD(&self->ops, link);
    agpu__mutex_unlock(&self->lock);
    bool is_entry = !op->is_part;
    run_op(self, op);
    agpu__mutex_lock(&self->lock);
    AGPU__ASSERT(self->done < self->enqueued && self->entries >= is_entry);
    ++self->done;
    self->entries -= is_entry;
    agpu__condition_broadcast(&self->changed);
  }
  self->running = false;
  // A thread that ran several streams would order them for the thread
  // sanitizer, which then finds fewer races of the program.
  if (!AGPU__THREAD_SANITIZER)
    drop_carrier(self);
  // The stream may be freed from here on.
  agpu__mutex_unlock(&self->lock);
}

static bool has_stopped(void *of) { return !((stream *)of)->running; }

/// `tells`: the host may rely on having waited.
static void wait_until_done(stream *of, bool tells) {
  agpu__mutex_lock(&of->lock);
  uint64_t target = of->enqueued;
  agpu__emu_stamp *last = agpu__emu_stamp_retain(of->order.last);
  if (of->done < target) {
    agpu__mutex_unlock(&of->lock);
    (void)agpu__emu_stay_awake(has_stopped, of);
    agpu__mutex_lock(&of->lock);
  }
  while (of->done < target)
    agpu__condition_wait(&of->changed, &of->lock);
  agpu__mutex_unlock(&of->lock);
  if (tells)
    AGPU__EMU_TELL(observed, (last));
  agpu__emu_stamp_release(last);
}

/// Of a stream that does not run and is in no list: no one else has it.
AGPU__UNCHECKED_LOCKS static void free_stream(stream *old) {
  drop_carrier(old);
  agpu__condition_destroy(&old->changed);
  agpu__mutex_destroy(&old->lock);
  agpu__emu_stamp_release(old->order.last);
  free(old);
}

static bool is_running(stream *of) {
  agpu__mutex_lock(&of->lock);
  bool running = of->running;
  agpu__mutex_unlock(&of->lock);
  return running;
}

/// Frees the destroyed streams whose ops are done.
static void reap(void) {
  agpu__mutex_lock(&all.lock);
  for (stream *at = LIST_FIRST(&all.ending), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->users || is_running(at))
      continue;
    LIST_REMOVE(at, link);
    free_stream(at);
  }
  agpu__mutex_unlock(&all.lock);
}

bool agpu__emu_stream_is_blocking(CUstream handle) {
  const stream *found = find(handle);
  return found && (found->is_blocking || found->handle != handle);
}

CUcontext agpu__emu_stream_context(CUstream handle) {
  const stream *found = find(handle);
  return found ? found->context : NULL;
}

/// Of a stream that has a thread.
static void append(stream *to, agpu__emu_op *op) AGPU__REQUIRES(to->lock) {
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
static void await_entry(stream *to) AGPU__REQUIRES(to->lock) {
  AGPU__ASSERT_HELD(&to->lock);
  unsigned most = agpu__emu_get_settings()->queue;
  while (most && to->entries >= most)
    agpu__condition_wait(&to->changed, &to->lock);
}

/// In a thread's order of calls alone.
static CUresult enqueue(stream *to, agpu__emu_op *op) {
  agpu__emu_carrier *started = NULL;
  agpu__mutex_lock(&to->lock);
  if (!op->is_part)
    await_entry(to);
  if (!to->running) {
    if (!to->carrier)
      to->carrier = agpu__emu_carrier_take();
    started = to->carrier;
    to->running = started != NULL;
  }
  bool taken = to->running;
  if (taken)
    append(to, op);
  agpu__mutex_unlock(&to->lock);
  if (started)
    agpu__emu_carrier_start(started, run_stream, to);
  if (!taken)
    agpu__emu_op_free(op);
  return taken ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool is_busy(stream *of) {
  agpu__mutex_lock(&of->lock);
  bool is_busy = of->done != of->enqueued;
  agpu__mutex_unlock(&of->lock);
  return is_busy;
}

/// Whether waiting for the stream orders anything. What is done already is
/// still before what comes, of which checks are notified.
static bool has_work(stream *of) {
  agpu__mutex_lock(&of->lock);
  bool has_work = of->done != of->enqueued || of->order.last;
  agpu__mutex_unlock(&of->lock);
  return has_work;
}

/// What is on `to` from now on depends on what is on `behind` now.
static CUresult order(stream *to, stream *behind) {
  if (to == behind || !has_work(behind))
    return CUDA_SUCCESS;
  agpu__emu_marker *marker = agpu__emu_marker_create(false);
  agpu__emu_op *record = agpu__emu_op_create(AGPU__EMU_OP_RECORD, 0);
  agpu__emu_op *wait = agpu__emu_op_create(AGPU__EMU_OP_WAIT, 0);
  if (!marker || !record || !wait) {
    agpu__emu_marker_release(marker);
    free(record);
    free(wait);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  agpu__emu_marker_retain(marker);
  record->marker = wait->marker = marker;
  record->is_part = wait->is_part = true;
  CUresult result = enqueue(behind, record);
  if (result)
    agpu__emu_op_free(wait);
  return result ? result : enqueue(to, wait);
}

/// Has the default stream wait for the context's blocking ones.
static CUresult order_behind_all(stream *to) {
  stream *at;
  CUresult result = CUDA_SUCCESS;
  size_t count = 0, room = 0;
  agpu__mutex_lock(&all.lock);
  LIST_FOREACH (at, &all.live, link)
    room += at->is_blocking && at->context == to->context;
  stream **found = calloc(room + 1, sizeof(*found));
  if (!found)
    result = CUDA_ERROR_OUT_OF_MEMORY;
  else
    LIST_FOREACH (at, &all.live, link)
      if (at->is_blocking && at->context == to->context) {
        ++at->users;
        found[count++] = at;
      }
  agpu__mutex_unlock(&all.lock);
  // Without the lock, which those take who wait for streams.
  for (size_t i = 0; i < count && !result; ++i)
    result = order(to, found[i]);
  agpu__mutex_lock(&all.lock);
  for (size_t i = 0; i < count; ++i)
    --found[i]->users;
  agpu__mutex_unlock(&all.lock);
  free(found);
  return result;
}

/// "When an action is taken in the legacy stream such as a kernel launch or
/// cudaStreamWaitEvent(), the legacy stream first waits on all blocking
/// streams, the action is queued in the legacy stream, and then all blocking
/// streams wait on the legacy stream." (stream synchronization behavior)
static CUresult order_default(stream *to) {
  CUstream handle = atomic_load_explicit(agpu__emu_context_default(to->context),
                                         memory_order_acquire);
  if (__builtin_expect(handle == NULL, true))
    return CUDA_SUCCESS;
  if (handle == to->handle)
    return order_behind_all(to);
  stream *behind = to->is_blocking ? find(handle) : NULL;
  return behind ? order(to, behind) : CUDA_SUCCESS;
}

CUresult agpu__emu_stream_enqueue(CUstream handle, agpu__emu_op *op) {
  stream *to = find(handle);
  CUresult result = CUDA_ERROR_INVALID_HANDLE;
  if (to &&
      (to->context == agpu__emu_get_context() || op->kind == AGPU__EMU_OP_WAIT))
    result = order_default(to);
  if (!result)
    return enqueue(to, op);
  agpu__emu_op_free(op);
  return result;
}

/// Of one context, or of all (NULL).
static void wait_for_streams(CUcontext context, bool tells) {
  stream *at;
  // Under the lock, so that no stream goes meanwhile. Threads of streams never
  // take it, so work goes on.
  agpu__mutex_lock(&all.lock);
  LIST_FOREACH (at, &all.live, link)
    if (!context || at->context == context)
      wait_until_done(at, tells);
  LIST_FOREACH (at, &all.ending, link)
    if (!context || at->context == context)
      wait_until_done(at, tells);
  agpu__mutex_unlock(&all.lock);
}

void agpu__emu_streams_wait(void) { wait_for_streams(NULL, true); }

void agpu__emu_streams_wait_of(CUcontext context) {
  wait_for_streams(context, true);
}

void agpu__emu_streams_stall(void) {
  wait_for_streams(agpu__emu_get_context(), false);
}

static void free_all(streams *of, CUcontext context) AGPU__REQUIRES(all.lock) {
  for (stream *at = LIST_FIRST(of), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->context != context)
      continue;
    LIST_REMOVE(at, link);
    (void)agpu__emu_handle_take(AGPU__EMU_STREAM, at->handle);
    wait_until_done(at, true);
    free_stream(at);
  }
}

void agpu__emu_streams_end(CUcontext context, bool is_last) {
  // Before any is freed: they may wait for each other.
  agpu__emu_streams_wait_of(context);
  agpu__mutex_lock(&all.lock);
  free_all(&all.live, context);
  free_all(&all.ending, context);
  agpu__emu_connections_end(context);
  if (is_last)
    all.created = 0;
  agpu__mutex_unlock(&all.lock);
  if (is_last)
    agpu__emu_carriers_reset();
}

CUresult agpu__emu_stream_begin(CUstream *out, bool is_blocking) {
  reap();
  stream *created = calloc(1, sizeof *created);
  CUstream handle =
      created ? agpu__emu_handle_create(AGPU__EMU_STREAM, created) : NULL;
  if (!handle) {
    free(created);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  agpu__mutex_init(&created->lock, AGPU__RANK_EMU_STREAM);
  agpu__condition_init(&created->changed);
  created->handle = handle;
  created->context = agpu__emu_get_context();
  created->is_blocking = is_blocking;
  STAILQ_INIT(&created->ops);
  AGPU__EMU_TELL(stream_created, (&created->order));
  agpu__mutex_lock(&all.lock);
  created->connection = agpu__emu_connection_choose(created->context);
  created->random = agpu__emu_random_create(all.created++);
  LIST_INSERT_HEAD(created->connection ? &all.live : &all.ending, created,
                   link);
  agpu__mutex_unlock(&all.lock);
  if (!created->connection) {
    (void)agpu__emu_handle_take(AGPU__EMU_STREAM, handle);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = handle;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_stream_end(CUstream handle) {
  agpu__mutex_lock(&all.lock);
  stream *old = agpu__emu_handle_take(AGPU__EMU_STREAM, handle);
  if (old) {
    LIST_REMOVE(old, link);
    LIST_INSERT_HEAD(&all.ending, old, link);
  }
  agpu__mutex_unlock(&all.lock);
  return old ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Whether the stream is idle; if so and `tells`, the host relies on it.
static bool is_idle(stream *of, bool tells) {
  agpu__mutex_lock(&of->lock);
  bool idle = of->done == of->enqueued;
  if (idle && tells)
    AGPU__EMU_TELL(observed, (of->order.last));
  agpu__mutex_unlock(&of->lock);
  return idle;
}

/// The same for the default stream and those it would wait for. Nothing is
/// enqueued, since programs ask again and again.
static bool is_default_idle(stream *of, bool tells) {
  stream *at;
  bool idle = is_idle(of, tells);
  agpu__mutex_lock(&all.lock);
  LIST_FOREACH (at, &all.live, link)
    if (at->is_blocking && at->context == of->context)
      idle &= is_idle(at, tells);
  agpu__mutex_unlock(&all.lock);
  return idle;
}

CUresult agpu__emu_stream_is_idle(CUstream handle, bool *out_idle) {
  stream *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  *out_idle = handle == of->handle
                  ? is_idle(of, true)
                  : is_default_idle(of, false) && is_default_idle(of, true);
  return CUDA_SUCCESS;
}

void agpu__emu_stream_leave(CUstream handle) {
  stream *old = agpu__emu_handle_find(AGPU__EMU_STREAM, handle);
  stream *next = old && old->is_blocking && is_busy(old) ? find(NULL) : NULL;
  if (next && next->context == old->context)
    (void)order(next, old);
}

CUresult agpu__emu_cuStreamSynchronize(CUstream handle) {
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush(); // of a kernel that failed, too
  if (result)
    return result;
  stream *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  result = handle != of->handle ? order_default(of) : CUDA_SUCCESS;
  if (result)
    return result;
  wait_until_done(of, true);
  agpu__emu_print_flush();
  agpu__emu_memory_synchronized();
  return agpu__emu_get_error();
}
