//===- calibrate_calls.c - What calls and waits take ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls are timed by the host, many one after the other on a device that is
// idle before them, and few enough that no queue of the driver is full. Waits
// are timed beside a thread that spins on memory of the host, which a kernel
// writes last of all: from there to where the host goes on.
//
//===----------------------------------------------------------------------===//

#include "calibrate.h"

#include "base/os/clock.h"
#include "driver_api/values.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

enum { CALLS = 64 };

/// What the calls of this part work on.
typedef struct with {
  const calibrate *of;
  CUstream other;
  CUevent event;
  CUdeviceptr memory[CALLS];
  void *host;
  int nodes;
  CUgraph graph;
  CUgraphNode node[1024];
  CUgraphExec exec;
} with;

typedef void (*call_fn)(with *w, int i);

/// Adds what one of `calls` calls takes; `before` and `after` are not timed.
static void time_calls(with *w, const char *name, int calls, call_fn call,
                       call_fn before, call_fn after) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(w->of, CALIBRATE_SAMPLES);
  for (int sample = -1; sample < count; ++sample) {
    for (int i = 0; before && i < calls; ++i)
      before(w, i);
    CU(cuStreamSynchronize(w->of->stream));
    CU(cuStreamSynchronize(w->other));
    int64_t begin = agpu__clock_now_ns();
    for (int i = 0; i < calls; ++i)
      call(w, i);
    double taken = (double)(agpu__clock_now_ns() - begin);
    CU(cuStreamSynchronize(w->of->stream));
    for (int i = 0; after && i < calls; ++i)
      after(w, i);
    CU(cuStreamSynchronize(w->of->stream));
    if (sample >= 0)
      samples[sample] = taken / calls;
  }
  calibrate_add(name, samples, count);
}

static void call_launch(with *w, int i) {
  (void)i;
  CU(cuLaunchKernel(w->of->empty, 1, 1, 1, 32, 1, 1, 0, w->of->stream, NULL,
                    NULL));
}

static void call_copy(with *w, int i) {
  (void)i;
  CU(cuMemcpyAsync(w->of->out, (CUdeviceptr)(uintptr_t)w->host, 4096,
                   w->of->stream));
}

static void call_copy_back(with *w, int i) {
  (void)i;
  CU(cuMemcpyAsync((CUdeviceptr)(uintptr_t)w->host, w->of->out, 4096,
                   w->of->stream));
}

static void call_fill(with *w, int i) {
  (void)i;
  CU(cuMemsetD32Async(w->of->out, 0, 1024, w->of->stream));
}

static void call_record(with *w, int i) {
  (void)i;
  CU(cuEventRecord(w->event, w->of->stream));
}

static void call_wait(with *w, int i) {
  (void)i;
  CU(cuStreamWaitEvent(w->other, w->event, 0));
}

static void call_event_query(with *w, int i) {
  (void)i;
  CU(cuEventQuery(w->event));
}

static void call_stream_query(with *w, int i) {
  (void)i;
  CU(cuStreamQuery(w->of->stream));
}

static void call_synchronize(with *w, int i) {
  (void)i;
  CU(cuStreamSynchronize(w->of->stream));
}

static void call_event_synchronize(with *w, int i) {
  (void)i;
  CU(cuEventSynchronize(w->event));
}

static void call_get_current(with *w, int i) {
  CUcontext context;
  (void)w;
  (void)i;
  CU(cuCtxGetCurrent(&context));
}

static void call_get_attribute(with *w, int i) {
  int value;
  (void)i;
  CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
                          w->of->device));
}

static void call_alloc_async(with *w, int i) {
  CU(cuMemAllocAsync(&w->memory[i], 1 << 16, w->of->stream));
}

static void call_free_async(with *w, int i) {
  CU(cuMemFreeAsync(w->memory[i], w->of->stream));
}

static void call_alloc(with *w, int i) {
  CU(cuMemAlloc(&w->memory[i], 1 << 21));
}

