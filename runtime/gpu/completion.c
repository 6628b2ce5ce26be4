//===- completion.c - Learning that work has completed --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variable, read when the device starts:
//
//   ASYNC_GPU_COMPLETION   hostfunc (default): a host function is enqueued
//                          behind an event that someone on the host waits for,
//                          and wakes the thread; poll: the thread asks events,
//                          often at first, then less and less.
//
// A host function goes on the event's own stream, and only if the event is at
// the stream's end: behind later work it would come late, so such events are
// polled. Since host functions do not run once a context has failed, the
// thread also asks every 10 ms while it waits for one.
//
// Pending entries are kept per stream in the order of their positions, so that
// a round asks about the first of each stream, and goes on while those are
// done. A round asks about all objects, then all deferred functions, runs the
// functions that are due, and completes the objects last: a function whose
// event is before an object's is then due no later than the object.
//
//===----------------------------------------------------------------------===//

#include "gpu/completion.h"

#include "base/env.h"
#include "base/memory.h"
#include "base/park.h"
#include "base/thread.h"

#include <sched.h>
#include <time.h>

/// While a host function is to come.
#define REQUERY_NS (10 * 1000 * 1000)
/// Polling: rounds that only yield, then pauses that double.
#define YIELD_ROUNDS 64
#define MIN_PAUSE_NS 10000
#define MAX_PAUSE_NS 1000000

#define POKE AGPU__PARK_BIT(0)
#define STOP AGPU__PARK_BIT(1)

typedef struct entry {
  struct entry *next;
  agpu__event *event;  // one reference
  agpu_object *object; // one reference, or NULL:
  void (*function)(void *);
  void *argument;
  CUresult result; // once it is due
} entry;

typedef struct entry_list {
  entry *first, **last;
} entry_list;

/// What one stream has pending. The thread's alone.
typedef struct stream_entries {
  struct stream_entries *next;
  const agpu__pool_stream *stream;
  entry *objects, *functions; // by position
} stream_entries;

static const agpu__device *device;
static bool use_host_functions;
static pthread_t thread;
static agpu__parker parker; // the thread's
static pthread_mutex_t incoming_lock = PTHREAD_MUTEX_INITIALIZER;
static entry_list incoming; // under incoming_lock
// Entries that came and are not done. The thread sleeps without a limit only
// while there are none, so whoever adds the first wakes it.
static atomic_size_t pending;
static atomic_bool failed;
static stream_entries *streams; // the thread's

static void append(entry_list *list, entry *added) {
  added->next = NULL;
  *list->last = added;
  list->last = &added->next;
}

//===----------------------------------------------------------------------===//
// Requests, on any thread
//===----------------------------------------------------------------------===//

static void poke(void *unused) {
  (void)unused;
  agpu__parker_signal(&parker, POKE);
}

/// Puts a host function behind the event. True if it was put there by this
/// call; false if there is one already, or there will be none.
static bool announce(agpu__event *event) {
  // Relaxed, here and below: the flag chooses how to wait, the parker and the
  // driver order things.
  if (!use_host_functions ||
      atomic_exchange_explicit(&event->armed, true, memory_order_relaxed))
    return false;
  // Work that is enqueued this moment makes the poke late, not wrong.
  if (!event->result &&
      atomic_load_explicit(&event->stream->position, memory_order_relaxed) ==
          event->position) {
    agpu__device_enter(device);
    if (device->driver->cuLaunchHostFunc(event->stream->handle, poke, NULL) ==
        CUDA_SUCCESS)
      return true;
  }
  atomic_store_explicit(&event->armed, false, memory_order_relaxed);
  return false;
}

static void add(agpu__event *event, agpu_object *object,
                void (*function)(void *), void *argument) {
  entry *added =
      agpu__memory_alloc(sizeof *added, _Alignof(entry), "a completion");
  // One reference is the entry's, which the thread may finish with before this
  // function does with the event; the other keeps the event until then.
  *added = (entry){.event = agpu__event_retain(event),
                   .object = object,
                   .function = function,
                   .argument = argument};
  (void)agpu__event_retain(event);
  // An error is found again by whoever asks.
  agpu_status_release(agpu__event_record(event));
  bool first = atomic_fetch_add(&pending, 1) == 0;
  pthread_mutex_lock(&incoming_lock);
  append(&incoming, added);
  pthread_mutex_unlock(&incoming_lock);
  // A host function put there now pokes after the entry has come. One that was
  // there may have run before.
  bool announced = announce(event);
  if (first || !announced)
    agpu__parker_signal(&parker, POKE);
  agpu__event_release(event);
}

void agpu__completion_request(agpu__event *event, agpu_object *object) {
  add(event, object, NULL, NULL);
}

void agpu__completion_defer(agpu__event *event, void (*function)(void *),
                            void *argument) {
  add(event, NULL, function, argument);
}

