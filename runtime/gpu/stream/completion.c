//===- completion.c - Learning that work has completed --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's answer is what counts: a host function says when to ask. It goes
// on the event's own stream, and only if the event is at the stream's end:
// after later work it would come late, so such events are polled. Since nothing
// runs on a stream once its context has failed, the thread also asks every 10
// ms about events that were announced.
//
// Pending entries are kept per stream in the order of their positions, so that
// a round asks about the first of each stream, and goes on while those are
// done. A round asks about all objects, then all deferred functions, gives the
// functions that are due to the helper, and completes the objects last: a
// function whose event is before an object's is then due no later than the
// object. An object that may follow a function which has not ended is held back
// until it has (clock.h). Who learns that an event has completed must not take
// that for the end of such a function, and looks whether there is any
// (agpu__event_is_past).
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/completion.h"

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/platform.h"
#include "base/os/thread.h"
#include "base/report/settings.h"
#include "base/sync/mutex.h"
#include "base/sync/park.h"
#include "base/sync/schedule.h"
#include "gpu/stream/pending.h"

#include <stddef.h>

/// While word of an event is to come.
#define REQUERY_NS (10 * 1000 * 1000)

/// The longest pause between two queries.
#define MAX_PAUSE_NS 1000000

/// What the thread's parker is signalled with: there may be something to do;
/// nothing will come any more.
#define POKE AGPU__PARK_BIT(0)
#define STOP AGPU__PARK_BIT(1)

/// In the order of the setting. AUTO, of GPUs: HOSTFUNC; who waits asks first.
typedef enum strategy { AUTO, HOSTFUNC, POLL, SPIN } strategy;

/// What trimming has come to.
enum { NOT_TRIMMED, IS_TRIMMING, TRIMMED_SOME, TRIMMED_ALL };

struct agpu__completion {
  strategy strategy;
  agpu__helper *helper;
  agpu__trim *trim;
  bool is_modelled;
  int64_t idle_ns; // 0: pools are never trimmed
  agpu__job trimming;
  // Of the last trimming, by the helper. Relaxed: it says when to look again.
  atomic_int trim_state;
  pthread_t thread;
  agpu__parker parker; // the thread's
  agpu__mutex incoming_lock;
  agpu__entry_list incoming AGPU__GUARDED_BY(incoming_lock);
  // Entries that came and are not done. The thread sleeps without a limit only
  // while there are none, so whoever adds the first wakes it.
  atomic_size_t pending;
  // A wait has gone by the thread; the thread has trimmed all and sleeps
  // without a limit. Who sets one then looks at the other: sequentially
  // consistent.
  atomic_bool is_used, is_at_rest;
  agpu__stream_entries *streams; // the thread's
  // The thread's: functions that the helper has, and objects that may follow
  // one of them.
  agpu__entry_list running, held;
};

//===----------------------------------------------------------------------===//
// Requests, on any thread
//===----------------------------------------------------------------------===//

static void poke(void *parker) { agpu__parker_signal(parker, POKE); }

/// Has a host function poke after the event. True if this call has; false if
/// another one has, or there will be none.
static bool announce(agpu__completion *self, agpu__event *event) {
  // Relaxed, here and below: the flag chooses how to wait, the parker and the
  // driver order things.
  if (self->strategy > HOSTFUNC ||
      atomic_exchange_explicit(&event->armed, true, memory_order_relaxed))
    return false;
  // Work that is enqueued this moment makes the word late, not wrong.
  if (!agpu__event_get_result(event) &&
      atomic_load_explicit(&event->stream->position, memory_order_relaxed) ==
          event->position) {
    agpu__device_enter(event->device);
    if (event->device->driver->cuLaunchHostFunc(event->stream->handle, poke,
                                                &self->parker) == CUDA_SUCCESS)
      return true;
  }
  atomic_store_explicit(&event->armed, false, memory_order_relaxed);
  return false;
}

static void add(agpu__event *event, agpu_object *object,
                agpu__deferred *function, void *argument) {
  agpu__completion *self = event->device->shared->completion;
  agpu__entry *added =
      agpu__memory_alloc(sizeof *added, _Alignof(agpu__entry), "a completion");
  // One reference is the entry's, which the thread may finish with before this
  // function does with the event; the other keeps the event until then.
  *added = (agpu__entry){.event = agpu__event_retain(event),
                         .object = object,
                         .function = function,
                         .argument = argument};
  (void)agpu__event_retain(event);
  // An error is found again by whoever asks.
  agpu_status_release(agpu__event_record(event));
  agpu__pass(AGPU__POINT_COMPLETION);
  bool first = atomic_fetch_add(&self->pending, 1) == 0;
  agpu__mutex_lock(&self->incoming_lock);
  agpu__entry_append(&self->incoming, added);
  agpu__mutex_unlock(&self->incoming_lock);
  // A host function put there now pokes after the entry has come. One that was
  // there may have run before.
  bool announced = announce(self, event);
  if (first || !announced)
    agpu__parker_signal(&self->parker, POKE);
  agpu__event_release(event);
}

