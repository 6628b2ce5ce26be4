//===- progress.c - The thread that requests end on -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// None waits in the library. Threads of the executor that wait test the
// requests that have begun (running.c), where the library lets any thread call
// it: then what a message was waited for by is on the CPU already, and no
// thread has to be woken.
//
// One thread more does so when none of them does. It sleeps while there are no
// requests, and between tests that find nothing it pauses as the thread that
// learns of events does. While others test it naps and tests nothing (rest.c);
// who goes to sleep pokes it.
//
// Requests that have begun are added to those that run (running.c), others to a
// list of the thread's. It starts those: the first and last of a program, and
// all of them where the library lets one thread call it at a time.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "async/lifecycle.h"
#include "async_gpu/compiled/mpi.h"
#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/sync/mutex.h"
#include "exec/executor.h"
#include "exec/watch.h"
#include "gpu/process/devices.h"
#include "mpi/blocking.h"
#include "mpi/deadlock.h"
#include "mpi/modelled.h"
#include "mpi/rest.h"
#include "mpi/running.h"
#include "mpi/trace.h"

static struct {
  agpu__mutex lock;
  agpu__condition idle; // nothing is pending
  atomic_bool runs;     // changes under the lock
  pthread_t thread AGPU__GUARDED_BY(lock);
  agpu__mpi_request *incoming, **incoming_end AGPU__GUARDED_BY(lock);
  // Sends and collective operations that have not begun: they begin in this
  // order, though what some of them send is still being copied.
  agpu__mutex queue_lock;
  agpu__mpi_request *queued AGPU__GUARDED_BY(queue_lock);
  bool is_starting AGPU__GUARDED_BY(queue_lock);
  atomic_size_t unstarted; // that were in the queue, and have not begun
  atomic_int draining;     // threads that wait for the end of the last

  agpu__mpi_request *finalize; // the thread's: waits for all others, or NULL
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_PROGRESS),
          .queue_lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_QUEUE)};

/// Nothing is pending, at some time.
static void wake_drain(void) {
  if (!atomic_load(&self.draining))
    return;
  agpu__mutex_lock(&self.lock);
  agpu__condition_broadcast(&self.idle);
  agpu__mutex_unlock(&self.lock);
}

