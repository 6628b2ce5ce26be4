//===- completion_interleaved.c - Completions in all interleavings --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread that completes objects, and two that ask for a completion each and
// then are the device which gets there. A run fails where an object is not
// completed once, with what its work has written; where the thread sleeps
// although something is pending of which no word will come; and where who
// drains goes on before the thread is done.
//
// Then one of the two is a function that the helper's thread runs: what follows
// it is not completed before it has run, and nobody takes its event for past.
// What does not follow it is completed while it blocks: it does not return
// before.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"
#include "base/sync/park.c"
// The thread's pauses are for others.
#define agpu__pause() (void)interleave_yield()
#define agpu__parker_pause(parker, mask, rounds, most_ns)                      \
  ((void)(rounds), (void)interleave_yield())
#include "gpu/stream/completion.c"

#include "check.h"
#include "interleave_memory.h"
#include "own_self.h"

#define REQUESTS 2

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static int written[REQUESTS];       ///< by the work of each
static _Atomic(int) done[REQUESTS]; ///< it is over
static bool is_announced_at[REQUESTS];
static agpu__event events[REQUESTS];

static int number_of(const agpu__event *event) { return (int)(event - events); }

static CUresult query(CUevent handle) {
  return atomic_load_explicit(&done[(uintptr_t)(void *)handle],
                              memory_order_acquire)
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_READY;
}

static agpu__shared shared;
static agpu__pool_stream streams[REQUESTS];

static CUresult announce_event(CUstream stream, CUhostFn function,
                               void *parker) {
  CHECK(function == poke && parker == &shared.completion->parker);
  is_announced_at[(uintptr_t)(void *)stream] = true;
  return CUDA_SUCCESS;
}

static const agpu__driver driver = {
    .name = "test", .cuEventQuery = query, .cuLaunchHostFunc = announce_event};
static agpu__device device = {.driver = &driver, .shared = &shared};

//===----------------------------------------------------------------------===//
// What completion.c needs of the runtime
//===----------------------------------------------------------------------===//

/// What the helper's thread is to do; one job.
static _Atomic(agpu__job *) job;

agpu__helper *agpu__helper_create(void) { return NULL; }
void agpu__helper_destroy(agpu__helper *helper) { (void)helper; }

void agpu__helper_give(agpu__helper *helper, agpu__job *given) {
  (void)helper;
  atomic_store_explicit(&job, given, memory_order_release);
}

int64_t agpu__clock_now_ns(void) { return 0; }
int64_t agpu__clock_machine_ns(void) { return 0; }
void agpu__device_enter(const agpu__device *of) { (void)of; }
void agpu__device_switch_back(const agpu__device *of) { (void)of; }
void agpu_status_release(agpu_status status) { CHECK(!status); }
agpu_status agpu_status_retain(agpu_status status) { return status; }

static bool nothing_is_pending(const void *unused) {
  (void)unused;
  return shared.completion->pending == 0;
}

/// Who drains would wait for the thread, which waits for the device.
void agpu__clock_pause(int64_t *pause_ns) {
  (void)pause_ns;
  interleave_rest(nothing_is_pending, NULL);
}

void agpu__event_end(agpu__event *event) { CHECK(!event); }

agpu_status agpu__event_record(agpu__event *event) {
  CHECK(event->is_recorded);
  return AGPU_OK;
}

static int completed[REQUESTS];
static void tell_complete(void);

void agpu__object_complete(agpu_object *object, agpu_status status) {
  int number = number_of((const agpu__event *)(const void *)object);
  CHECK(!status);
  CHECK_EQ(written[number], 1);
  ++completed[number];
  tell_complete();
}

bool agpu__stream_pool_has_output(const agpu__stream_pool *pool) {
  return pool != NULL;
}

void agpu__stream_pool_tell_failure(agpu__stream_pool *pool) { CHECK(!pool); }

CUresult agpu__stream_pool_get_error(const agpu__device *of) {
  (void)of;
  return CUDA_SUCCESS;
}

agpu_status agpu__driver_work_error(const agpu__driver *of, CUresult result,
                                    const agpu__op_name *last) {
  (void)of, (void)result, (void)last;
  CHECK(false);
  return NULL;
}

// No run gets there.
agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code, (void)location, (void)format;
  return NULL;
}

agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  (void)setting;
  *out_value = 0;
  return NULL;
}

const char *agpu__setting_text(agpu__setting setting) {
  (void)setting;
  return NULL;
}

agpu_status agpu__setting_word(agpu__setting setting, int *out_index) {
  (void)setting;
  *out_index = 0;
  return NULL;
}

int agpu__thread_create(pthread_t *thread, const char *name,
                        void *(*function)(void *), void *argument) {
  (void)thread, (void)name, (void)function, (void)argument;
  return 1;
}

//===----------------------------------------------------------------------===//

static strategy chosen;
static agpu__completion completion;

/// Requests that have been made: who drains knows of them.
static _Atomic(int) made;

/// More work is behind the events, so that none is announced.
static bool is_behind;

AGPU__UNCHECKED_LOCKS static void begin(void) {
  memset(written, 0, sizeof(written));
  memset(is_announced_at, 0, sizeof(is_announced_at));
  memset(completed, 0, sizeof(completed));
  atomic_init(&made, 0);
  completion = (agpu__completion){.strategy = chosen};
  agpu__entry_list_init(&completion.incoming);
  agpu__entry_list_init(&completion.running);
  agpu__entry_list_init(&completion.held);
  atomic_init(&shared.deferred, 0);
  agpu__parker_init(&completion.parker);
  shared.completion = &completion;
  for (int i = 0; i < REQUESTS; ++i) {
    atomic_init(&done[i], 0);
    streams[i] = (agpu__pool_stream){.device = &device,
                                     .handle = (CUstream)(void *)(uintptr_t)i,
                                     .position = is_behind ? 2 : 1};
    events[i] = (agpu__event){.device = &device,
                              .stream = &streams[i],
                              .handle = (CUevent)(void *)(uintptr_t)i,
                              .position = 1,
                              .is_recorded = true,
                              .references = 1};
  }
}