static void release_work(agpu__work *work) {
  agpu__event_release(agpu__event_from_work(work));
}

static void request_work(agpu__work *work, agpu_object *object) {
  const agpu__device *device = agpu__event_from_work(work)->device;
  add(agpu__event_from_work(work), object, NULL, NULL);
  agpu__device_leave(device);
}

/// Without the thread: where nothing has to come before the word of it, and no
/// other device's failure is its own.
static bool wait_for_work(agpu__work *work) {
  agpu__event *event = agpu__event_from_work(work);
  const agpu__device *device = event->device;
  agpu__completion *self = device->shared->completion;
  if (event->foreign || event->error || self->strategy > HOSTFUNC)
    return false;
  // It trims what is not used any more some time after this.
  if (!atomic_load_explicit(&self->is_used, memory_order_relaxed))
    atomic_store(&self->is_used, true);
  if (atomic_load(&self->is_at_rest))
    agpu__parker_signal(&self->parker, POKE);
  agpu_status status = agpu__event_record(event);
  agpu__device_enter(device);
  // Also where it is known to be over: kernels' output is written here.
  bool is_over = !status &&
                 (self->strategy != AUTO || !agpu__event_ask(event)) &&
                 !device->driver->cuEventSynchronize(event->handle);
  if (is_over)
    atomic_store_explicit(&event->complete, true, memory_order_release);
  agpu__device_leave(device);
  agpu_status_release(status);
  return is_over && agpu__event_is_past(event);
}

static const agpu__work_ops event_ops = {
    .release = release_work, .request = request_work, .wait = wait_for_work};

