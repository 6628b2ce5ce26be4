//===- pool_interleaved.c - Streams that go in all interleavings ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream that nobody has goes back to the driver while the last who has an
// event on it records that and lets it go, and another thread borrows a stream:
// none goes while someone may use it, and who comes behind a loan gets the
// stream only where nobody else has it.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"
#include "gpu/stream/event.c"
#include "gpu/stream/event_pool.c"
#include "gpu/stream/pool.c"

#include "check.h"
#include "interleave_memory.h"
#include "own_self.h"

#define THREADS 3

// What else they need of the runtime.
void agpu__device_enter(const agpu__device *device) { (void)device; }
void agpu__device_switch_to(const agpu__device *device) { (void)device; }
agpu_status agpu_status_retain(agpu_status status) { return status; }
void agpu__status_track(agpu_status status) { (void)status; }
void agpu_status_release(agpu_status status) { CHECK(!status); }
atomic_bool agpu__gate_is_slow;
bool agpu__driver_gate_enter(void) { return true; }
void agpu__driver_gate_leave(void) {}
int64_t agpu__clock_now_ns(void) { return 0; }
void agpu__clock_pause(int64_t *pause_ns) { (void)pause_ns; }
void agpu__status_report(agpu_status status) { CHECK(!status); }
const char *agpu__text_keep(const char *text) { return text; }
agpu__staging *agpu__staging_create(void) { return NULL; }
void agpu__staging_destroy(agpu__staging *staging) { (void)staging; }

void agpu__staging_trim(agpu__staging *staging, const agpu__device *device) {
  (void)staging, (void)device;
}

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...) {
  (void)driver, (void)result, (void)location, (void)what;
  CHECK(false);
  return NULL;
}

agpu_status agpu__driver_work_error(const agpu__driver *driver, CUresult result,
                                    const agpu__op_name *last) {
  (void)driver, (void)result, (void)last;
  CHECK(false);
  return NULL;
}

agpu_status agpu__driver_event_error(const agpu__driver *driver,
                                     CUresult result, const agpu__op_name *last,
                                     const char *what) {
  (void)what;
  return agpu__driver_work_error(driver, result, last);
}

// The driver: streams have numbers from 1 on.
#define STREAMS 4

static _Atomic(int) created;
static _Atomic(int) alive[STREAMS + 1];

static CUresult create_handle(CUstream *stream, unsigned int flags) {
  (void)flags;
  int number = 1 + atomic_fetch_add_explicit(&created, 1, memory_order_relaxed);
  CHECK(number <= STREAMS);
  atomic_store_explicit(&alive[number], 1, memory_order_relaxed);
  *stream = (CUstream)(void *)(uintptr_t)number;
  return CUDA_SUCCESS;
}

static CUresult destroy_stream(CUstream stream) {
  int before = atomic_exchange_explicit(&alive[(uintptr_t)(void *)stream], 0,
                                        memory_order_relaxed);
  CHECK_EQ(before, 1);
  return CUDA_SUCCESS;
}

static CUresult query(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}

static CUresult create(CUevent *event, unsigned int flags) {
  (void)flags;
  *event = NULL;
  return CUDA_SUCCESS;
}

static CUresult destroy(CUevent event) {
  (void)event;
  return CUDA_SUCCESS;
}

/// Who records has an event of the stream, or has borrowed it.
static CUresult record_at_driver(CUevent event, CUstream stream) {
  (void)event;
  // Read by adding: the newest.
  CHECK_EQ(atomic_fetch_add_explicit(&alive[(uintptr_t)(void *)stream], 0,
                                     memory_order_relaxed),
           1);
  return CUDA_SUCCESS;
}

static const agpu__driver driver = {.name = "test",
                                    .cuStreamCreate = create_handle,
                                    .cuStreamDestroy = destroy_stream,
                                    .cuStreamQuery = query,
                                    .cuEventCreate = create,
                                    .cuEventDestroy = destroy,
                                    .cuEventRecord = record_at_driver};
static agpu__shared shared;
static agpu__device device = {.driver = &driver, .shared = &shared};

static agpu__pool_stream *first;
static uint64_t first_loan;
static agpu__event *held; ///< on `first`; whose loan has ended

static agpu__event *make(agpu__pool_stream *stream, uint64_t loan) {
  agpu__event *event;
  CHECK(!agpu__event_make(stream, loan, &(agpu__op_name){.what = "test"},
                          &event));
  return event;
}

static void begin(void) {
  atomic_init(&created, 0);
  for (int i = 0; i <= STREAMS; ++i)
    atomic_init(&alive[i], 0);
  shared = (agpu__shared){.stream_count = 0};
  device.events = agpu__event_pool_create();
  device.streams = agpu__stream_pool_create(1, 1);
  CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &first, &first_loan));
  held = make(first, first_loan);
  agpu__stream_pool_release(first, NULL);
  CHECK(!agpu__stream_pool_trim(&device)); // idle from now on
}

static void use(agpu__pool_stream *stream, uint64_t loan) {
  agpu__event *event = make(stream, loan);
  CHECK(!agpu__event_record(event));
  agpu__event_release(event);
  agpu__stream_pool_release(stream, NULL);
}

/// The last holder, who gives streams back, and one that borrows one.
static void trim(int thread) {
  agpu__pool_stream *stream;
  uint64_t loan;
  if (thread == 0) {
    CHECK(!agpu__event_record(held));
    agpu__event_release(held);
  } else if (thread == 1) {
    (void)agpu__stream_pool_trim(&device);
  } else {
    CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &stream, &loan));
    use(stream, loan);
  }
}

/// The same, where one goes on behind the holder's loan.
static void take_over(int thread) {
  uint64_t loan;
  if (thread < 2)
    trim(thread);
  else if (agpu__stream_pool_take_over(first, first_loan, 0, &loan))
    use(first, loan);
}

AGPU__UNCHECKED_LOCKS // it is the only thread by then
    static void end(void) {
  CHECK_EQ(agpu__stream_pool_count_lent(device.streams), 0);
  CHECK_EQ(first->events, 0);
  agpu__stream_pool_destroy(device.streams);
  agpu__event_pool_destroy(device.events);
  for (int i = 0; i <= STREAMS; ++i)
    CHECK_EQ(alive[i], 0);
  CHECK_EQ(interleave_heap.blocks, 0);
}

int main(void) {
  void (*const works[])(int) = {trim, take_over};
  for (int i = 0; i < 2; ++i) {
    long runs = interleave(&(interleaving){.threads = THREADS,
                                           .preemptions = 2,
                                           .stale = 1,
                                           .begin = begin,
                                           .run = works[i],
                                           .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
