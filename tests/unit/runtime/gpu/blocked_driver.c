//===- blocked_driver.c - A driver's call that does not return ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's programming guide: "Asynchronous commands [...] may block if the
// launch queue is full", and a call that creates or frees something may wait
// for what the device does. Here each such call in turn does not return until
// the test lets it. Meanwhile other threads have to go on: they get streams,
// events and memory, and give back what the blocked call is about. Where one
// does not, the test does not end.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/memory.h"
#include "gpu/stream/copy.h"
#include "gpu/stream/event.h"

#include "check.h"

#include <pthread.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

/// The call that blocks, once; NULL: none.
static _Atomic(const char *) blocking;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_inside, may_return;

static void pass(const char *call) {
  const char *name = atomic_load(&blocking);
  if (!name || strcmp(name, call) != 0 ||
      !atomic_compare_exchange_strong(&blocking, &name, NULL))
    return;
  pthread_mutex_lock(&lock);
  is_inside = true;
  pthread_cond_broadcast(&changed);
  while (!may_return)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static atomic_int made, gone;

static void *get_handle(void) {
  return (void *)(uintptr_t)(16 * (1 + atomic_fetch_add(&made, 1)));
}

static CUresult get_current(CUcontext *context) {
  *context = NULL;
  return CUDA_SUCCESS;
}

static CUresult create_stream(CUstream *stream, unsigned int flags) {
  (void)flags;
  pass("cuStreamCreate");
  *stream = get_handle();
  return CUDA_SUCCESS;
}

static CUresult destroy_stream(CUstream stream) {
  (void)stream;
  pass("cuStreamDestroy");
  atomic_fetch_add(&gone, 1);
  return CUDA_SUCCESS;
}

static CUresult query_stream(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}

static CUresult create_event(CUevent *event, unsigned int flags) {
  (void)flags;
  pass("cuEventCreate");
  *event = get_handle();
  return CUDA_SUCCESS;
}

static CUresult destroy_event(CUevent event) {
  (void)event;
  pass("cuEventDestroy");
  atomic_fetch_add(&gone, 1);
  return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream stream) {
  (void)event, (void)stream;
  pass("cuEventRecord");
  return CUDA_SUCCESS;
}

static CUresult query_event(CUevent event) {
  (void)event;
  return CUDA_SUCCESS;
}

static CUresult alloc(CUdeviceptr *pointer, size_t bytes) {
  (void)bytes;
  pass("cuMemAlloc");
  *pointer = (CUdeviceptr)(uintptr_t)get_handle();
  return CUDA_SUCCESS;
}

static CUresult free_memory(CUdeviceptr pointer) {
  (void)pointer;
  pass("cuMemFree");
  atomic_fetch_add(&gone, 1);
  return CUDA_SUCCESS;
}

static const agpu__driver driver = {.name = "test",
                                    .cuCtxGetCurrent = get_current,
                                    .cuStreamCreate = create_stream,
                                    .cuStreamDestroy = destroy_stream,
                                    .cuStreamQuery = query_stream,
                                    .cuEventCreate = create_event,
                                    .cuEventDestroy = destroy_event,
                                    .cuEventRecord = record,
                                    .cuEventQuery = query_event,
                                    .cuMemAlloc = alloc,
                                    .cuMemFree = free_memory};
static agpu__shared shared;
static agpu__device device = {.driver = &driver, .shared = &shared};

//===----------------------------------------------------------------------===//
// What others do meanwhile
//===----------------------------------------------------------------------===//

/// A stream that the blocked call is about, and an event on it.
static agpu__pool_stream *stream;
static agpu__event *event;

static agpu__event *make(agpu__pool_stream *on) {
  agpu__event *made_event;
  CHECK(
      !agpu__event_make(on, 1, &(agpu__op_name){.what = "test"}, &made_event));
  return made_event;
}

static void enqueue_on(agpu__pool_stream *on) {
  atomic_fetch_add(&on->position, 1);
  agpu__event *end = make(on);
  agpu__event_settle(on);
  CHECK(!agpu__event_record(end));
  agpu__event_release(end);
}

/// Memory, and what the completion thread asks.
static void go_on_without_stream(void) {
  CUdeviceptr pointer;
  CHECK(!agpu__block_alloc(&device, NULL, 8, false, &pointer));
  agpu__block_free(&device, pointer, NULL);
  CHECK_EQ(agpu__stream_pool_get_error(&device), CUDA_SUCCESS);
}

/// The same, and work on a stream of another thread's.
static void go_on(void) {
  agpu__pool_stream *other;
  uint64_t loan;
  CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &other, &loan));
  enqueue_on(other);
  agpu__stream_pool_release(other, NULL);
  go_on_without_stream();
}

