//===- event_interleaved.c - References of events in all interleavings ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The event at the end of a stream is everyone's who asks for it, as long as
// someone has it: threads make, record and release it, and settle and forgo it
// before they enqueue more. No one gets an event that is on its way back to the
// pool or to the stream, and none is given back twice, or while someone has it.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"
#include "gpu/stream/event.c"
#include "gpu/stream/event_pool.c"

#include "check.h"
#include "interleave_memory.h"
#include "own_self.h"

#define THREADS 3

// What else event.c needs of the runtime.
agpu_status agpu__driver_event_error(const agpu__driver *driver,
                                     CUresult result, const agpu__op_name *last,
                                     const char *what) {
  (void)driver, (void)result, (void)last, (void)what;
  CHECK(false);
  return NULL;
}

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...) {
  (void)what;
  return agpu__driver_event_error(driver, result, NULL, location);
}

int64_t agpu__clock_now_ns(void) { return 0; }
void agpu__device_enter(const agpu__device *device) { (void)device; }
void agpu__device_switch_to(const agpu__device *device) { (void)device; }
agpu_status agpu_status_retain(agpu_status status) { return status; }
void agpu__status_track(agpu_status status) { (void)status; }
void agpu_status_release(agpu_status status) { CHECK(!status); }
atomic_bool agpu__gate_is_slow;
bool agpu__driver_gate_enter(void) { return true; }
void agpu__driver_gate_leave(void) {}

static _Atomic(int) created, records;

/// What has been enqueued, before the stream's position says so; and how much
/// of it, at least, was there when an event was recorded last.
static _Atomic(uint64_t) enqueued;
static uint64_t recorded_behind[16];

static CUresult create(CUevent *event, unsigned int flags) {
  (void)flags;
  int number = 1 + atomic_fetch_add_explicit(&created, 1, memory_order_relaxed);
  *event = (CUevent)(void *)(uintptr_t)number;
  return CUDA_SUCCESS;
}

static CUresult destroy(CUevent event) {
  (void)event;
  atomic_fetch_sub_explicit(&created, 1, memory_order_relaxed);
  return CUDA_SUCCESS;
}

static CUresult record_at_driver(CUevent event, CUstream stream) {
  (void)stream;
  recorded_behind[(uintptr_t)(void *)event] =
      atomic_load_explicit(&enqueued, memory_order_relaxed);
  atomic_fetch_add_explicit(&records, 1, memory_order_relaxed);
  return CUDA_SUCCESS;
}

/// By the event's work; and it is over, as far as the driver says.
static int written;
static _Atomic(int) is_over;

static CUresult query_stream(CUstream queried) {
  (void)queried;
  return atomic_load_explicit(&is_over, memory_order_acquire)
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_READY;
}

/// An event that has not been recorded is over for the driver, whatever its
/// work does: nobody asks.
static CUresult query_event(CUevent event) {
  CHECK(recorded_behind[(uintptr_t)(void *)event] != 0);
  return query_stream(NULL);
}

static const agpu__driver driver = {.name = "test",
                                    .cuEventQuery = query_event,
                                    .cuStreamQuery = query_stream,
                                    .cuEventCreate = create,
                                    .cuEventDestroy = destroy,
                                    .cuEventRecord = record_at_driver};
static agpu__shared shared;
static agpu__device device = {.driver = &driver, .shared = &shared};
static agpu__pool_stream stream;

static void begin(void) {
  atomic_init(&created, 0);
  atomic_init(&records, 0);
  atomic_init(&enqueued, 0);
  stream = (agpu__pool_stream){.device = &device};
  device.events = agpu__event_pool_create();
}

static agpu__event *make(void) {
  agpu__event *event;
  CHECK(
      !agpu__event_make(&stream, 1, &(agpu__op_name){.what = "test"}, &event));
  return event;
}

/// Threads take turns.
AGPU__UNCHECKED_LOCKS INTERLEAVE_UNSEEN static void
check_not_free(const agpu__event *event) {
  CHECK(event->references > 0);
  CHECK(stream.spare != event);
  const agpu__event *of;
  SLIST_FOREACH (of, &device.events->free, link)
    CHECK(of != event);
}

/// As whoever has `event` sees it: it is no other, and not given back.
static void check_held(agpu__event *event, uint64_t position) {
  interleave_gap();
  CHECK_EQ(event->position, position);
  check_not_free(event);
}

/// What enqueues: settles, and counts.
static void enqueue(void) {
  agpu__event_settle(&stream);
  atomic_fetch_add_explicit(&enqueued, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&stream.position, 1, memory_order_release);
}

static void share(int thread) {
  if (thread == 2) {
    enqueue();
    return;
  }
  agpu__event *event = make();
  uint64_t position = event->position;
  check_held(event, position);
  if (thread == 1) {
    CHECK(!agpu__event_record(event));
    CHECK(recorded_behind[(uintptr_t)(void *)event->handle] >= position);
  }
  check_held(event, position);
  agpu__event_release(event);
}

/// One goes on behind its own event, which others may have got.
static void forgo(int thread) {
  agpu__event *event = make();
  uint64_t position = event->position;
  if (thread == 0) {
    agpu__event_elide_record(event, 1);
    atomic_fetch_add_explicit(&stream.position, 1, memory_order_release);
  }
  check_held(event, position);
  agpu__event_release(event);
}

/// One records its event while others ask whether the work is over.
static agpu__event *asked;

static void begin_asking(void) {
  begin();
  memset(recorded_behind, 0, sizeof recorded_behind);
  written = 0;
  atomic_init(&is_over, 0);
  atomic_init(&enqueued, 1);
  stream.position = 1;
  asked = make();
  for (int i = 1; i < THREADS; ++i)
    (void)agpu__event_retain(asked);
}

static void ask(int thread) {
  if (thread == 0) {
    CHECK(!agpu__event_record(asked));
    written = 1;
    atomic_store_explicit(&is_over, 1, memory_order_release);
  } else if (agpu__event_is_over(asked)) {
    CHECK_EQ(written, 1);
  }
  agpu__event_release(asked);
}

// No other thread runs by then.
AGPU__UNCHECKED_LOCKS static void end(void) {
  CHECK(!stream.latest);
  CHECK_EQ(stream.events, 0);
  CHECK_EQ(agpu__event_pool_count_lent(device.events), 0);
  int free_events = 0;
  const agpu__event *of;
  SLIST_FOREACH (of, &device.events->free, link)
    ++free_events;
  CHECK_EQ(free_events + (stream.spare != NULL), created);
  CHECK(records <= THREADS);
  agpu__event_pool_destroy(device.events);
  CHECK_EQ(created, 0);
}

int main(void) {
  void (*const works[])(int) = {share, forgo, ask};
  for (int i = 0; i < 3; ++i) {
    long runs =
        interleave(&(interleaving){.threads = THREADS,
                                   .preemptions = INTERLEAVE_BOUND(2, 1),
                                   .begin = i == 2 ? begin_asking : begin,
                                   .run = works[i],
                                   .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
