//===- stream.c - Streams -------------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a queue of ops (queue.h) with a handle.
//
// Each context has a default stream, which is made when one is asked for. It
// waits for the work of the context's blocking streams, and they for its own,
// by records and waits like those of events.
//
// A destroyed stream is freed once its ops are done, by the thread that next
// creates one, or at the end of the context.
//
//===----------------------------------------------------------------------===//

#include "emu/device/stream.h"

#include "base/os/platform.h"
#include "base/report/assert.h"
#include "base/sync/mutex.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/settings.h"
#include "emu/device/capture.h"
#include "emu/device/carrier.h"
#include "emu/device/queue.h"
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
  CUcontext context;
  bool is_blocking; // waits for the default stream, and that for it
  int priority;
  // Calls that use it and hold no lock, so that it is not freed.
  unsigned users AGPU__GUARDED_BY(all.lock);

  agpu__emu_queue queue;
} stream;

/// The current context's default stream; NULL: out of memory.
static CUstream get_default(void) {
  if (!agpu__emu_get_context())
    return NULL;
  _Atomic(CUstream) *own = agpu__emu_context_default(agpu__emu_get_context());
  CUstream made, other = atomic_load_explicit(own, memory_order_acquire);
  if (other || agpu__emu_stream_begin(&made, false, 0))
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

/// Of a stream that does not run and is in no list: no one else has it.
static void free_stream(stream *old) {
  agpu__emu_queue_end(&old->queue);
  free(old);
}

/// Frees the destroyed streams whose ops are done.
static void reap(void) {
  agpu__mutex_lock(&all.lock);
  for (stream *at = LIST_FIRST(&all.ending), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->users || agpu__emu_queue_is_running(&at->queue))
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

int agpu__emu_stream_priority(CUstream handle) {
  const stream *found = find(handle);
  return found ? found->priority : 0;
}

CUcontext agpu__emu_stream_context(CUstream handle) {
  const stream *found = find(handle);
  return found ? found->context : NULL;
}

/// What is on `to` from now on depends on what is on `behind` now.
static CUresult order(stream *to, stream *behind) {
  if (to == behind || !agpu__emu_queue_has_work(&behind->queue))
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
  CUresult result = agpu__emu_queue_append(&behind->queue, record);
  if (result)
    agpu__emu_op_free(wait);
  return result ? result : agpu__emu_queue_append(&to->queue, wait);
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

/// `to` may be NULL: there is none.
static CUresult append(stream *to, agpu__emu_op *op) {
  CUresult result = CUDA_ERROR_INVALID_HANDLE;
  if (to &&
      (to->context == agpu__emu_get_context() || op->kind == AGPU__EMU_OP_WAIT))
    result = order_default(to);
  if (!result)
    return agpu__emu_queue_append(&to->queue, op);
  agpu__emu_op_free(op);
  return result;
}

CUresult agpu__emu_stream_append(CUstream handle, agpu__emu_op *op) {
  return append(find(handle), op);
}

CUresult agpu__emu_stream_enqueue(CUstream handle, agpu__emu_op *op) {
  stream *to = find(handle);
  CUresult result;
  if (to && agpu__emu_capture(handle, (agpu__emu_node){.op = op}, &result))
    return result;
  return append(to, op);
}

/// Of one context, or of all (NULL).
static void wait_for_streams(CUcontext context, bool tells) {
  stream *at;
  // Under the lock, so that no stream goes meanwhile. Threads of streams never
  // take it, so work goes on.
  agpu__mutex_lock(&all.lock);
  LIST_FOREACH (at, &all.live, link)
    if (!context || at->context == context)
      agpu__emu_queue_wait(&at->queue, tells, false);
  LIST_FOREACH (at, &all.ending, link)
    if (!context || at->context == context)
      agpu__emu_queue_wait(&at->queue, tells, false);
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
    agpu__emu_queue_wait(&at->queue, true, false);
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

CUresult agpu__emu_stream_begin(CUstream *out, bool is_blocking, int priority) {
  reap();
  stream *created = calloc(1, sizeof *created);
  CUstream handle =
      created ? agpu__emu_handle_create(AGPU__EMU_STREAM, created) : NULL;
  if (!handle) {
    free(created);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  created->handle = handle;
  created->context = agpu__emu_get_context();
  created->is_blocking = is_blocking;
  created->priority = priority;
  agpu__emu_queue_init(&created->queue, created->context);
  agpu__mutex_lock(&all.lock);
  agpu__emu_queue *queue = &created->queue;
  queue->connection = agpu__emu_connection_choose(created->context);
  queue->random = agpu__emu_random_create(all.created++);
  LIST_INSERT_HEAD(queue->connection ? &all.live : &all.ending, created, link);
  agpu__mutex_unlock(&all.lock);
  if (!queue->connection) {
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

/// Whether the default stream is idle, and those it would wait for; if so and
/// `tells`, the host relies on it. Nothing is enqueued, since programs ask
/// again and again.
static bool is_default_idle(stream *of, bool tells) {
  stream *at;
  bool idle = agpu__emu_queue_is_idle(&of->queue, tells);
  agpu__mutex_lock(&all.lock);
  LIST_FOREACH (at, &all.live, link)
    if (at->is_blocking && at->context == of->context)
      idle &= agpu__emu_queue_is_idle(&at->queue, tells);
  agpu__mutex_unlock(&all.lock);
  return idle;
}

CUresult agpu__emu_stream_is_idle(CUstream handle, bool *out_idle) {
  stream *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  *out_idle = handle == of->handle
                  ? agpu__emu_queue_is_idle(&of->queue, true)
                  : is_default_idle(of, false) && is_default_idle(of, true);
  return CUDA_SUCCESS;
}

void agpu__emu_stream_run_here(CUstream handle, bool (*is_done)(void *of),
                               void *of) {
  agpu__mutex_lock(&all.lock);
  stream *found = agpu__emu_handle_find(AGPU__EMU_STREAM, handle);
  if (found)
    ++found->users;
  agpu__mutex_unlock(&all.lock);
  if (!found)
    return;
  agpu__emu_queue_run_here(&found->queue, is_done, of);
  agpu__mutex_lock(&all.lock);
  --found->users;
  agpu__mutex_unlock(&all.lock);
}

void agpu__emu_stream_leave(CUstream handle) {
  stream *old = agpu__emu_handle_find(AGPU__EMU_STREAM, handle);
  stream *next =
      old && old->is_blocking && !agpu__emu_queue_is_idle(&old->queue, false)
          ? find(NULL)
          : NULL;
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
  result = agpu__emu_capture_await_stream(handle);
  if (!result && handle != of->handle)
    result = order_default(of);
  if (result)
    return result;
  agpu__emu_queue_wait(&of->queue, true, true);
  agpu__emu_print_flush();
  agpu__emu_memory_synchronized();
  return agpu__emu_get_error();
}
