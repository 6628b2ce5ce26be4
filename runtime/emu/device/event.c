//===- event.c - Events and markers ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event is a pointer to the marker of its last record. Recording replaces
// the marker, waiting takes a reference to it: so a wait is for what was
// recorded before the call, whatever happens to the event afterwards.
//
//===----------------------------------------------------------------------===//

#include "emu/emu.h"

#include "base/report/log.h"

#include <stdlib.h>

struct agpu__emu_marker {
  atomic_uint references;
  pthread_mutex_t lock; // guards `reached`
  pthread_cond_t changed;
  bool reached;
  agpu__emu_stamp stamp;
};

struct CUevent_st {
  struct CUevent_st *previous, *next; // in `events`
  CUcontext context;
  pthread_mutex_t lock;     // guards `marker`
  agpu__emu_marker *marker; // of the last record; NULL: never recorded
};

static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
static CUevent events; // created, not destroyed

agpu__emu_marker *agpu__emu_marker_create(void) {
  agpu__emu_marker *marker = calloc(1, sizeof *marker);
  if (!marker)
    return NULL;
  atomic_init(&marker->references, 1);
  pthread_mutex_init(&marker->lock, NULL);
  pthread_cond_init(&marker->changed, NULL);
  return marker;
}

void agpu__emu_marker_retain(agpu__emu_marker *marker) {
  atomic_fetch_add_explicit(&marker->references, 1, memory_order_relaxed);
}

void agpu__emu_marker_release(agpu__emu_marker *marker) {
  // Release and acquire: what other holders did comes before the free.
  if (!marker || atomic_fetch_sub_explicit(&marker->references, 1,
                                           memory_order_acq_rel) != 1)
    return;
  pthread_cond_destroy(&marker->changed);
  pthread_mutex_destroy(&marker->lock);
  agpu__emu_stamp_clear(&marker->stamp);
  free(marker);
}

agpu__emu_stamp *agpu__emu_marker_stamp(agpu__emu_marker *marker) {
  return &marker->stamp;
}

void agpu__emu_marker_reach(agpu__emu_marker *marker) {
  pthread_mutex_lock(&marker->lock);
  marker->reached = true;
  pthread_cond_broadcast(&marker->changed);
  pthread_mutex_unlock(&marker->lock);
}

void agpu__emu_marker_wait(agpu__emu_marker *marker) {
  pthread_mutex_lock(&marker->lock);
  while (!marker->reached)
    pthread_cond_wait(&marker->changed, &marker->lock);
  pthread_mutex_unlock(&marker->lock);
}

static bool marker_is_reached(agpu__emu_marker *marker) {
  pthread_mutex_lock(&marker->lock);
  bool reached = marker->reached;
  pthread_mutex_unlock(&marker->lock);
  return reached;
}

/// The marker of the event's last record with a reference, or NULL.
static agpu__emu_marker *get_marker(CUevent event) {
  pthread_mutex_lock(&event->lock);
  agpu__emu_marker *marker = event->marker;
  if (marker)
    agpu__emu_marker_retain(marker);
  pthread_mutex_unlock(&event->lock);
  return marker;
}

CUresult agpu__emu_event_create(CUevent *event, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  // Nothing here takes time stamps, and who waits always sleeps.
  if (!event ||
      (flags & ~(unsigned)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  CUevent created = calloc(1, sizeof *created);
  if (!created)
    return CUDA_ERROR_OUT_OF_MEMORY;
  created->context = agpu__emu_get_context();
  pthread_mutex_init(&created->lock, NULL);
  pthread_mutex_lock(&events_lock);
  created->next = events;
  if (events)
    events->previous = created;
  events = created;
  pthread_mutex_unlock(&events_lock);
  atomic_fetch_add(&agpu__emu_get_counts(created->context)->events, 1);
  *event = created;
  return CUDA_SUCCESS;
}

static void free_event(CUevent event) {
  agpu__emu_marker_release(event->marker);
  pthread_mutex_destroy(&event->lock);
  free(event);
}

CUresult agpu__emu_event_destroy(CUevent event) {
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  // Destroys in an errored context, too: so that programs can clean up.
  CUresult result = agpu__emu_enter();
  pthread_mutex_lock(&events_lock);
  if (event->next)
    event->next->previous = event->previous;
  if (event->previous)
    event->previous->next = event->next;
  else
    events = event->next;
  pthread_mutex_unlock(&events_lock);
  atomic_fetch_sub(&agpu__emu_get_counts(event->context)->events, 1);
  free_event(event);
  return result;
}

void agpu__emu_events_reset(void) {
  pthread_mutex_lock(&events_lock);
  while (events) {
    CUevent next = events->next;
    free_event(events);
    events = next;
  }
  pthread_mutex_unlock(&events_lock);
}

CUresult agpu__emu_event_record(CUevent event, CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!event || !stream || event->context != agpu__emu_stream_context(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = agpu__emu_marker_create();
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_RECORD, 0);
  if (!marker || !op) {
    agpu__emu_marker_release(marker);
    free(op);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  agpu__emu_marker_retain(marker);
  op->marker = marker;
  result = agpu__emu_stream_enqueue(stream, op);
  if (result) {
    agpu__emu_marker_release(marker);
    return result;
  }
  pthread_mutex_lock(&event->lock);
  agpu__emu_marker *old = event->marker;
  event->marker = marker;
  pthread_mutex_unlock(&event->lock);
  agpu__emu_marker_release(old);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_event_query(CUevent event) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = get_marker(event);
  if (!marker)
    return CUDA_SUCCESS;
  bool reached = marker_is_reached(marker);
  if (reached)
    agpu__emu_order_observe(&marker->stamp);
  agpu__emu_marker_release(marker);
  if (!reached)
    return CUDA_ERROR_NOT_READY;
  // The work may have failed since the first look.
  return agpu__emu_get_error();
}

CUresult agpu__emu_event_synchronize(CUevent event) {
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush(); // of a kernel that failed, too
  if (result)
    return result;
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = get_marker(event);
  if (!marker)
    return CUDA_SUCCESS;
  agpu__emu_marker_wait(marker);
  agpu__emu_order_observe(&marker->stamp);
  agpu__emu_marker_release(marker);
  agpu__emu_print_flush();
  return agpu__emu_get_error();
}

CUresult agpu__emu_stream_wait_event(CUstream stream, CUevent event,
                                     unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = get_marker(event);
  if (!marker) {
    // Legal and without effect, but hardly what anyone means.
    agpu__log(AGPU__LOG_DEVICE, "emu: a stream waits for an event that was "
                                "never recorded");
    return CUDA_SUCCESS;
  }
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_WAIT, 0);
  if (!op) {
    agpu__emu_marker_release(marker);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  op->marker = marker;
  return agpu__emu_stream_enqueue(stream, op);
}