static bool all_are_made(const void *unused) {
  (void)unused;
  return made == REQUESTS;
}

/// Until nothing is pending.
static void see_off(void) {
  interleave_rest(all_are_made, NULL);
  (void)atomic_fetch_add_explicit(&made, 0, memory_order_acquire);
  if (is_behind)
    while (agpu__completion_is_pending(&completion))
      agpu__clock_pause(NULL);
  else
    agpu__completion_drain(&completion);
  for (int i = 0; i < REQUESTS; ++i)
    CHECK_EQ(completed[i], 1);
  agpu__parker_signal(&completion.parker, STOP);
}

/// Thread 0 completes; the last one sees it off.
static void work(int thread) {
  if (thread == 0) {
    (void)run_thread(&completion);
    return;
  }
  int number = thread - 1;
  add(&events[number], (agpu_object *)(void *)&events[number], NULL, NULL);
  atomic_fetch_add_explicit(&made, 1, memory_order_release);
  // As the end of a graph's round tells the driver of the event (notes.c).
  atomic_store_explicit(&events[number].result, CUDA_SUCCESS,
                        memory_order_relaxed);
  written[number] = 1;
  atomic_store_explicit(&done[number], 1, memory_order_release);
  if (is_announced_at[number])
    poke(&completion.parker);
  // As who is about to wait for the other's event (loan.c).
  if (agpu__event_is_past(&events[0]))
    CHECK_EQ(written[0], 1);
  if (thread == REQUESTS)
    see_off();
}

static void end(void) {
  CHECK(!agpu__completion_is_pending(&completion));
  CHECK_EQ(shared.deferred, 0);
  for (int i = 0; i < REQUESTS; ++i)
    CHECK_EQ(events[i].references, 1);
  agpu__pending_free(&completion.streams);
  CHECK_EQ(interleave_heap.blocks, 0);
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

/// The object's work follows the function's, on the same stream or as its own
/// stream's clock says; else the function waits for the object.
static bool is_function;
static enum { SAME_STREAM, BY_CLOCK, APART } relation;
static int has_run; // the function
static _Atomic(int) object_is_complete;

static void begin_function(void) {
  begin();
  has_run = 0;
  atomic_init(&job, NULL);
  atomic_init(&object_is_complete, 0);
  for (int i = 0; i < REQUESTS; ++i)
    streams[i].number = (unsigned)i;
  if (relation == SAME_STREAM)
    events[1].stream = &streams[0];
  events[1].position = 2;
  if (relation == BY_CLOCK) {
    events[1].clock.count = 1;
    events[1].clock.reached[0] = 2;
  }
}

static bool follows(void) { return relation != APART; }

static bool is_object_complete(const void *unused) {
  (void)unused;
  return atomic_load_explicit(&object_is_complete, memory_order_relaxed) != 0;
}

static void tell_complete(void) {
  if (is_function && follows())
    CHECK_EQ(has_run, 1);
  atomic_store_explicit(&object_is_complete, 1, memory_order_relaxed);
}

static void run_deferred(void *argument, agpu_status status) {
  CHECK(argument == &has_run && !status);
  if (relation == APART)
    interleave_rest(is_object_complete, NULL);
  has_run = 1;
}

static bool is_given(const void *unused) {
  (void)unused;
  return job != NULL;
}

/// Thread 0 completes, 1 is the helper's; the others ask, and the last sees
/// them off.
static void work_function(int thread) {
  if (thread == 0) {
    (void)run_thread(&completion);
  } else if (thread == 1) {
    interleave_block(is_given, NULL);
    agpu__job *given = atomic_load_explicit(&job, memory_order_acquire);
    given->run(given);
  } else {
    agpu__completion_defer(&events[0], run_deferred, &has_run);
    add(&events[1], (agpu_object *)(void *)&events[1], NULL, NULL);
    written[1] = 1;
    for (int i = 0; i < REQUESTS; ++i)
      atomic_store_explicit(&done[i], 1, memory_order_release);
    agpu__parker_signal(&completion.parker, POKE);
    // As who would not wait for the function's event (loan.c).
    if (agpu__event_is_past(&events[0]))
      CHECK_EQ(has_run, 1);
    agpu__completion_drain(&completion);
    CHECK_EQ(completed[1], 1);
    agpu__parker_signal(&completion.parker, STOP);
  }
}

int main(void) {
  for (int i = 0; i < 4; ++i) {
    is_behind = i == 3;
    chosen = (strategy)(i % 3);
    long runs =
        interleave(&(interleaving){.threads = 1 + REQUESTS,
                                   .preemptions = INTERLEAVE_BOUND(2, 1),
                                   .stale = 1,
                                   .begin = begin,
                                   .run = work,
                                   .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  is_function = true;
  is_behind = false;
  chosen = HOSTFUNC;
  for (relation = SAME_STREAM; relation <= APART; ++relation) {
    long runs =
        interleave(&(interleaving){.threads = 3,
                                   .preemptions = INTERLEAVE_BOUND(2, 1),
                                   .stale = 1,
                                   .begin = begin_function,
                                   .run = work_function,
                                   .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