bool agpu__completion_has_failed(void) {
  return atomic_load_explicit(&failed, memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

static stream_entries *get_entries(const agpu__pool_stream *stream) {
  stream_entries *found = streams;
  while (found && found->stream != stream)
    found = found->next;
  if (!found) {
    found = agpu__memory_alloc(sizeof *found, _Alignof(stream_entries),
                               "a stream's completions");
    *found = (stream_entries){.next = streams, .stream = stream};
    streams = found;
  }
  return found;
}

/// Moves what has come to its stream. True if there was anything.
static bool sort_incoming(void) {
  pthread_mutex_lock(&incoming_lock);
  entry *came = incoming.first;
  incoming.first = NULL;
  incoming.last = &incoming.first;
  pthread_mutex_unlock(&incoming_lock);
  bool any = came != NULL;
  while (came) {
    entry *next = came->next;
    stream_entries *of = get_entries(came->event->stream);
    entry **link = came->object ? &of->objects : &of->functions;
    while (*link && (*link)->event->position <= came->event->position)
      link = &(*link)->next;
    came->next = *link;
    *link = came;
    came = next;
  }
  return any;
}

/// CUDA_SUCCESS once the event has completed, CUDA_ERROR_NOT_READY before, or
/// the error that its work ended in.
static CUresult ask(agpu__event *event) {
  if (atomic_load_explicit(&event->complete, memory_order_relaxed))
    return CUDA_SUCCESS;
  if (event->result)
    return event->result;     // not even recorded
  agpu__device_enter(device); // should that have failed before
  CUresult result = device->driver->cuEventQuery(event->handle);
  if (result == CUDA_SUCCESS)
    atomic_store_explicit(&event->complete, true, memory_order_release);
  return result;
}

static void collect(entry **pending_entries, entry_list *due) {
  while (*pending_entries) {
    entry *head = *pending_entries;
    head->result = ask(head->event);
    if (head->result == CUDA_ERROR_NOT_READY)
      return;
    *pending_entries = head->next;
    append(due, head);
  }
}

static void complete(entry *due) {
  agpu_status status = AGPU_OK;
  if (due->result) {
    const agpu__op_name *last = &due->event->last;
    atomic_store_explicit(&failed, true, memory_order_relaxed);
    status = agpu__event_record(due->event);
    if (!status)
      status = agpu__driver_error(
          device->driver, due->result, last->location,
          last->kernel ? "work on the device up to the %s '%s' failed"
                       : "work on the device up to the %s%s failed",
          last->what, last->kernel ? last->kernel : "");
  }
  agpu__object_complete(due->object, status);
}

static void finish(entry *due) {
  agpu__event_release(due->event);
  agpu__memory_free(due);
  atomic_fetch_sub(&pending, 1);
}

/// Asks about what is pending and deals with what is due. True if anything was.
static bool run_round(void) {
  entry_list objects = {.last = &objects.first};
  entry_list functions = {.last = &functions.first};
  for (stream_entries *of = streams; of; of = of->next)
    collect(&of->objects, &objects);
  for (stream_entries *of = streams; of; of = of->next)
    collect(&of->functions, &functions);
  bool any = objects.first || functions.first;
  for (entry *due = functions.first, *next; due; due = next) {
    next = due->next;
    due->function(due->argument);
    finish(due);
  }
  for (entry *due = objects.first, *next; due; due = next) {
    next = due->next;
    complete(due);
    finish(due);
  }
  return any;
}

static bool is_announced(const entry *head) {
  return !head ||
         atomic_load_explicit(&head->event->armed, memory_order_relaxed);
}

/// True if a host function will tell when there is something to do.
static bool all_announced(void) {
  for (const stream_entries *of = streams; of; of = of->next)
    if (!is_announced(of->objects) || !is_announced(of->functions))
      return false;
  return true;
}

static void *run_thread(void *unused) {
  (void)unused;
  unsigned rounds = 0; // without anything to do
  int64_t pause_ns = MIN_PAUSE_NS;
  for (;;) {
    uint32_t bits = agpu__parker_poll(&parker);
    agpu__parker_clear(&parker, POKE);
    bool came = sort_incoming();
    if (run_round() || came) {
      rounds = 0;
      pause_ns = MIN_PAUSE_NS;
      continue;
    }
    if (bits & STOP)
      break;
    if (atomic_load(&pending) == 0) {
      (void)agpu__parker_wait(&parker, POKE | STOP);
    } else if (all_announced()) {
      (void)agpu__parker_wait_for(&parker, POKE | STOP, REQUERY_NS);
    } else if (rounds < YIELD_ROUNDS) {
      ++rounds;
      sched_yield();
    } else {
      (void)agpu__parker_wait_for(&parker, POKE | STOP, pause_ns);
      if (pause_ns < MAX_PAUSE_NS)
        pause_ns *= 2;
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

agpu_status agpu__completion_start(const agpu__device *of) {
  static const char *const names[] = {"hostfunc", "poll"};
  int mode;
  agpu_status status =
      agpu__env_get_choice("ASYNC_GPU_COMPLETION", names, 2, 0, &mode);
  if (status)
    return status;
  use_host_functions = mode == 0;
  device = of;
  incoming = (entry_list){.last = &incoming.first};
  atomic_store(&failed, false);
  agpu__parker_init(&parker);
  int error = agpu__thread_create(&thread, "agpu-completion", run_thread, NULL);
  if (error)
    return agpu_status_create(AGPU_STATUS_OUT_OF_RESOURCES, NULL,
                              "no thread for completions: error %d", error);
  return AGPU_OK;
}

bool agpu__completion_is_pending(void) { return atomic_load(&pending) != 0; }

void agpu__completion_drain(void) {
  struct timespec pause = {.tv_nsec = MIN_PAUSE_NS};
  while (atomic_load(&pending)) {
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < MAX_PAUSE_NS)
      pause.tv_nsec *= 2;
  }
}

void agpu__completion_stop(void) {
  agpu__parker_signal(&parker, STOP);
  pthread_join(thread, NULL);
  while (streams) {
    stream_entries *next = streams->next;
    agpu__memory_free(streams);
    streams = next;
  }
}