/// On the one that the test has. Only who needs a new one waits.
static void go_on_with_own(void) {
  enqueue_on(stream);
  go_on_without_stream();
}

/// The same as go_on, and memory that is freed behind work of the stream whose
/// queue is full; nobody else refers to that work then.
static void go_on_behind(void) {
  CUdeviceptr pointer;
  go_on();
  CHECK(!agpu__block_alloc(&device, NULL, 512, false, &pointer));
  agpu__block_free(&device, pointer, agpu__event_retain(event));
  CUdeviceptr again;
  CHECK(!agpu__block_alloc(&device, NULL, 512, false, &again));
  CHECK_EQ(again, pointer); // the stream is idle
  agpu__block_free(&device, again, NULL);
  agpu__event_release(event);
  event = NULL;
}

//===----------------------------------------------------------------------===//
// Calls that block
//===----------------------------------------------------------------------===//

static void *run_record(void *unused) {
  agpu__event *own = agpu__event_retain(event);
  CHECK(!agpu__event_record(own));
  agpu__event_release(own);
  return unused;
}

static void *run_settle(void *unused) {
  agpu__event_settle(stream);
  return unused;
}

static void *run_forgo(void *unused) {
  agpu__event *own = agpu__event_retain(event);
  agpu__event_elide_record(own, 1);
  agpu__event_release(own);
  return unused;
}

enum { MANY = 20, STREAMS = 3 };

/// Until there are no more free ones.
static void *run_make(void *unused) {
  agpu__event *events[MANY];
  for (int i = 0; i < MANY; ++i) {
    atomic_fetch_add(&stream->position, 1);
    events[i] = make(stream);
  }
  for (int i = 0; i < MANY; ++i)
    agpu__event_release(events[i]);
  return unused;
}

/// Until one is created; some are shared.
static void *run_acquire(void *unused) {
  agpu__pool_stream *streams[STREAMS];
  uint64_t loan;
  for (int i = 0; i < STREAMS; ++i)
    CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &streams[i], &loan));
  for (int i = 0; i < STREAMS; ++i)
    agpu__stream_pool_release(streams[i], NULL);
  return unused;
}

/// Of another size each time.
static void *run_alloc(void *unused) {
  static size_t bytes = 1024;
  CUdeviceptr pointer;
  CHECK(!agpu__block_alloc(&device, NULL, bytes *= 2, false, &pointer));
  agpu__block_free(&device, pointer, NULL);
  return unused;
}

static void *run_trim(void *unused) {
  for (int i = 0; i < 2; ++i) {
    (void)agpu__block_pool_trim(&device);
    (void)agpu__stream_pool_trim(&device);
    (void)agpu__event_pool_trim(&device);
  }
  return unused;
}

/// `run` comes to the call named `call`, which does not return before others
/// have gone on.
static void block(const char *call, void *(*run)(void *),
                  void (*others)(void)) {
  uint64_t loan;
  CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &stream, &loan));
  event = make(stream);
  if (others != go_on_behind) {
    agpu__event_release(event);
    event = NULL;
  }
  is_inside = may_return = false;
  if (run == run_trim)
    agpu__stream_pool_release(stream, NULL);
  atomic_store(&blocking, call);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
  pthread_mutex_lock(&lock);
  while (!is_inside)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);

  others();

  pthread_mutex_lock(&lock);
  may_return = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  CHECK(pthread_join(thread, NULL) == 0);
  if (run != run_trim)
    agpu__stream_pool_release(stream, NULL);
  printf("%s: others go on\n", call);
}

int main(void) {
  device.streams = agpu__stream_pool_create(STREAMS, STREAMS);
  device.events = agpu__event_pool_create();
  device.blocks = agpu__block_pool_create(SIZE_MAX, false);
  // There is something to take while more is created.
  go_on();

  block("cuStreamCreate", run_acquire, go_on_with_own);
  block("cuEventRecord", run_record, go_on_behind);
  block("cuEventRecord", run_settle, go_on_behind);
  block("cuEventRecord", run_forgo, go_on_behind);
  block("cuEventCreate", run_make, go_on);
  block("cuMemAlloc", run_alloc, go_on);
  block("cuMemFree", run_trim, go_on);
  block("cuEventDestroy", run_trim, go_on);
  block("cuStreamDestroy", run_trim, go_on);

  agpu__block_pool_destroy(device.blocks, &device);
  agpu__stream_pool_destroy(device.streams);
  agpu__event_pool_destroy(device.events);
  CHECK_EQ(gone, made);
  return 0;
}
