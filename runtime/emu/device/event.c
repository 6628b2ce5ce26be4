//===- event.c - Events ---------------------------------------------------===//
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

#include "emu/device/event.h"

#include "base/report/log.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/device/stream.h"
#include "emu/simt/output.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct event {
  LIST_ENTRY(event) link; // under the lock of all
  CUevent handle;
  CUcontext context;
  pthread_mutex_t lock;     // guards `marker`
  agpu__emu_marker *marker; // of the last record; NULL: never recorded
} event;

static struct {
  pthread_mutex_t lock;
  LIST_HEAD(, event) events; // created, not destroyed; under the lock
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static event *find(CUevent handle) {
  return agpu__emu_handle_find(AGPU__EMU_EVENT, handle);
}

/// The marker of the event's last record with a reference, or NULL.
static agpu__emu_marker *get_marker(event *of) {
  pthread_mutex_lock(&of->lock);
  agpu__emu_marker *marker = of->marker;
  if (marker)
    agpu__emu_marker_retain(marker);
  pthread_mutex_unlock(&of->lock);
  return marker;
}

CUresult agpu__emu_cuEventCreate(CUevent *out, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  // Nothing here takes time stamps, and who waits always sleeps.
  if (!out ||
      (flags & ~(unsigned)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  event *created = calloc(1, sizeof *created);
  CUevent handle =
      created ? agpu__emu_handle_create(AGPU__EMU_EVENT, created) : NULL;
  if (!handle) {
    free(created);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  created->handle = handle;
  created->context = agpu__emu_get_context();
  pthread_mutex_init(&created->lock, NULL);
  pthread_mutex_lock(&all.lock);
  LIST_INSERT_HEAD(&all.events, created, link);
  pthread_mutex_unlock(&all.lock);
  atomic_fetch_add(&agpu__emu_get_counts(created->context)->events, 1);
  *out = handle;
  return CUDA_SUCCESS;
}

/// Under the lock of all.
static void free_event(event *old) {
  LIST_REMOVE(old, link);
  agpu__emu_marker_release(old->marker);
  pthread_mutex_destroy(&old->lock);
  free(old);
}

CUresult agpu__emu_cuEventDestroy(CUevent handle) {
  // Destroys in an errored context, too: so that programs can clean up.
  CUresult result = agpu__emu_enter();
  event *old = agpu__emu_handle_take(AGPU__EMU_EVENT, handle);
  if (!old)
    return CUDA_ERROR_INVALID_HANDLE;
  atomic_fetch_sub(&agpu__emu_get_counts(old->context)->events, 1);
  pthread_mutex_lock(&all.lock);
  free_event(old);
  pthread_mutex_unlock(&all.lock);
  return result;
}

void agpu__emu_events_reset(void) {
  event *old;
  pthread_mutex_lock(&all.lock);
  while ((old = LIST_FIRST(&all.events))) {
    (void)agpu__emu_handle_take(AGPU__EMU_EVENT, old->handle);
    free_event(old);
  }
  pthread_mutex_unlock(&all.lock);
}

CUresult agpu__emu_cuEventRecord(CUevent handle, CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  event *of = find(handle);
  if (!of || of->context != agpu__emu_stream_context(stream))
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
  pthread_mutex_lock(&of->lock);
  agpu__emu_marker *old = of->marker;
  of->marker = marker;
  pthread_mutex_unlock(&of->lock);
  agpu__emu_marker_release(old);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuEventQuery(CUevent handle) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  event *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = get_marker(of);
  if (!marker)
    return CUDA_SUCCESS;
  bool reached = agpu__emu_marker_is_reached(marker);
  if (reached)
    AGPU__EMU_TELL(observed, (agpu__emu_marker_get_stamp(marker)));
  agpu__emu_marker_release(marker);
  // The work may have failed since the first look.
  return reached ? agpu__emu_get_error() : CUDA_ERROR_NOT_READY;
}

CUresult agpu__emu_cuEventSynchronize(CUevent handle) {
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush(); // of a kernel that failed, too
  if (result)
    return result;
  event *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = get_marker(of);
  if (!marker)
    return CUDA_SUCCESS;
  agpu__emu_marker_wait(marker);
  AGPU__EMU_TELL(observed, (agpu__emu_marker_get_stamp(marker)));
  agpu__emu_marker_release(marker);
  agpu__emu_print_flush();
  return agpu__emu_get_error();
}

CUresult agpu__emu_cuStreamWaitEvent(CUstream stream, CUevent handle,
                                     unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  event *of = find(handle);
  if (!of || !agpu__emu_stream_context(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_marker *marker = get_marker(of);
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