/// Of requests that have ended. True if there are any.
static bool end_all(agpu__mpi_request *request) {
  bool any = request != NULL;
  while (request) {
    agpu__mpi_request *next = request->next;
    agpu__mpi_request_end(request);
    request = next;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Threads that wait
//===----------------------------------------------------------------------===//

/// Tests in vain before a thread yields. Where the library does so in each of
/// them, one more yield would be the turn of every other rank on this CPU.
enum { PACE = 4, PACE_OF_YIELDS = 64 };

static uint32_t ask(bool leaves) {
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  if (!agpu__mpi_pending() || agpu__mpi_is_modelled())
    return 0;
  if (leaves)
    agpu__mpi_rest_poke();
  if (leaves ||
      atomic_load_explicit(&world->phase, memory_order_acquire) !=
          AGPU__MPI_UP ||
      !world->is_multiple)
    return 0;
  if (!agpu__mpi_running_try_claim())
    return PACE; // another thread tests, and may yield in the library
  agpu__mpi_rest_note_test();
  agpu__mpi_request *ended = agpu__mpi_running_test();
  agpu__mpi_running_disclaim();
  (void)end_all(ended);
  const bool *yields = world->library.yields;
  return yields && *yields ? PACE_OF_YIELDS : PACE;
}

/// The first look may yield, and the next one sees what has come meanwhile.
enum { LOOKS = 8 };

bool agpu_mpi_is_ready_soon(agpu_object *object) {
  // A trace has what a region waits for only where it is suspended.
  if (!agpu__mpi_pending() || agpu__trace_on() || agpu__exec_has_more())
    return false;
  int looks = 0;
  while (looks++ < LOOKS && ask(/*leaves=*/false) &&
         !agpu__object_has_ended(object))
    ;
  return agpu__object_has_ended(object);
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

static agpu__mpi_request *take_incoming(void) {
  agpu__mutex_lock(&self.lock);
  agpu__mpi_request *first = self.incoming;
  self.incoming = NULL;
  self.incoming_end = &self.incoming;
  agpu__mutex_unlock(&self.lock);
  return first;
}

static bool start_incoming(void) {
  agpu__mpi_request *request = take_incoming();
  bool any = request != NULL;
  while (request) {
    agpu__mpi_request *next = request->next;
    if (request->operation == &agpu__mpi_operation_finalize)
      self.finalize = request;
    else if (agpu__mpi_call(request) == AGPU__MPI_RUNS)
      agpu__mpi_running_add(request);
    else
      agpu__mpi_request_end(request);
    request = next;
  }
  return any;
}

/// Claims the requests, unless another thread tests them: that may yield within
/// the library, and to yield in turn until it is done would take as many
/// switches of threads as it waits for other ranks.
static bool claim(agpu__mpi_round *round) {
  bool claimed = agpu__mpi_running_try_claim();
  round->others_test |= !claimed;
  return claimed;
}

/// Whether what the ranks tell each other of waits needs the thread soon.
static bool step_deadlock(agpu__mpi_round *round) {
  if (!claim(round))
    return false;
  agpu__mpi_waits waits = {.finalize = self.finalize,
                           .visit_calls = agpu__mpi_blocking_visit};
  waits.requests = agpu__mpi_running_all(&waits.count);
  bool listens = agpu__mpi_deadlock_step(&waits);
  agpu__mpi_running_disclaim();
  return listens;
}

static bool test_some(agpu__mpi_round *round) {
  if (round->others_test || !claim(round))
    return false;
  agpu__mpi_request *ended = agpu__mpi_running_test();
  agpu__mpi_running_disclaim();
  return end_all(ended);
}

/// Ends the last request, if it is time. True if it was.
static bool finish(bool is_up) {
  if (!self.finalize || agpu__mpi_pending_of_program() ||
      (is_up && agpu__the_mpi_world.is_ours && !agpu__mpi_deadlock_finish()))
    return false;
  agpu__mpi_request *finalize = self.finalize;
  self.finalize = NULL;
  (void)agpu__mpi_call(finalize);
  agpu__mpi_request_end(finalize);
  return true;
}

/// Waits for what is over in modelled time. False: nothing is modelled, now.
static bool await_modelled(agpu__mpi_round *round) {
  if (!agpu__mpi_is_modelled())
    return false;
  if (self.finalize && !agpu__mpi_pending_of_program())
    agpu__mpi_modelled_finalize(self.finalize);
  agpu__mpi_request *request = round->stops ? NULL : agpu__mpi_modelled_await();
  bool is_last = request && request == self.finalize;
  if (round->stops || is_last)
    agpu__mpi_modelled_leave();
  // It does not sleep until that is over: who wakes it would take time.
  while (is_last && !finish(true))
    (void)step_deadlock(round);
  if (request && !is_last)
    agpu__mpi_request_end(request);
  else if (!request)
    (void)step_deadlock(round);
  return true;
}

static void *run_thread(void *unused) {
  (void)unused;
  agpu__mpi_round round = {0};
  for (;;) {
    agpu__mpi_rest_begin(&round);
    bool any = start_incoming();
    if (await_modelled(&round))
      continue;
    any |= test_some(&round);
    bool is_up = atomic_load(&agpu__the_mpi_world.phase) == AGPU__MPI_UP;
    bool listens = is_up && step_deadlock(&round);
    any |= finish(is_up);
    if (any) {
      round.in_vain = 0;
      continue;
    }
    if (round.stops)
      return NULL;
    agpu__mpi_rest(&round, listens);
  }
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static void drain(void) {
  agpu__mutex_lock(&self.lock);
  atomic_fetch_add(&self.draining, 1);
  while (agpu__mpi_pending())
    if (!agpu__condition_wait_for(&self.idle, &self.lock,
                                  AGPU__NS_PER_SECOND)) {
      agpu__mutex_unlock(&self.lock);
      agpu__exec_look();
      agpu__mutex_lock(&self.lock);
    }
  atomic_fetch_sub(&self.draining, 1);
  agpu__mutex_unlock(&self.lock);
}

/// All threads wait for messages.
static void hear_of_rest(uint64_t rises) {
  agpu__mpi_deadlock_note(rises);
  agpu__mpi_rest_poke();
}

/// Where one thread alone may call the library, it stays until it has ended
/// that.
static void shut_down(void) {
  agpu__mpi_world *world = &agpu__the_mpi_world;
  if (atomic_exchange(&world->ends_with_runtime, false) &&
      atomic_load(&world->phase) == AGPU__MPI_UP) {
    agpu__mpi_request *request = agpu__mpi_request_create(
        &agpu__mpi_operation_finalize, NULL, NULL, NULL);
    agpu_object *object = request->object;
    agpu__mpi_submit(request);
    drain();
    agpu__object_release(object, 1);
  }
  agpu__mutex_lock(&self.lock);
  bool stop =
      atomic_load(&self.runs) &&
      (world->is_multiple || atomic_load(&world->phase) != AGPU__MPI_UP);
  pthread_t thread = self.thread;
  if (stop)
    atomic_store(&self.runs, false);
  agpu__mutex_unlock(&self.lock);
  if (!stop)
    return;
  agpu__mpi_rest_stop();
  (void)pthread_join(thread, NULL);
  agpu__mpi_running_free();
}

/// The child has none of the parent's requests, and may not call the library.
static void forget(void) {
  agpu__mutex_init(&self.lock, AGPU__RANK_MPI_PROGRESS);
  agpu__mutex_init(&self.queue_lock, AGPU__RANK_MPI_QUEUE);
  self.queued = NULL;
  self.is_starting = false;
  atomic_store(&self.unstarted, 0);
  atomic_store(&self.runs, false);
  self.incoming = NULL;
  self.incoming_end = &self.incoming;
  agpu__mpi_blocking_forget();
  self.finalize = NULL;
  agpu__mpi_running_forget();
  agpu__mpi_pending_forget();
  agpu__mpi_rest_init();
  atomic_store(&self.draining, 0);
  atomic_store(&agpu__the_mpi_world.is_modelled, false);
  atomic_store(&agpu__the_mpi_world.phase, AGPU__MPI_AFTER);
}

static const agpu__outside_life life = {.drain = drain,
                                        .is_pending = agpu__mpi_pending,
                                        .shutdown = shut_down,
                                        .forget = forget,
                                        .hear_of_rest = hear_of_rest};

/// False where the system gives no thread.
static bool ensure_thread(void) AGPU__REQUIRES(self.lock) {
  if (atomic_load(&self.runs))
    return true;
  agpu__set_message_life(&life);
  agpu__exec_set_source(ask);
  agpu__condition_init(&self.idle);
  agpu__mpi_pending_set_notify(wake_drain);
  agpu__mpi_rest_init();
  self.incoming_end = &self.incoming;
  if (agpu__thread_create(&self.thread, "agpu-mpi", run_thread, NULL) != 0)
    return false;
  atomic_store(&self.runs, true);
  return true;
}

//===----------------------------------------------------------------------===//
// Submitting. Any thread.
//===----------------------------------------------------------------------===//

/// No thread can be had: there is nobody to see to the request's end.
static void end_without_thread(agpu__mpi_request *request) {
  request->failure = agpu_status_create(
      AGPU_STATUS_OUT_OF_RESOURCES, request->location,
      "%s: no thread could be created", request->operation->name);
  agpu__mpi_request_end(request);
}

/// To the thread, which starts it.
static void hand_over(agpu__mpi_request *request) {
  agpu__mutex_lock(&self.lock);
  bool runs = ensure_thread();
  if (runs) {
    if (agpu__trace_on())
      agpu__mpi_trace_hand(request);
    request->handed = agpu__clock_now_ns();
    request->next = NULL;
    *self.incoming_end = request;
    self.incoming_end = &request->next;
  }
  agpu__mutex_unlock(&self.lock);
  if (!runs)
    end_without_thread(request);
  else if (!agpu__mpi_is_modelled()) // it looks by itself
    agpu__mpi_rest_poke();
}

/// To the thread that tests next: it has begun.
static void await_end(agpu__mpi_request *request) {
  if (!atomic_load(&self.runs)) {
    agpu__mutex_lock(&self.lock);
    bool runs = ensure_thread();
    agpu__mutex_unlock(&self.lock);
    if (!runs) {
      end_without_thread(request);
      return;
    }
  }
  if (!atomic_load(&request->is_here))
    agpu__mpi_running_add(request);
  if (agpu__mpi_is_modelled())
    agpu__mpi_modelled_begin(request);
  else
    agpu__mpi_rest_wake();
}

/// Starts what may start.
static void start(agpu__mpi_request *request) {
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  const agpu__mpi_operation *operation = request->operation;
  if (request->failure) {
    agpu__mpi_request_end(request);
  } else if (!operation->needs_mpi || !world->is_multiple ||
             operation == &agpu__mpi_operation_finalize) {
    hand_over(request);
  } else if (operation->is_blocking) {
    agpu__mpi_blocking_start(request, agpu__mpi_request_end);
  } else if (agpu__mpi_call(request) == AGPU__MPI_DONE) {
    agpu__mpi_request_end(request);
  } else if (operation->is_receive || agpu__mpi_is_modelled()) {
    // Threads that wait test it, with others.
    await_end(request);
  } else {
    // A short message has gone by now, as a rule.
    if (world->library.test(&request->native, &request->end))
      agpu__mpi_request_end(request);
    else
      await_end(request);
  }
}

/// Starts those at the front of the queue that may, one after the other: one
/// thread at a time. Gives the lock back meanwhile.
static void start_queued(void) AGPU__REQUIRES(self.queue_lock) {
  if (self.is_starting)
    return;
  self.is_starting = true;
  while (self.queued && self.queued->is_ready) {
    agpu__mpi_request *request = self.queued;
    self.queued = request->next;
    agpu__mutex_unlock(&self.queue_lock);
    start(request);
    atomic_fetch_sub(&self.unstarted, 1);
    agpu__mutex_lock(&self.queue_lock);
  }
  self.is_starting = false;
}

/// What it sends has been copied from a device. It may not be in the queue yet.
static void set_ready(agpu__mpi_request *request) {
  agpu__mutex_lock(&self.queue_lock);
  request->is_ready = true;
  start_queued();
  agpu__mutex_unlock(&self.queue_lock);
}

/// If nothing is queued, what this thread has submitted before has begun.
static void enqueue(agpu__mpi_request *request, bool is_ready) {
  if (is_ready && atomic_load(&self.unstarted) == 0) {
    start(request);
    return;
  }
  if (agpu__trace_on())
    agpu__mpi_trace_hand(request);
  atomic_fetch_add(&self.unstarted, 1);
  request->next = NULL;
  agpu__mutex_lock(&self.queue_lock);
  request->is_ready |= is_ready;
  agpu__mpi_request **last = &self.queued;
  while (*last)
    last = &(*last)->next;
  *last = request;
  start_queued();
  agpu__mutex_unlock(&self.queue_lock);
}

static void count(const agpu__mpi_request *request) {
  bool is_programs = request->object && !request->operation->is_last;
  agpu__mpi_pending_add(is_programs ? AGPU__MPI_PROGRAMS : AGPU__MPI_OTHERS);
}

bool agpu__mpi_begin(void) {
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  // Before the phase is looked at: mpi.finalize waits for it.
  agpu__mpi_pending_add(AGPU__MPI_PROGRAMS);
  if (atomic_load_explicit(&world->phase, memory_order_acquire) ==
          AGPU__MPI_UP &&
      world->is_multiple && !agpu__mpi_is_modelled() &&
      atomic_load(&self.unstarted) == 0 && !agpu__mpi_trace_counts() &&
      !agpu__devices_are_open())
    return true;
  agpu__mpi_pending_remove(AGPU__MPI_PROGRAMS);
  return false;
}

void agpu__mpi_submit_begun(agpu__mpi_request *request, bool has_ended) {
  if (has_ended)
    agpu__mpi_request_end(request);
  else
    await_end(request);
}

void agpu__mpi_submit(agpu__mpi_request *request) {
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  const agpu__mpi_operation *operation = request->operation;
  count(request);
  int phase = atomic_load_explicit(&world->phase, memory_order_acquire);
  if (operation->needs_mpi && phase != AGPU__MPI_UP) {
    request->outside = true;
    request->failure =
        agpu_status_create(AGPU_STATUS_PROGRAM, request->location,
                           phase == AGPU__MPI_BEFORE ? "%s before mpi.init"
                                                     : "%s after mpi.finalize",
                           operation->name);
  }
  if (request->failure || !operation->is_ordered) {
    // Receives: nothing to copy yet. Pieces are the host's.
    if (!request->failure && !operation->end)
      (void)agpu__mpi_stage(request, NULL);
    start(request);
    return;
  }
  enqueue(request, agpu__mpi_stage(request, set_ready));
}
