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
#include "base/sync/lock.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/hooks.h"
#include "emu/device/capture.h"
#include "emu/device/stream.h"
#include "emu/memory/guard.h"
#include "emu/memory/peers.h"
#include "emu/simt/output.h"

#include <stdlib.h>

static struct {
  agpu__lock lock;
  LIST_HEAD(, event) events AGPU__GUARDED_BY(lock); // created, not destroyed
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_EVENTS)};

typedef struct event {
  LIST_ENTRY(event) link AGPU__GUARDED_BY(all.lock);
  CUevent handle;
  CUcontext context;
  bool is_timed;
  agpu__lock lock;
  // Of the last record; NULL: never recorded.
  agpu__emu_marker *marker AGPU__GUARDED_BY(lock);
  CUstream stream AGPU__GUARDED_BY(lock); // where
} event;

static event *find(CUevent handle) {
  return agpu__emu_handle_find(AGPU__EMU_EVENT, handle);
}

/// The marker of the event's last record with a reference, or NULL.
static agpu__emu_marker *get_marker(event *of) {
  agpu__lock_acquire(&of->lock);
  agpu__emu_marker *marker = of->marker;
  if (marker)
    agpu__emu_marker_retain(marker);
  agpu__lock_release(&of->lock);
  return marker;
}

CUresult agpu__emu_cuEventCreate(CUevent *out, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  // Who waits always sleeps.
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
  created->is_timed = !(flags & CU_EVENT_DISABLE_TIMING);
  agpu__lock_init(&created->lock, AGPU__RANK_EMU_EVENT);
  agpu__lock_acquire(&all.lock);
  LIST_INSERT_HEAD(&all.events, created, link);
  agpu__lock_release(&all.lock);
  atomic_fetch_add(&agpu__emu_get_counts(created->context)->events, 1);
  *out = handle;
  return CUDA_SUCCESS;
}

/// Of an event without a handle: no one else has its marker.
AGPU__UNCHECKED_LOCKS static void free_event(event *old)
    AGPU__REQUIRES(all.lock) {
  LIST_REMOVE(old, link);
  agpu__emu_marker_release(old->marker);
  free(old);
}

CUresult agpu__emu_cuEventDestroy(CUevent handle) {
  // Destroys in an errored context, too: so that programs can clean up.
  CUresult result = agpu__emu_enter();
  event *old = agpu__emu_handle_take(AGPU__EMU_EVENT, handle);
  if (!old)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_capture_forget_event(handle);
  atomic_fetch_sub(&agpu__emu_get_counts(old->context)->events, 1);
  agpu__lock_acquire(&all.lock);
  free_event(old);
  agpu__lock_release(&all.lock);
  return result;
}

void agpu__emu_events_end(CUcontext context) {
  agpu__lock_acquire(&all.lock);
  for (event *at = LIST_FIRST(&all.events), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->context != context)
      continue;
    (void)agpu__emu_handle_take(AGPU__EMU_EVENT, at->handle);
    free_event(at);
  }
  agpu__lock_release(&all.lock);
}

CUcontext agpu__emu_event_context(CUevent handle) {
  const event *of = find(handle);
  return of ? of->context : NULL;
}

agpu__emu_marker *agpu__emu_event_begin_record(CUevent handle) {
  const event *of = find(handle);
  return of ? agpu__emu_marker_create(of->is_timed) : NULL;
}

void agpu__emu_event_end_record(CUevent handle, CUstream stream,
                                agpu__emu_marker *marker) {
  event *of = find(handle);
  agpu__emu_marker *old = marker;
  if (of) {
    agpu__lock_acquire(&of->lock);
    old = of->marker;
    of->marker = marker;
    of->stream = stream;
    agpu__lock_release(&of->lock);
  }
  agpu__emu_marker_release(old);
}

CUresult agpu__emu_cuEventRecord(CUevent handle, CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  event *of = find(handle);
  if (!of || of->context != agpu__emu_stream_context(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (agpu__emu_capture_record(handle, stream, &result))
    return result;
  agpu__emu_marker *marker = agpu__emu_event_begin_record(handle);
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
  agpu__emu_event_end_record(handle, stream, marker);
  return CUDA_SUCCESS;
}

/// Whether it is reached, for the calling thread.
static bool is_seen(agpu__emu_marker *marker) {
  if (!agpu__emu_hooks_table.sees_marker)
    return agpu__emu_marker_is_reached(marker);
  if (!agpu__emu_hooks_table.sees_marker(marker))
    return false;
  agpu__emu_marker_wait(marker); // in real time it may yet have to come
  return true;
}

CUresult agpu__emu_cuEventQuery(CUevent handle) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  event *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  result = agpu__emu_capture_await_event(handle);
  if (result)
    return result;
  agpu__emu_marker *marker = get_marker(of);
  if (!marker)
    return CUDA_SUCCESS;
  bool reached = is_seen(marker);
  if (reached) {
    AGPU__EMU_TELL(observed, (agpu__emu_marker_get_stamp(marker)));
    agpu__emu_guard_synchronized();
  }
  agpu__emu_marker_release(marker);
  // The work may have failed since the first look.
  return reached ? agpu__emu_get_error() : CUDA_ERROR_NOT_READY;
}

static bool is_reached(void *marker) {
  return agpu__emu_marker_is_reached(marker);
}

/// Waits for a marker that is, or was, the one of the event's last record.
static void wait_for_marker(event *of, agpu__emu_marker *marker) {
  agpu__lock_acquire(&of->lock);
  CUstream stream = of->stream;
  agpu__lock_release(&of->lock);
  if (!is_reached(marker))
    agpu__emu_stream_run_here(stream, is_reached, marker);
  agpu__emu_marker_wait(marker);
}

CUresult agpu__emu_cuEventSynchronize(CUevent handle) {
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush(); // of a kernel that failed, too
  if (result)
    return result;
  event *of = find(handle);
  if (!of)
    return CUDA_ERROR_INVALID_HANDLE;
  result = agpu__emu_capture_await_event(handle);
  if (result)
    return result;
  agpu__emu_marker *marker = get_marker(of);
  if (!marker)
    return CUDA_SUCCESS;
  AGPU__EMU_TELL(await_marker, (marker));
  wait_for_marker(of, marker);
  AGPU__EMU_TELL(observed, (agpu__emu_marker_get_stamp(marker)));
  agpu__emu_marker_release(marker);
  agpu__emu_print_flush();
  agpu__emu_memory_synchronized();
  return agpu__emu_get_error();
}

/// When the last record of an event was reached.
static CUresult get_time(event *of, int64_t *out_time) {
  agpu__emu_marker *marker = of && of->is_timed ? get_marker(of) : NULL;
  if (!marker)
    return CUDA_ERROR_INVALID_HANDLE;
  bool reached = is_seen(marker);
  *out_time = agpu__emu_marker_get_time(marker);
  agpu__emu_marker_release(marker);
  return reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult agpu__emu_cuEventElapsedTime(float *milliseconds, CUevent start,
                                      CUevent end) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  event *from = find(start), *to = find(end);
  if (from && to && from->context != to->context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (from && to) {
    result = agpu__emu_capture_await_event(start);
    if (!result)
      result = agpu__emu_capture_await_event(end);
    if (result)
      return result;
  }
  int64_t begin, finish;
  result = get_time(from, &begin);
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) {
    CUresult other = get_time(to, &finish);
    result = other == CUDA_SUCCESS ? result : other;
  }
  if (!result)
    *milliseconds = (float)((double)(finish - begin) / 1e6);
  return result;
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
  if (agpu__emu_capture_wait(stream, handle, &result))
    return result;
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
