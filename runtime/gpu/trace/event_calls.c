//===- event_calls.c - Events, and what the host learns, recorded ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each record of an event has a number, which counts up in the process and
// joins it with those who wait for it: streams, and the host, which waits or
// asks. That it is over is recorded once, by whoever learns it first.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/traced.h"

#include <stdatomic.h>

static _Atomic(uint64_t) records; // so far

uint64_t agpu__traced_add_record(agpu__stream_track *track) {
  uint64_t record =
      1 + atomic_fetch_add_explicit(&records, 1, memory_order_relaxed);
  agpu__stream_track_add(
      track, &(agpu__stream_item){.kind = AGPU__TRACE_RECORD, .id = record});
  return record;
}

CUresult agpu__traced_cuEventRecord(CUevent event, CUstream stream) {
  CUresult result = agpu__traced.inner->cuEventRecord(event, stream);
  if (result || !agpu__trace_on())
    return result;
  uint64_t record = agpu__traced_add_record(agpu__traced_stream(stream));
  agpu__mutex_lock(&agpu__traced.lock);
  uint64_t before = agpu__traced_store(&agpu__traced.events,
                                       (uint64_t)(uintptr_t)event, record);
  agpu__mutex_unlock(&agpu__traced.lock);
  if (before)
    agpu__stream_track_forget(before);
  return result;
}

static uint64_t get_record(CUevent event) {
  agpu__mutex_lock(&agpu__traced.lock);
  uint64_t record =
      agpu__traced_find(&agpu__traced.events, (uint64_t)(uintptr_t)event);
  agpu__mutex_unlock(&agpu__traced.lock);
  return record;
}

CUresult agpu__traced_cuStreamWaitEvent(CUstream stream, CUevent event,
                                        unsigned int flags) {
  uint64_t record = agpu__trace_on() ? get_record(event) : 0;
  CUresult result = agpu__traced.inner->cuStreamWaitEvent(stream, event, flags);
  if (!result && record)
    agpu__stream_track_add(
        agpu__traced_stream(stream),
        &(agpu__stream_item){.kind = AGPU__TRACE_STREAM_WAIT, .id = record});
  return result;
}

CUresult agpu__traced_cuEventDestroy(CUevent event) {
  uint64_t record = get_record(event);
  agpu__mutex_lock(&agpu__traced.lock);
  agpu__trace_table_remove(&agpu__traced.events, (uint64_t)(uintptr_t)event);
  agpu__trace_table_remove(&agpu__traced.learned, (uint64_t)(uintptr_t)event);
  agpu__mutex_unlock(&agpu__traced.lock);
  if (record)
    agpu__stream_track_forget(record);
  return agpu__traced.inner->cuEventDestroy(event);
}

/// The host knows by now that all up to the record is over.
static void record_learned(uint64_t record) {
  agpu__trace_record(AGPU__TRACE_LEARN, record,
                     agpu__traced_flow(record, false), NULL, 0, 0, 0);
}

/// The same of an event: it is told of once.
static void learn(CUevent event) {
  agpu__mutex_lock(&agpu__traced.lock);
  uint64_t key = (uint64_t)(uintptr_t)event;
  uint64_t record = agpu__traced_find(&agpu__traced.events, key);
  bool is_news = record && agpu__traced_store(&agpu__traced.learned, key,
                                              record) != record;
  agpu__mutex_unlock(&agpu__traced.lock);
  if (is_news)
    record_learned(record);
}

CUresult agpu__traced_cuEventQuery(CUevent event) {
  CUresult result = agpu__traced.inner->cuEventQuery(event);
  if (!result && agpu__trace_on())
    learn(event);
  return result;
}

CUresult agpu__traced_cuEventSynchronize(CUevent event) {
  if (!agpu__trace_on())
    return agpu__traced.inner->cuEventSynchronize(event);
  int64_t begin = agpu__clock_now_ns();
  CUresult result = agpu__traced.inner->cuEventSynchronize(event);
  agpu__traced_call(AGPU__TRACE_SYNCHRONIZE, begin, 0, 0, "cuEventSynchronize",
                    0, 0);
  if (!result)
    learn(event);
  return result;
}

CUresult agpu__traced_cuStreamSynchronize(CUstream stream) {
  if (!agpu__trace_on())
    return agpu__traced.inner->cuStreamSynchronize(stream);
  int64_t begin = agpu__clock_now_ns();
  uint64_t record = agpu__traced_add_record(agpu__traced_stream(stream));
  CUresult result = agpu__traced.inner->cuStreamSynchronize(stream);
  agpu__traced_call(AGPU__TRACE_SYNCHRONIZE, begin, 0, 0, "cuStreamSynchronize",
                    agpu__stream_track_id(agpu__traced_stream(stream)), 0);
  if (!result)
    record_learned(record);
  agpu__stream_track_forget(record);
  return result;
}

void agpu__traced_forget_events(void) {
  agpu__mutex_lock(&agpu__traced.lock);
  agpu__trace_table *events = &agpu__traced.events;
  for (size_t i = 0; i < events->capacity; ++i)
    if (events->entries[i].key)
      agpu__stream_track_forget(events->entries[i].value);
  agpu__trace_table_free(events);
  agpu__trace_table_free(&agpu__traced.learned);
  agpu__mutex_unlock(&agpu__traced.lock);
}
