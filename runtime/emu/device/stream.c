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
// A destroyed stream is freed once its ops are done, by whoever next creates
// one, or at the end of the context.
//
//===----------------------------------------------------------------------===//

#include "emu/check/races.h"
#include "emu/device/carrier.h"
#include "emu/emu.h"

#include "base/os/platform.h"

#include <stdlib.h>

struct CUstream_st {
  struct CUstream_st *next; // in `live` or `ending`, under `streams_lock`
  agpu__emu_random random;  // the stream's thread's
  CUcontext context;

  pthread_mutex_t lock; // guards what follows
  pthread_cond_t changed;
  agpu__emu_order order;
  agpu__emu_op *first, **last;
  uint64_t enqueued, done;    // ops
  agpu__emu_carrier *carrier; // runs the ops; NULL: none is needed now
  bool running;               // the carrier has the stream
};

// Lock order: streams_lock, then a stream's lock, then that of the carriers.
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static CUstream live;   // created, not destroyed
static CUstream ending; // destroyed, not freed
static uint64_t created_count;

/// Under the stream's lock, without ops.
static void drop_carrier(CUstream stream) {
  if (stream->carrier)
    agpu__emu_carrier_give(stream->carrier);
  stream->carrier = NULL;
}

/// Runs the ops of a stream until none is left.
static void run_stream(void *argument) {
  CUstream stream = argument;
  agpu__emu_set_context(stream->context);
  pthread_mutex_lock(&stream->lock);
  agpu__emu_op *op;
  while ((op = stream->first)) {
    stream->first = op->next;
    if (!stream->first)
      stream->last = &stream->first;
    pthread_mutex_unlock(&stream->lock);
    agpu__emu_delay(&stream->random);
    agpu__emu_op_run(op, &stream->random);
    pthread_mutex_lock(&stream->lock);
    ++stream->done;
    pthread_cond_broadcast(&stream->changed);
  }
  stream->running = false;
  // A thread that ran several streams would order them for the thread
  // sanitizer, which then finds fewer races of the program.
  if (!AGPU__THREAD_SANITIZER)
    drop_carrier(stream);
  // The stream may be freed from here on.
  pthread_mutex_unlock(&stream->lock);
}

static void wait_until_done(CUstream stream) {
  pthread_mutex_lock(&stream->lock);
  uint64_t target = stream->enqueued;
  agpu__emu_stamp stamp;
  agpu__emu_order_get(&stream->order, &stamp);
  while (stream->done < target)
    pthread_cond_wait(&stream->changed, &stream->lock);
  pthread_mutex_unlock(&stream->lock);
  agpu__emu_order_observe(&stamp);
  agpu__emu_stamp_clear(&stamp);
}

/// Of a stream that does not run.
static void free_stream(CUstream stream) {
  drop_carrier(stream);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->lock);
  agpu__emu_order_clear(&stream->order);
  free(stream);
}

/// Frees the destroyed streams whose ops are done.
static void reap(void) {
  CUstream ended = NULL;
  pthread_mutex_lock(&streams_lock);
  for (CUstream *link = &ending; *link;) {
    CUstream stream = *link;
    pthread_mutex_lock(&stream->lock);
    bool take = !stream->running;
    pthread_mutex_unlock(&stream->lock);
    if (take) {
      *link = stream->next;
      stream->next = ended;
      ended = stream;
    } else {
      link = &stream->next;
    }
  }
  pthread_mutex_unlock(&streams_lock);
  while (ended) {
    CUstream stream = ended;
    ended = stream->next;
    free_stream(stream);
  }
}

CUcontext agpu__emu_stream_context(CUstream stream) { return stream->context; }

