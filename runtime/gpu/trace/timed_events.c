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
// No lock is held in a call of the driver, which may block. The anchors, and
// looking at what is pending, are one thread's at a time, and others do not
// wait for it: an anchor that is somewhat old does, and so does the next look.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/sync/mutex.h"
#include "gpu/trace/node_events.h"

#include <stdatomic.h>
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

/// The calling thread's, until it is pending.
typedef struct measured {
  STAILQ_ENTRY(measured) link;
  uint64_t work;
  CUevent first, second;
  agpu__node_events *nodes; // of a graph's launch, or NULL
  bool failed;              // has no time, or was never enqueued
} measured;

typedef STAILQ_HEAD(measured_list, measured) measured_list;

typedef struct device_times {
  agpu__mutex lock;
  measured_list pending AGPU__GUARDED_BY(lock), free AGPU__GUARDED_BY(lock);
  size_t count AGPU__GUARDED_BY(lock); // of pending ones
  size_t next_collect AGPU__GUARDED_BY(lock);
  _Atomic(int64_t) renewal; // when an anchor is due; relaxed
  // A thread has what follows. Acquire and release.
  atomic_bool is_taken;
  CUstream stream; // of anchors; NULL: none yet
  CUevent anchors[ANCHORS];
  int anchor; // the one in use, if there is one
  bool has_anchor;
  int64_t time; // its, on the host's clock
} device_times;

static struct {
  const agpu__driver *driver;
  agpu__work_ran *ran;
  agpu__work_clock clock;
  device_times devices[AGPU__MAX_DEVICES];
} self;

static void lose(uint64_t work, CUresult result, const char *what) {
  const char *name = NULL;
  if (self.driver->cuGetErrorName(result, &name) || !name)
    name = "unknown error";
  agpu__work_clock_lose(1, "%s: %s", what, name);
  if (work)
    self.ran(work, 0, 0, 0);
}

static bool take(device_times *of) {
  return !atomic_exchange_explicit(&of->is_taken, true, memory_order_acquire);
}

static void give(device_times *of) {
  atomic_store_explicit(&of->is_taken, false, memory_order_release);
}

static CUresult get_ns(CUevent from, CUevent to, int64_t *out_ns) {
  float milliseconds;
  CUresult result = self.driver->cuEventElapsedTime(&milliseconds, from, to);
  if (!result)
    *out_ns = (int64_t)((double)milliseconds * 1e6);
  return result;
}

//===----------------------------------------------------------------------===//
// Anchors. Of the thread that has them.
//===----------------------------------------------------------------------===//

/// What a device's anchors need.
static CUresult prepare(device_times *of) {
  CUresult result = CUDA_SUCCESS;
  if (!of->stream)
    result = self.driver->cuStreamCreate(&of->stream, CU_STREAM_NON_BLOCKING);
  for (int i = 0; i < ANCHORS && !result; ++i)
    if (!of->anchors[i])
      result = self.driver->cuEventCreate(&of->anchors[i], 0);
  return result;
}

