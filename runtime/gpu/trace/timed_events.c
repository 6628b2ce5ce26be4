//===- timed_events.c - When work ran, by events around it ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event is recorded before and after each piece of work, on its stream.
// Once the second has completed, the driver says how far the first was from
// another event, the anchor, whose time on the host's clock is known: it was
// recorded on a stream of its own that had nothing to do, between two looks at
// that clock. Half of what lies between them is the error, and the best of
// several anchors is taken. A new one is made every second, since clocks drift
// and the driver's times are floats; how far it is from where the old one had
// put it is the drift, which counts as an error too.
//
// What fails here is counted, and the work goes without a time. Events go back
// to a list, and to the driver before the context goes.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/sync/mutex.h"
#include "gpu/trace/work_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>

/// Anchors of a device: one is in use, the others are tried for the next.
#define ANCHORS 6
#define ANCHOR_NS AGPU__NS_PER_SECOND
/// How fine the driver's times are, as it promises.
#define RESOLUTION_NS 500
/// Pieces of work that come between two looks at all that are pending, at
/// least.
#define COLLECTED 32

typedef struct measured {
  STAILQ_ENTRY(measured) link;
  uint64_t work;
  CUevent first, second;
  bool failed;  // has no time, or was never enqueued
  bool is_over; // the call that enqueues it is
} measured;

typedef STAILQ_HEAD(, measured) measured_list;

typedef struct device_times {
  CUstream stream; // of anchors; NULL: none yet
  CUevent anchors[ANCHORS];
  int anchor; // the one in use, if there is one
  bool has_anchor;
  int64_t time;                // its, on the host's clock
  measured_list pending, free; // initialised with the first work
  size_t count, next_collect;  // of pending ones
} device_times;

static struct {
  const agpu__driver *driver;
  agpu__work_ran *ran;
  agpu__mutex lock;
  device_times devices[AGPU__MAX_DEVICES] AGPU__GUARDED_BY(lock);
  // The largest so far, in ns.
  int64_t alignment AGPU__GUARDED_BY(lock), drift AGPU__GUARDED_BY(lock);
  uint64_t lost AGPU__GUARDED_BY(lock);
  char why[160] AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TIMED_EVENTS)};