CUresult agpu__emu_stream_enqueue(CUstream stream, agpu__emu_op *op) {
  CUresult result = CUDA_SUCCESS;
  if (stream->context != agpu__emu_get_context() &&
      op->kind != AGPU__EMU_OP_WAIT)
    result = CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_carrier *started = NULL;
  pthread_mutex_lock(&stream->lock);
  if (result == CUDA_SUCCESS && !stream->running) {
    if (!stream->carrier)
      stream->carrier = agpu__emu_carrier_take();
    started = stream->carrier;
    stream->running = started != NULL;
    result = started ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result == CUDA_SUCCESS) {
    agpu__emu_order_step(&stream->order,
                         op->kind == AGPU__EMU_OP_WAIT
                             ? agpu__emu_marker_stamp(op->marker)
                             : NULL,
                         &op->stamp);
    if (op->kind == AGPU__EMU_OP_RECORD)
      agpu__emu_stamp_copy(agpu__emu_marker_stamp(op->marker), &op->stamp);
    agpu__emu_races_enqueue(op);
    op->next = NULL;
    *stream->last = op;
    stream->last = &op->next;
    ++stream->enqueued;
  }
  pthread_mutex_unlock(&stream->lock);
  if (started)
    agpu__emu_carrier_start(started, run_stream, stream);
  if (result) {
    if (op->kind == AGPU__EMU_OP_RECORD || op->kind == AGPU__EMU_OP_WAIT)
      agpu__emu_marker_release(op->marker);
    free(op);
  }
  return result;
}

void agpu__emu_streams_wait(void) {
  // Under the lock, so that no stream goes meanwhile. Threads of streams never
  // take it, so work goes on.
  pthread_mutex_lock(&streams_lock);
  for (CUstream stream = live; stream; stream = stream->next)
    wait_until_done(stream);
  for (CUstream stream = ending; stream; stream = stream->next)
    wait_until_done(stream);
  pthread_mutex_unlock(&streams_lock);
}

void agpu__emu_streams_reset(void) {
  pthread_mutex_lock(&streams_lock);
  CUstream lists[] = {live, ending};
  live = ending = NULL;
  created_count = 0;
  pthread_mutex_unlock(&streams_lock);
  for (int i = 0; i < 2; ++i) {
    for (CUstream stream = lists[i]; stream;) {
      CUstream next = stream->next;
      wait_until_done(stream);
      free_stream(stream);
      stream = next;
    }
  }
  agpu__emu_carriers_reset();
}

CUresult agpu__emu_stream_create(CUstream *stream, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!stream || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  reap();
  CUstream created = calloc(1, sizeof *created);
  if (!created)
    return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_init(&created->lock, NULL);
  pthread_cond_init(&created->changed, NULL);
  created->context = agpu__emu_get_context();
  created->last = &created->first;
  agpu__emu_order_init(&created->order);
  pthread_mutex_lock(&streams_lock);
  created->random = agpu__emu_random_create(created_count++);
  created->next = live;
  live = created;
  pthread_mutex_unlock(&streams_lock);
  atomic_fetch_add(&agpu__emu_get_counts(created->context)->streams, 1);
  *stream = created;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_stream_destroy(CUstream stream) {
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  // Destroys in an errored context, too: so that programs can clean up.
  CUresult result = agpu__emu_enter();
  pthread_mutex_lock(&streams_lock);
  CUstream *link = &live;
  while (*link && *link != stream)
    link = &(*link)->next;
  if (!*link) {
    pthread_mutex_unlock(&streams_lock);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *link = stream->next;
  stream->next = ending;
  ending = stream;
  atomic_fetch_sub(&agpu__emu_get_counts(stream->context)->streams, 1);
  pthread_mutex_unlock(&streams_lock);
  return result;
}

CUresult agpu__emu_stream_query(CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&stream->lock);
  bool idle = stream->done == stream->enqueued;
  if (idle) {
    agpu__emu_stamp stamp;
    agpu__emu_order_get(&stream->order, &stamp);
    agpu__emu_order_observe(&stamp);
    agpu__emu_stamp_clear(&stamp);
  }
  pthread_mutex_unlock(&stream->lock);
  return idle ? agpu__emu_get_error() : CUDA_ERROR_NOT_READY;
}

CUresult agpu__emu_stream_synchronize(CUstream stream) {
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush(); // of a kernel that failed, too
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  wait_until_done(stream);
  agpu__emu_print_flush();
  return agpu__emu_get_error();
}