static void call_free(with *w, int i) { CU(cuMemFree(w->memory[i])); }

static void do_nothing(void *unused) { (void)unused; }

static void call_host_function(with *w, int i) {
  (void)i;
  CU(cuLaunchHostFunc(w->of->stream, do_nothing, NULL));
}

static void call_alloc_host(with *w, int i) {
  (void)i;
  CU(cuMemHostAlloc(&w->host, 1 << 20, CU_MEMHOSTALLOC_PORTABLE));
}

static void call_free_host(with *w, int i) {
  (void)i;
  CU(cuMemFreeHost(w->host));
}

static CUDA_KERNEL_NODE_PARAMS describe_node(const with *w) {
  return (CUDA_KERNEL_NODE_PARAMS){.func = w->of->empty,
                                   .gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 32,
                                   .blockDimY = 1,
                                   .blockDimZ = 1};
}

static void call_add_node(with *w, int i) {
  CUDA_KERNEL_NODE_PARAMS params = describe_node(w);
  CU(cuGraphAddKernelNode(&w->node[i], w->graph, i ? &w->node[i - 1] : NULL,
                          i != 0, &params));
}

static void call_set_node(with *w, int i) {
  CUDA_KERNEL_NODE_PARAMS params = describe_node(w);
  CU(cuGraphExecKernelNodeSetParams(w->exec, w->node[i], &params));
}

static void call_launch_graph(with *w, int i) {
  (void)i;
  CU(cuGraphLaunch(w->exec, w->of->stream));
}

static void make_graph(with *w, int i) {
  if (i == 0)
    CU(cuGraphCreate(&w->graph, 0));
}

static void fill_graph(with *w, int i) {
  make_graph(w, i);
  for (int k = 0; k < w->nodes; ++k)
    call_add_node(w, k);
}

static void end_graph(with *w, int i) {
  if (i == 0)
    CU(cuGraphDestroy(w->graph));
}

static void call_instantiate(with *w, int i) {
  (void)i;
  CU(cuGraphInstantiate(&w->exec, w->graph, 0));
}

static void end_exec(with *w, int i) {
  CU(cuGraphExecDestroy(w->exec));
  end_graph(w, i);
}

static void time_graphs(with *w) {
  static const int sizes[] = {1, 10, 100, 1000};
  char name[48];
  if (!cuGraphCreate || !cuGraphAddKernelNode || !cuGraphInstantiate ||
      !cuGraphExecKernelNodeSetParams || !cuGraphLaunch)
    return;
  time_calls(w, "graph_add_node", CALLS, call_add_node, make_graph, end_graph);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    w->nodes = sizes[i];
    (void)snprintf(name, sizeof name, "graph_instantiate/%d", sizes[i]);
    time_calls(w, name, 1, call_instantiate, fill_graph, end_exec);
    fill_graph(w, 0);
    call_instantiate(w, 0);
    (void)snprintf(name, sizeof name, "graph_call/%d", sizes[i]);
    time_calls(w, name, 4, call_launch_graph, NULL, NULL);
    if (sizes[i] == 100)
      time_calls(w, "graph_set_node", CALLS, call_set_node, NULL, NULL);
    end_exec(w, 0);
  }
}