static void fail(CUresult result, const char *what) AGPU__REQUIRES(self.lock) {
  ++self.lost;
  const char *name = NULL;
  if (self.why[0] || self.driver->cuGetErrorName(result, &name) || !name)
    return;
  (void)snprintf(self.why, sizeof self.why, "%s: %s", what, name);
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

/// What a device's anchors need.
static CUresult prepare(device_times *of) AGPU__REQUIRES(self.lock) {
  const agpu__driver *driver = self.driver;
  CUresult result = CUDA_SUCCESS;
  if (!of->stream)
    result = driver->cuStreamCreate(&of->stream, CU_STREAM_NON_BLOCKING);
  for (int i = 0; i < ANCHORS && !result; ++i)
    if (!of->anchors[i])
      result = driver->cuEventCreate(&of->anchors[i], 0);
  return result;
}

/// How far the new anchor is from where the old one puts it.
static void measure_drift(const device_times *of, int new_anchor,
                          int64_t new_time) AGPU__REQUIRES(self.lock) {
  float since;
  if (!of->has_anchor ||
      self.driver->cuEventElapsedTime(&since, of->anchors[of->anchor],
                                      of->anchors[new_anchor]))
    return;
  int64_t drift = new_time - of->time - (int64_t)((double)since * 1e6);
  drift = drift < 0 ? -drift : drift;
  self.drift = drift > self.drift ? drift : self.drift;
}

/// A new anchor: the best of several.
static CUresult renew(device_times *of) AGPU__REQUIRES(self.lock) {
  CUresult result = prepare(of);
  int64_t best = INT64_MAX, time = 0;
  int chosen = of->anchor;
  for (int i = 0; i < ANCHORS && !result; ++i) {
    if (of->has_anchor && i == of->anchor)
      continue; // in use until there is another one
    int64_t before = agpu__clock_now_ns();
    result = self.driver->cuEventRecord(of->anchors[i], of->stream);
    if (!result)
      result = self.driver->cuEventSynchronize(of->anchors[i]);
    int64_t width = agpu__clock_now_ns() - before;
    if (result || width >= best)
      continue;
    best = width;
    time = before + width / 2;
    chosen = i;
  }
  if (result)
    return result;
  measure_drift(of, chosen, time);
  self.alignment = best / 2 > self.alignment ? best / 2 : self.alignment;
  of->anchor = chosen;
  of->time = time;
  of->has_anchor = true;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

static measured *take(device_times *of) AGPU__REQUIRES(self.lock) {
  measured *taken = STAILQ_FIRST(&of->free);
  if (taken) {
    STAILQ_REMOVE_HEAD(&of->free, link);
    return taken;
  }
  taken = agpu__memory_alloc(sizeof *taken, _Alignof(measured),
                             "a time of the device");
  CUresult result = self.driver->cuEventCreate(&taken->first, 0);
  if (!result) {
    result = self.driver->cuEventCreate(&taken->second, 0);
    if (result)
      (void)self.driver->cuEventDestroy(taken->first);
  }
  if (!result)
    return taken;
  fail(result, "creating an event");
  agpu__memory_free(taken);
  return NULL;
}

static void *before(uint64_t work, int device, CUstream stream) {
  device_times *of = &self.devices[device];
  agpu__mutex_lock(&self.lock);
  CUresult result = CUDA_SUCCESS;
  if (!of->pending.stqh_last) {
    STAILQ_INIT(&of->pending);
    STAILQ_INIT(&of->free);
  }
  if (!of->has_anchor || agpu__clock_now_ns() - of->time > ANCHOR_NS)
    result = renew(of);
  measured *taken = result ? NULL : take(of);
  if (taken)
    result = self.driver->cuEventRecord(taken->first, stream);
  if (result)
    fail(result, "an event before work");
  if (!taken)
    self.ran(work, 0, 0);
  if (taken) {
    taken->work = work;
    taken->failed = result != CUDA_SUCCESS;
    taken->is_over = false;
    STAILQ_INSERT_TAIL(&of->pending, taken, link);
  }
  agpu__mutex_unlock(&self.lock);
  return taken;
}

/// True once nothing more is to be had of it.
static bool settle(const device_times *of, const measured *at)
    AGPU__REQUIRES(self.lock) {
  if (!at->is_over)
    return false;
  if (at->failed) {
    self.ran(at->work, 0, 0);
    return true;
  }
  CUresult result = self.driver->cuEventQuery(at->second);
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  float begin, length;
  if (!result)
    result = self.driver->cuEventElapsedTime(&begin, of->anchors[of->anchor],
                                             at->first);
  if (!result)
    result = self.driver->cuEventElapsedTime(&length, at->first, at->second);
  if (result) {
    fail(result, "the time of an event");
    self.ran(at->work, 0, 0);
    return true;
  }
  int64_t begin_ns = of->time + (int64_t)((double)begin * 1e6);
  self.ran(at->work, begin_ns, begin_ns + (int64_t)((double)length * 1e6));
  return true;
}

/// Tells of what is over by now.
static void collect(device_times *of) AGPU__REQUIRES(self.lock) {
  for (measured *at = STAILQ_FIRST(&of->pending), *next; at; at = next) {
    next = STAILQ_NEXT(at, link);
    if (!settle(of, at))
      continue;
    STAILQ_REMOVE(&of->pending, at, measured, link);
    STAILQ_INSERT_HEAD(&of->free, at, link);
    --of->count;
  }
}

static void after(void *token, int device, CUstream stream, bool enqueued) {
  device_times *of = &self.devices[device];
  measured *at = token;
  if (!at)
    return;
  agpu__mutex_lock(&self.lock);
  CUresult result = at->failed || !enqueued
                        ? CUDA_SUCCESS
                        : self.driver->cuEventRecord(at->second, stream);
  if (result)
    fail(result, "an event behind work");
  at->failed |= result || !enqueued;
  at->is_over = true;
  // Not each time: it looks at all that is pending.
  if (++of->count >= of->next_collect) {
    collect(of);
    of->next_collect = 2 * of->count + COLLECTED;
  }
  agpu__mutex_unlock(&self.lock);
}

static void collect_now(int device) {
  agpu__mutex_lock(&self.lock);
  if (self.devices[device].pending.stqh_last)
    collect(&self.devices[device]);
  agpu__mutex_unlock(&self.lock);
}

static void ending(int device) {
  device_times *of = &self.devices[device];
  const agpu__driver *driver = self.driver;
  agpu__mutex_lock(&self.lock);
  if (of->pending.stqh_last) {
    collect(of);
    for (measured *at; (at = STAILQ_FIRST(&of->pending));) {
      STAILQ_REMOVE_HEAD(&of->pending, link);
      STAILQ_INSERT_HEAD(&of->free, at, link);
      self.lost += !at->failed;
    }
    for (measured *at; (at = STAILQ_FIRST(&of->free));) {
      STAILQ_REMOVE_HEAD(&of->free, link);
      (void)driver->cuEventDestroy(at->first);
      (void)driver->cuEventDestroy(at->second);
      agpu__memory_free(at);
    }
    for (int i = 0; i < ANCHORS; ++i)
      if (of->anchors[i])
        (void)driver->cuEventDestroy(of->anchors[i]);
    if (of->stream)
      (void)driver->cuStreamDestroy(of->stream);
    *of = (device_times){.stream = NULL};
  }
  agpu__mutex_unlock(&self.lock);
}

static void describe(agpu__work_clock_quality *out_quality) {
  agpu__mutex_lock(&self.lock);
  *out_quality = (agpu__work_clock_quality){
      .source = "events",
      // Half a microsecond is what the driver promises of its times.
      .error_ns = self.alignment + self.drift + RESOLUTION_NS,
      .lost = self.lost};
  (void)snprintf(out_quality->how, sizeof out_quality->how,
                 "an event before and one behind each piece of work; clocks "
                 "aligned by an event between two looks at the host's, every "
                 "second, drift %" PRId64 " ns",
                 self.drift);
  memcpy(out_quality->why, self.why, sizeof self.why);
  agpu__mutex_unlock(&self.lock);
}

const agpu__work_clock *agpu__timed_events_start(const agpu__driver *driver,
                                                 agpu__work_ran *ran) {
  static const agpu__work_clock clock = {.before = before,
                                         .after = after,
                                         .ending = ending,
                                         .collect = collect_now,
                                         .describe = describe};
  if (!driver->cuEventElapsedTime)
    return NULL;
  self.driver = driver;
  self.ran = ran;
  return &clock;
}