void agpu__completion_defer(agpu__event *event, agpu__deferred *function,
                            void *argument) {
  // Before anyone can hear of work after it.
  atomic_fetch_add_explicit(&event->device->shared->deferred, 1,
                            memory_order_relaxed);
  add(event, NULL, function, argument);
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

/// Moves what has come to its stream. True if there was anything.
static bool sort_incoming(agpu__completion *self) {
  agpu__mutex_lock(&self->incoming_lock);
  agpu__entry *came = self->incoming.first;
  self->incoming.first = NULL;
  self->incoming.last = &self->incoming.first;
  agpu__mutex_unlock(&self->incoming_lock);
  bool any = came != NULL;
  while (came) {
    agpu__entry *next = came->next;
    agpu__pending_add(&self->streams, came);
    came = next;
  }
  return any;
}

/// CUDA_SUCCESS once the event has completed, CUDA_ERROR_NOT_READY before, or
/// the error that its work ended in.
static CUresult ask(agpu__event *event) {
  if (atomic_load_explicit(&event->complete, memory_order_relaxed))
    return CUDA_SUCCESS;
  CUresult result = agpu__event_get_result(event);
  if (result)
    return result; // not even recorded
  agpu__device_enter(event->device);
  result = event->device->driver->cuEventQuery(event->handle);
  // Work of other devices that it waited for counts as its own.
  for (uint64_t left = event->foreign; left && !result; left &= left - 1) {
    const agpu__device *device = atomic_load_explicit(
        &event->device->shared->open[__builtin_ctzll(left)],
        memory_order_acquire);
    result = device ? agpu__stream_pool_get_error(device) : CUDA_SUCCESS;
  }
  if (result == CUDA_SUCCESS) {
    atomic_store_explicit(&event->complete, true, memory_order_release);
    // This thread asks about a stream's events in the order of positions.
    if (event->foreign)
      atomic_store_explicit(&event->stream->fine_position, event->position,
                            memory_order_relaxed);
  }
  return result;
}

static bool is_announced(const agpu__entry *head) {
  return atomic_load_explicit(&head->event->armed, memory_order_relaxed);
}

static void collect(agpu__entry **pending_entries, agpu__entry_list *due) {
  while (*pending_entries) {
    agpu__entry *head = *pending_entries;
    head->result = ask(head->event);
    if (head->result == CUDA_ERROR_NOT_READY)
      return;
    *pending_entries = head->next;
    agpu__entry_append(due, head);
  }
}

/// What the work after the entry has come to.
static agpu_status get_status(const agpu__entry *due) {
  if (due->event->error)
    return agpu_status_retain(due->event->error);
  if (!due->result)
    return AGPU_OK;
  agpu_status status = agpu__event_record(due->event);
  return status ? status
                : agpu__driver_work_error(due->event->device->driver,
                                          due->result, &due->event->last);
}

static void finish(agpu__completion *self, agpu__entry *due) {
  agpu__event_release(due->event);
  agpu__memory_free(due);
  atomic_fetch_sub(&self->pending, 1);
}

static void complete(agpu__completion *self, agpu__entry *due) {
  if (due->result)
    agpu__stream_pool_tell_failure(due->event->device->streams);
  agpu__object_complete(due->object, get_status(due));
  finish(self, due);
}

/// On the helper's thread.
static void run_function(agpu__job *job) {
  agpu__entry *due = (agpu__entry *)((char *)job - offsetof(agpu__entry, job));
  agpu__shared *shared = due->event->device->shared;
  agpu__parker *parker = &shared->completion->parker;
  due->function(due->argument, get_status(due));
  // Release, with agpu__event_is_past.
  atomic_fetch_sub_explicit(&shared->deferred, 1, memory_order_release);
  atomic_store_explicit(&due->has_run, true, memory_order_release);
  agpu__parker_signal(parker, POKE);
}

/// Whether the object may follow a function that the helper has.
static bool has_to_wait(const agpu__completion *self, const agpu__entry *due) {
  for (const agpu__entry *of = self->running.first; of; of = of->next)
    if (agpu__event_may_follow(due->event, of->event))
      return true;
  return false;
}

/// True if the helper is done with any function.
static bool finish_functions(agpu__completion *self) {
  bool any = false;
  agpu__entry *of = self->running.first;
  agpu__entry_list_init(&self->running);
  for (agpu__entry *next; of; of = next) {
    next = of->next;
    if (atomic_load_explicit(&of->has_run, memory_order_acquire)) {
      finish(self, of);
      any = true;
    } else {
      agpu__entry_append(&self->running, of);
    }
  }
  return any;
}

/// Before the program hears of what is due: has the driver write what kernels
/// have printed, which it does where it synchronises, and not where it is
/// asked. The results are known, so that nothing is waited for.
static void write_output(agpu__entry *due) {
  uint64_t written = 0; // devices
  for (; due; due = due->next) {
    const agpu__device *device = due->event->device;
    uint64_t bit = agpu__device_bit(device);
    if (written & bit || !agpu__stream_pool_has_output(device->streams) ||
        agpu__event_get_result(due->event))
      continue;
    written |= bit;
    agpu__device_enter(device);
    CUresult result = device->driver->cuEventSynchronize(due->event->handle);
    if (!due->result)
      due->result = result;
  }
}

/// Asks about what is pending and deals with what is due. True if anything was.
static bool run_round(agpu__completion *self) {
  bool any = finish_functions(self);
  // Those that were held back come first.
  agpu__entry_list objects;
  agpu__entry_list_init(&objects);
  if (any && self->held.first) {
    objects = self->held;
    agpu__entry_list_init(&self->held);
  }
  agpu__entry_list functions;
  agpu__entry_list_init(&functions);
  for (agpu__stream_entries *of = self->streams; of; of = of->next)
    collect(&of->objects, &objects);
  for (agpu__stream_entries *of = self->streams; of; of = of->next)
    collect(&of->functions, &functions);
  any |= objects.first || functions.first;
  write_output(objects.first);
  for (agpu__entry *due = functions.first, *next; due; due = next) {
    next = due->next;
    agpu__entry_append(&self->running, due);
    due->job.run = run_function;
    agpu__helper_give(self->helper, &due->job);
  }
  for (agpu__entry *due = objects.first, *next; due; due = next) {
    next = due->next;
    if (has_to_wait(self, due))
      agpu__entry_append(&self->held, due);
    else
      complete(self, due);
  }
  return any;
}

/// True if a poke will tell when there is something to do.
static bool will_be_poked(const agpu__completion *self) {
  for (const agpu__stream_entries *of = self->streams; of; of = of->next)
    if ((of->objects && !is_announced(of->objects)) ||
        (of->functions && !is_announced(of->functions)))
      return false;
  return true;
}

/// On the helper's thread.
static void run_trim(agpu__job *job) {
  agpu__completion *self =
      (agpu__completion *)((char *)job - offsetof(agpu__completion, trimming));
  atomic_store_explicit(&self->trim_state,
                        self->trim() ? TRIMMED_ALL : TRIMMED_SOME,
                        memory_order_release); // then it may be given again
}

/// With nothing pending: sleeps until something comes. A pool that is used once
/// more is looked at once more.
static void rest(agpu__completion *self) {
  bool is_given = false;
  while (self->idle_ns) {
    if (agpu__parker_wait_for(&self->parker, POKE | STOP, self->idle_ns))
      return;
    agpu__pending_free(&self->streams); // of streams that go, too
    int state = atomic_load_explicit(&self->trim_state, memory_order_acquire);
    if (state == IS_TRIMMING)
      continue;
    bool is_used = atomic_exchange(&self->is_used, false);
    if (is_given && state == TRIMMED_ALL && !is_used)
      break;
    is_given = true;
    atomic_store_explicit(&self->trim_state, IS_TRIMMING, memory_order_relaxed);
    self->trimming.run = run_trim;
    agpu__helper_give(self->helper, &self->trimming);
  }
  atomic_store(&self->is_at_rest, self->idle_ns != 0);
  if (!self->idle_ns || !atomic_load(&self->is_used))
    (void)agpu__parker_wait(&self->parker, POKE | STOP);
  atomic_store(&self->is_at_rest, false);
}

static void *run_thread(void *argument) {
  agpu__completion *self = argument;
  unsigned rounds = 0; // without anything to do
  for (;; agpu__pass(AGPU__POINT_COMPLETION)) {
    uint32_t bits = agpu__parker_poll(&self->parker);
    agpu__parker_clear(&self->parker, POKE);
    bool came = sort_incoming(self);
    if (run_round(self) || came) {
      rounds = 0;
      continue;
    }
    if (bits & STOP)
      break;
    if (atomic_load(&self->pending) == 0)
      rest(self);
    else if (will_be_poked(self))
      // Under a model, time that this machine takes is no reason to ask.
      while (!agpu__parker_wait_for(&self->parker, POKE | STOP, REQUERY_NS) &&
             self->is_modelled && !agpu__stray(AGPU__POINT_COMPLETION))
        continue;
    else if (self->strategy == SPIN)
      agpu__pause();
    else
      agpu__parker_pause(&self->parker, POKE | STOP, rounds++, MAX_PAUSE_NS);
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

agpu_status agpu__completion_create(agpu__shared *shared, agpu__trim *trim,
                                    bool is_emu) {
  int choice;
  int64_t idle_ms;
  agpu_status status = agpu__setting_word(AGPU__SETTING_COMPLETION, &choice);
  if (!status)
    status = agpu__setting_integer(AGPU__SETTING_IDLE_MS, &idle_ms);
  if (status)
    return status;
  agpu__completion *self = agpu__memory_alloc(
      sizeof *self, _Alignof(agpu__completion), "the completion thread");
  if (is_emu && choice == AUTO)
    choice = HOSTFUNC;
  // How long a thread sleeps by this machine's clock is nothing to a model.
  bool is_modelled = is_emu && agpu__setting_text(AGPU__SETTING_EMU_MODEL);
  *self = (agpu__completion){.strategy = (enum strategy)choice,
                             .trim = trim,
                             .is_modelled = is_modelled,
                             .idle_ns = is_modelled ? 0 : idle_ms * 1000000};
  agpu__mutex_init(&self->incoming_lock, AGPU__RANK_COMPLETION);
  agpu__entry_list_init(&self->incoming);
  agpu__entry_list_init(&self->running);
  agpu__entry_list_init(&self->held);
  self->helper = agpu__helper_create();
  agpu__parker_init(&self->parker);
  int error =
      agpu__thread_create(&self->thread, "agpu-completion", run_thread, self);
  if (error) {
    agpu__helper_destroy(self->helper);
    agpu__memory_free(self);
    return agpu_status_create(AGPU_STATUS_OUT_OF_RESOURCES, NULL,
                              "no thread for completions: error %d", error);
  }
  agpu__parker_await_owner(&self->parker);
  shared->completion = self;
  shared->event_ops = &event_ops;
  // One that interrupts takes 2 us more to record (an H200, driver 580).
  shared->event_flags = CU_EVENT_DISABLE_TIMING;
  if (choice == HOSTFUNC)
    shared->event_flags |= CU_EVENT_BLOCKING_SYNC;
  return AGPU_OK;
}

bool agpu__completion_is_pending(agpu__completion *self) {
  return atomic_load(&self->pending) != 0;
}

void agpu__completion_drain(agpu__completion *self) {
  int64_t pause_ns = 10000;
  while (atomic_load(&self->pending))
    agpu__clock_pause(&pause_ns);
}

void agpu__completion_destroy(agpu__completion *self) {
  agpu__parker_signal(&self->parker, STOP);
  agpu__pass_sleep(self);
  pthread_join(self->thread, NULL);
  agpu__helper_destroy(self->helper);
  agpu__pending_free(&self->streams);
  agpu__mutex_destroy(&self->incoming_lock);
  agpu__memory_free(self);
}