void calibrate_calls(const calibrate *self) {
  static with w;
  w = (with){.of = self};
  CU(cuStreamCreate(&w.other, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&w.event, CU_EVENT_DISABLE_TIMING));
  CU(cuMemHostAlloc(&w.host, 1 << 20, CU_MEMHOSTALLOC_PORTABLE));
  time_calls(&w, "launch_call", CALLS, call_launch, NULL, NULL);
  time_calls(&w, "copy_call", CALLS, call_copy, NULL, NULL);
  time_calls(&w, "copy_back_call", CALLS, call_copy_back, NULL, NULL);
  time_calls(&w, "fill_call", CALLS, call_fill, NULL, NULL);
  time_calls(&w, "record_call", CALLS, call_record, NULL, NULL);
  time_calls(&w, "wait_call", CALLS, call_wait, NULL, NULL);
  time_calls(&w, "host_function_call", CALLS, call_host_function, NULL, NULL);
  time_calls(&w, "event_query_call", CALLS, call_event_query, NULL, NULL);
  time_calls(&w, "stream_query_call", CALLS, call_stream_query, NULL, NULL);
  time_calls(&w, "synchronize_idle", CALLS, call_synchronize, NULL, NULL);
  time_calls(&w, "event_synchronize_idle", CALLS, call_event_synchronize, NULL,
             NULL);
  time_calls(&w, "get_current_call", CALLS, call_get_current, NULL, NULL);
  time_calls(&w, "get_attribute_call", CALLS, call_get_attribute, NULL, NULL);
  CU(cuMemFreeHost(w.host));
  time_calls(&w, "alloc_host_call", 1, call_alloc_host, NULL, call_free_host);
  time_calls(&w, "alloc_call", 8, call_alloc, NULL, call_free);
  time_calls(&w, "free_call", 8, call_free, call_alloc, NULL);
  if (cuMemAllocAsync && cuMemFreeAsync) {
    time_calls(&w, "alloc_async_call", CALLS, call_alloc_async, NULL,
               call_free_async);
    time_calls(&w, "free_async_call", CALLS, call_free_async, call_alloc_async,
               NULL);
  }
  time_graphs(&w);
  CU(cuEventDestroy(w.event));
  CU(cuStreamDestroy(w.other));
}

//===----------------------------------------------------------------------===//
// Latencies
//===----------------------------------------------------------------------===//

/// What ends a trip.
typedef enum trip_end { STORE, SYNCHRONIZE, BLOCKING } trip_end;

/// A kernel that spins for `ns` and then writes to the host's memory. Gives the
/// nanoseconds from the end of its launch until the host sees that, or goes on
/// behind its wait; `*out_call` is what the launch took.
static double make_trip(const calibrate *self, CUevent event, double ns,
                        trip_end how, double *out_call) {
  static int32_t value;
  int32_t rounds = ns > 0 ? (int32_t)(ns * self->spin_rate) + 1 : 0;
  CUdeviceptr cells = (CUdeviceptr)(uintptr_t)self->cells;
  ++value;
  void *params[] = {&cells, &value, &rounds};
  int64_t begin = agpu__clock_now_ns();
  calibrate_start(self, self->stream,
                  &(calibrate_launch){self->spin, 1, 1, 0, params});
  int64_t called = agpu__clock_now_ns();
  if (how == STORE) {
    while (__atomic_load_n(self->cells, __ATOMIC_ACQUIRE) != value)
      ;
  } else if (how == SYNCHRONIZE) {
    CU(cuStreamSynchronize(self->stream));
  } else {
    CU(cuEventRecord(event, self->stream));
    CU(cuEventSynchronize(event));
  }
  int64_t end = agpu__clock_now_ns();
  CU(cuStreamSynchronize(self->stream));
  *out_call = (double)(called - begin);
  return (double)(end - called);
}

static void add_trips(const calibrate *self, const char *name, double ns,
                      trip_end how) {
  double samples[CALIBRATE_SAMPLES], call;
  int count = calibrate_samples(self, CALIBRATE_SAMPLES);
  CUevent event;
  CU(cuEventCreate(&event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING));
  for (int i = -3; i < count; ++i) {
    double taken = make_trip(self, event, ns, how, &call);
    if (i >= 0)
      samples[i] = taken;
  }
  CU(cuEventDestroy(event));
  calibrate_add(name, samples, count);
}