/// A new anchor: the best of several.
static CUresult renew(device_times *of) {
  CUresult result = prepare(of);
  int64_t best = INT64_MAX, time = 0, since;
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
  int64_t drift = 0; // how far it is from where the old one puts it
  if (of->has_anchor &&
      !get_ns(of->anchors[of->anchor], of->anchors[chosen], &since))
    drift = time - of->time - since;
  agpu__work_clock_is_off(best / 2 + (drift < 0 ? -drift : drift) +
                          RESOLUTION_NS);
  of->anchor = chosen;
  of->time = time;
  of->has_anchor = true;
  atomic_store_explicit(&of->renewal, time + ANCHOR_NS, memory_order_relaxed);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

static measured *take_free(device_times *of) {
  agpu__mutex_lock(&of->lock);
  measured *taken = STAILQ_FIRST(&of->free);
  if (taken)
    STAILQ_REMOVE_HEAD(&of->free, link);
  agpu__mutex_unlock(&of->lock);
  return taken;
}

static CUresult create(measured **out) {
  CUevent first, second;
  CUresult result = self.driver->cuEventCreate(&first, 0);
  if (result)
    return result;
  result = self.driver->cuEventCreate(&second, 0);
  if (result) {
    (void)self.driver->cuEventDestroy(first);
    return result;
  }
  *out = agpu__memory_alloc(sizeof **out, _Alignof(measured),
                            "a time of the device");
  **out = (measured){.first = first, .second = second};
  return CUDA_SUCCESS;
}

static void *before(uint64_t work, int device, CUstream stream) {
  device_times *of = &self.devices[device];
  CUresult result = CUDA_SUCCESS;
  if (agpu__clock_now_ns() >=
          atomic_load_explicit(&of->renewal, memory_order_relaxed) &&
      take(of)) {
    result = renew(of);
    give(of);
  }
  if (result) {
    lose(work, result, "an event before work");
    return NULL;
  }
  measured *taken = take_free(of);
  if (!taken && (result = create(&taken))) {
    lose(work, result, "creating an event");
    return NULL;
  }
  taken->work = work;
  result = self.driver->cuEventRecord(taken->first, stream);
  taken->failed = result != CUDA_SUCCESS;
  if (result)
    lose(0, result, "an event before work");
  return taken;
}

/// Of what is over, or where `begin` is 0, has no times.
static void tell(measured *at, int64_t begin, int64_t length) {
  if (at->nodes)
    agpu__node_events_tell(at->nodes, begin ? at->first : NULL, begin, at->work,
                           self.ran);
  else
    self.ran(at->work, 0, begin, begin + length);
  agpu__node_events_free(at->nodes);
  at->nodes = NULL;
}

static void take_nodes(void *token, agpu__node_events *events) {
  ((measured *)token)->nodes = events;
}

/// True once nothing more is to be had of it. Of the thread that has the
/// anchors.
static bool settle(const device_times *of, measured *at) {
  CUresult result =
      at->failed ? CUDA_SUCCESS : self.driver->cuEventQuery(at->second);
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  int64_t begin = 0, length = 0;
  if (at->failed || (!result && !of->has_anchor)) {
    tell(at, 0, 0);
    return true;
  }
  if (!result)
    result = get_ns(of->anchors[of->anchor], at->first, &begin);
  if (!result)
    result = get_ns(at->first, at->second, &length);
  if (result)
    lose(0, result, "the time of an event");
  tell(at, result ? 0 : of->time + begin, result ? 0 : length);
  return true;
}

/// Tells of what is over by now, for who has taken the device.
static void look(device_times *of) {
  measured_list all = STAILQ_HEAD_INITIALIZER(all);
  measured_list open = STAILQ_HEAD_INITIALIZER(open);
  measured_list settled = STAILQ_HEAD_INITIALIZER(settled);
  size_t count = 0;
  agpu__mutex_lock(&of->lock);
  STAILQ_CONCAT(&all, &of->pending);
  agpu__mutex_unlock(&of->lock);
  for (measured *at; (at = STAILQ_FIRST(&all));) {
    STAILQ_REMOVE_HEAD(&all, link);
    bool is_settled = settle(of, at);
    STAILQ_INSERT_TAIL(is_settled ? &settled : &open, at, link);
    count += is_settled;
  }
  agpu__mutex_lock(&of->lock);
  STAILQ_CONCAT(&of->pending, &open);
  STAILQ_CONCAT(&of->free, &settled);
  of->count -= count;
  of->next_collect = 2 * of->count + COLLECTED;
  agpu__mutex_unlock(&of->lock);
}

static void after(void *token, int device, CUstream stream, bool enqueued) {
  device_times *of = &self.devices[device];
  measured *at = token;
  if (!at)
    return;
  at->failed |= !enqueued;
  CUresult result = at->failed ? CUDA_SUCCESS
                               : self.driver->cuEventRecord(at->second, stream);
  if (result)
    lose(0, result, "an event behind work");
  at->failed |= result != CUDA_SUCCESS;
  agpu__mutex_lock(&of->lock);
  STAILQ_INSERT_TAIL(&of->pending, at, link);
  // Not each time: it looks at all that is pending.
  bool is_due = ++of->count >= of->next_collect;
  agpu__mutex_unlock(&of->lock);
  if (is_due && take(of)) {
    look(of);
    give(of);
  }
}

/// Gives all back. What is pending still will have no time.
static void destroy(device_times *of) {
  const agpu__driver *driver = self.driver;
  measured_list all = STAILQ_HEAD_INITIALIZER(all);
  agpu__mutex_lock(&of->lock);
  for (measured *at = STAILQ_FIRST(&of->pending); at;
       at = STAILQ_NEXT(at, link))
    agpu__work_clock_lose(1, "work had no end when its device was given back");
  STAILQ_CONCAT(&all, &of->pending);
  STAILQ_CONCAT(&all, &of->free);
  of->count = of->next_collect = 0;
  agpu__mutex_unlock(&of->lock);
  for (measured *at; (at = STAILQ_FIRST(&all));) {
    STAILQ_REMOVE_HEAD(&all, link);
    (void)driver->cuEventDestroy(at->first);
    (void)driver->cuEventDestroy(at->second);
    agpu__node_events_free(at->nodes);
    agpu__memory_free(at);
  }
  for (int i = 0; i < ANCHORS; ++i)
    if (of->anchors[i])
      (void)driver->cuEventDestroy(of->anchors[i]);
  if (of->stream)
    (void)driver->cuStreamDestroy(of->stream);
  of->stream = NULL;
  memset(of->anchors, 0, sizeof of->anchors);
  of->has_anchor = false;
  atomic_store_explicit(&of->renewal, 0, memory_order_relaxed);
}

static void collect(int device, bool is_last) {
  device_times *of = &self.devices[device];
  int64_t pause_ns = 1000;
  while (!take(of))
    agpu__clock_pause(&pause_ns);
  look(of);
  if (is_last)
    destroy(of);
  give(of);
}

const agpu__work_clock *agpu__timed_events_start(const agpu__driver *driver,
                                                 agpu__work_ran *ran,
                                                 bool has_nodes) {
  const agpu__work_clock clock = {
      .source = "events",
      .how =
          "an event before and one behind each piece of work, and where nodes "
          "of graphs are shown, behind each of these; clocks aligned by an "
          "event between two looks at the host's, every second",
      .before = before,
      .after = after,
      .collect = collect};
  if (!driver->cuEventElapsedTime)
    return NULL;
  self.driver = driver;
  self.ran = ran;
  has_nodes &= driver->cuGraphAddEventRecordNode &&
               driver->cuGraphExecEventRecordNodeSetEvent;
  self.clock = clock;
  self.clock.take_nodes = has_nodes ? take_nodes : NULL;
  for (int i = 0; i < AGPU__MAX_DEVICES; ++i) {
    device_times *of = &self.devices[i];
    agpu__mutex_init(&of->lock, AGPU__RANK_TIMED_EVENTS);
    STAILQ_INIT(&of->pending);
    STAILQ_INIT(&of->free);
  }
  return &self.clock;
}
