//===- stream.c - Queues and their threads --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a list of ops and a thread that runs them in order. The thread
// starts with the first op and ends after the last once the stream has been
// destroyed; whoever next creates a stream, or the end of the context, joins
// it.
//
//===----------------------------------------------------------------------===//

#include "emu/emu.h"
#include "emu/races.h"

#include "base/thread.h"

#include <stdlib.h>

struct CUstream_st {
  struct CUstream_st *next; // in `live` or `ending`, under `streams_lock`
  agpu__emu_random random;  // the stream's thread's
  CUcontext context;
  pthread_t thread;

  pthread_mutex_t lock; // guards what follows
  pthread_cond_t changed;
  agpu__emu_order order;
  agpu__emu_op *first, **last;
  uint64_t enqueued, done; // ops
  bool started;            // the thread
  bool closing;            // no op will follow
  bool ended;              // the thread touches the stream no more
};

// Lock order: streams_lock, then a stream's lock.
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static CUstream live;   // created, not destroyed
static CUstream ending; // destroyed, thread not joined
static uint64_t created_count;

static void *run_stream(void *argument) {
  CUstream stream = argument;
  agpu__emu_set_context(stream->context);
  pthread_mutex_lock(&stream->lock);
  for (;;) {
    agpu__emu_op *op = stream->first;
    if (op) {
      stream->first = op->next;
      if (!stream->first)
        stream->last = &stream->first;
      pthread_mutex_unlock(&stream->lock);
      agpu__emu_delay(&stream->random);
      agpu__emu_op_run(op, &stream->random);
      pthread_mutex_lock(&stream->lock);
      ++stream->done;
      pthread_cond_broadcast(&stream->changed);
    } else if (stream->closing) {
      break;
    } else {
      pthread_cond_wait(&stream->changed, &stream->lock);
    }
  }
  stream->ended = true;
  pthread_mutex_unlock(&stream->lock);
  return NULL;
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

static void close_stream(CUstream stream) {
  pthread_mutex_lock(&stream->lock);
  stream->closing = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
}

/// Joins the thread, if there is one, and frees the stream.
static void free_stream(CUstream stream) {
  if (stream->started)
    pthread_join(stream->thread, NULL);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->lock);
  agpu__emu_order_clear(&stream->order);
  free(stream);
}

/// Frees the destroyed streams whose thread has ended.
static void reap(void) {
  CUstream ended = NULL;
  pthread_mutex_lock(&streams_lock);
  for (CUstream *link = &ending; *link;) {
    CUstream stream = *link;
    pthread_mutex_lock(&stream->lock);
    bool take = stream->ended || !stream->started;
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
  pthread_mutex_lock(&stream->lock);
  if (result == CUDA_SUCCESS && !stream->started) {
    if (agpu__thread_create(&stream->thread, "agpu-emu-stream", run_stream,
                            stream) == 0)
      stream->started = true;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
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
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->lock);
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
  // All are told before any is joined: one may wait for another.
  for (CUstream stream = lists[0]; stream; stream = stream->next)
    close_stream(stream);
  for (int i = 0; i < 2; ++i) {
    for (CUstream stream = lists[i]; stream;) {
      CUstream next = stream->next;
      free_stream(stream);
      stream = next;
    }
  }
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
  close_stream(stream);
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
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  wait_until_done(stream);
  return agpu__emu_get_error();
}