/// By events around it, the first of which is reached when it is recorded: the
/// launch, its latency on an idle device, and an empty kernel.
static void add_idle_launch(const calibrate *self) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, CALIBRATE_SAMPLES);
  const calibrate_launch empty = {self->empty, 1, 32, 0, NULL};
  for (int i = -3; i < count; ++i) {
    CU(cuEventRecord(self->begin, self->stream));
    calibrate_start(self, self->stream, &empty);
    CU(cuEventRecord(self->end, self->stream));
    CU(cuStreamSynchronize(self->stream));
    float milliseconds = 0;
    CU(cuEventElapsedTime(&milliseconds, self->begin, self->end));
    if (i >= 0)
      samples[i] = (double)milliseconds * 1e6;
  }
  calibrate_add("idle_launch", samples, count);
}

static void note_time(void *at) {
  atomic_store((atomic_int_least64_t *)at, agpu__clock_now_ns());
}

/// From the end of the call to the function's begin, on an idle device, and
/// behind a kernel that ends meanwhile.
static void add_host_function(const calibrate *self, const char *name,
                              double ns) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, CALIBRATE_SAMPLES);
  for (int i = -3; i < count; ++i) {
    atomic_int_least64_t at = 0;
    int64_t called = 0;
    if (ns > 0) {
      calibrate_block(self, self->stream, ns);
      called = agpu__clock_now_ns();
    }
    CU(cuLaunchHostFunc(self->stream, note_time, &at));
    if (!called)
      called = agpu__clock_now_ns();
    CU(cuStreamSynchronize(self->stream));
    if (i >= 0)
      samples[i] = (double)(atomic_load(&at) - called);
  }
  calibrate_add(name, samples, count);
}

/// A thread that sleeps until another one wakes it.
typedef struct sleeper {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int wanted, seen;
  int64_t woken;
} sleeper;

static void *sleep_until_woken(void *of) {
  sleeper *self = of;
  pthread_mutex_lock(&self->lock);
  while (self->wanted >= 0) {
    while (self->wanted == self->seen)
      pthread_cond_wait(&self->changed, &self->lock);
    self->woken = agpu__clock_machine_ns();
    self->seen = self->wanted;
    pthread_cond_broadcast(&self->changed);
  }
  pthread_mutex_unlock(&self->lock);
  return NULL;
}

/// By the clock of the machine: the host's system alone decides it.
static void add_wake(const calibrate *self) {
  enum { REST_US = 300 };
  double samples[CALIBRATE_SAMPLES];
  sleeper other = {.lock = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER};
  pthread_t thread;
  (void)self;
  bench_check(pthread_create(&thread, NULL, sleep_until_woken, &other) == 0,
              "no thread to wake");
  for (int i = 0; i < CALIBRATE_SAMPLES; ++i) {
    usleep(REST_US);
    pthread_mutex_lock(&other.lock);
    ++other.wanted;
    int64_t begin = agpu__clock_machine_ns();
    pthread_cond_broadcast(&other.changed);
    while (other.seen != other.wanted)
      pthread_cond_wait(&other.changed, &other.lock);
    samples[i] = (double)(other.woken - begin);
    pthread_mutex_unlock(&other.lock);
  }
  pthread_mutex_lock(&other.lock);
  other.wanted = -1;
  pthread_cond_broadcast(&other.changed);
  pthread_mutex_unlock(&other.lock);
  pthread_join(thread, NULL);
  calibrate_add("wake", samples, CALIBRATE_SAMPLES);
}

void calibrate_latencies(const calibrate *self) {
  enum { LONG_NS = 100000 };
  add_idle_launch(self);
  add_trips(self, "launch_to_store", 0, STORE);
  add_trips(self, "launch_to_synchronize", 0, SYNCHRONIZE);
  add_trips(self, "long_to_store", LONG_NS, STORE);
  add_trips(self, "long_to_synchronize", LONG_NS, SYNCHRONIZE);
  add_trips(self, "long_to_blocking", LONG_NS, BLOCKING);
  add_host_function(self, "host_function", 0);
  add_host_function(self, "long_to_host_function", LONG_NS);
  add_wake(self);
}
