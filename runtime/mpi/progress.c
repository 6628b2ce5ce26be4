//===- progress.c - The thread that requests end on -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread tests all requests that have begun, together; none waits in the
// library. It sleeps while there are none, and between tests that find nothing
// it pauses as the thread that learns of events does: it yields for some
// rounds, and then sleeps for longer and longer.
//
// Requests come to it by a list, after which it is poked. It starts those that
// nobody has: the first and last of a program, and all of them where the
// library lets one thread call it at a time.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "async/lifecycle.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/report/fatal.h"
#include "base/sync/mutex.h"
#include "base/sync/park.h"
#include "exec/watch.h"
#include "mpi/deadlock.h"

#include <limits.h>
#include <stdlib.h>

#define POKE AGPU__PARK_BIT(0)
#define STOP AGPU__PARK_BIT(1)

/// A message takes some microseconds to come, and a thread that waits for it as
/// long as this more.
#define MAX_PAUSE_NS (100 * 1000)

/// What ranks tell each other of waits has time.
#define LISTEN_NS (20 * 1000 * 1000)

static struct {
  agpu__parker parker; // the thread's
  agpu__mutex lock;
  agpu__condition idle; // nothing is pending
  bool runs AGPU__GUARDED_BY(lock);
  pthread_t thread AGPU__GUARDED_BY(lock);
  agpu__mpi_request *incoming, **incoming_end AGPU__GUARDED_BY(lock);
  // Sends and collective operations that have not begun: they begin in this
  // order, though what some of them send is still being copied.
  agpu__mutex queue_lock;
  agpu__mpi_request *queued AGPU__GUARDED_BY(queue_lock);
  bool is_starting AGPU__GUARDED_BY(queue_lock);
  agpu__mpi_request *calls AGPU__GUARDED_BY(lock); // that block their thread
  // Requests that were handed over and have not ended.
  atomic_size_t pending;

  // The thread's.
  agpu__mpi_request *finalize; // waits for the end of all others, or NULL
  agpu__mpi_request **requests;
  void *natives; // of the same, for testsome
  int *indices;  // what testsome gives
  agpu__mpi_ended *ends;
  int count, capacity;
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_PROGRESS),
          .queue_lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_QUEUE)};

//===----------------------------------------------------------------------===//
// Requests that run. The thread's.
//===----------------------------------------------------------------------===//

static void *grow(void *memory, size_t count, size_t size) {
  memory = realloc(memory, count * size);
  if (!memory)
    agpu__fatal_out_of_memory("requests of MPI", (long long)(count * size));
  return memory;
}

static void keep(agpu__mpi_request *request) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  if (self.count == self.capacity) {
    self.capacity = self.capacity ? 2 * self.capacity : 64;
    size_t count = (size_t)self.capacity;
    self.requests = grow(self.requests, count, sizeof(*self.requests));
    self.natives = grow(self.natives, count, library->handle_bytes);
    self.indices = grow(self.indices, count, sizeof(*self.indices));
    self.ends = grow(self.ends, count, sizeof(*self.ends));
  }
  self.requests[self.count] = request;
  library->put(self.natives, self.count, request->native);
  ++self.count;
}

static void end(agpu__mpi_request *request) {
  agpu__mpi_request_end(request);
  if (atomic_fetch_sub(&self.pending, 1) == 1) {
    agpu__mutex_lock(&self.lock);
    agpu__condition_broadcast(&self.idle);
    agpu__mutex_unlock(&self.lock);
  }
}

/// Takes those that have ended out of the arrays, which stay without gaps.
static void close_gaps(void) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  int kept = 0;
  for (int i = 0; i < self.count; ++i) {
    agpu__mpi_request *request = self.requests[i];
    if (!request)
      continue;
    if (kept != i) {
      self.requests[kept] = request;
      library->put(self.natives, kept, request->native);
    }
    ++kept;
  }
  self.count = kept;
}

/// True if a request has ended.
static bool test_all(void) {
  int done = 0;
  int code = agpu__the_mpi_world.library.testsome(
      self.count, self.natives, &done, self.indices, self.ends);
  if (code) {
    // It does not say of which: none can be told from the others any more.
    done = self.count;
    for (int i = 0; i < done; ++i) {
      self.indices[i] = i;
      self.ends[i] = (agpu__mpi_ended){.code = code};
    }
  }
  // Off the arrays first: a waiter for one may submit the next.
  for (int i = 0; i < done; ++i) {
    agpu__mpi_request *request = self.requests[self.indices[i]];
    self.requests[self.indices[i]] = NULL;
    request->end = self.ends[i];
    end(request);
  }
  if (done)
    close_gaps();
  return done > 0;
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

/// True if there was any.
static bool start_incoming(void) {
  agpu__mpi_request *request = take_incoming();
  bool any = request != NULL;
  while (request) {
    agpu__mpi_request *next = request->next;
    if (request->native) // has begun
      keep(request);
    else if (request->operation == &agpu__mpi_operation_finalize)
      self.finalize = request;
    else if (request->operation->start(request) == AGPU__MPI_RUNS)
      keep(request);
    else
      end(request);
    request = next;
  }
  return any;
}

static void visit_calls(void (*visit)(const agpu__mpi_request *request,
                                      void *argument),
                        void *argument) {
  agpu__mutex_lock(&self.lock);
  for (const agpu__mpi_request *call = self.calls; call; call = call->next)
    visit(call, argument);
  agpu__mutex_unlock(&self.lock);
}

static void *run_thread(void *unused) {
  (void)unused;
  unsigned rounds = 0; // without anything to do
  for (;;) {
    uint32_t bits = agpu__parker_poll(&self.parker);
    agpu__parker_clear(&self.parker, POKE);
    bool any = start_incoming();
    if (self.count)
      any |= test_all();
    agpu__mpi_waits waits = {self.requests, self.count, self.finalize,
                             visit_calls};
    bool is_up = atomic_load(&agpu__the_mpi_world.phase) == AGPU__MPI_UP;
    bool listens = is_up && agpu__mpi_deadlock_step(&waits);
    if (self.finalize && !atomic_load(&agpu__the_mpi_world.unfinished) &&
        (!is_up || !agpu__the_mpi_world.is_ours ||
         agpu__mpi_deadlock_finish())) {
      agpu__mpi_request *finalize = self.finalize;
      self.finalize = NULL;
      (void)finalize->operation->start(finalize);
      end(finalize);
      any = true;
    }
    if (any) {
      rounds = 0;
      continue;
    }
    if (bits & STOP)
      return NULL;
    if (self.count || self.finalize)
      agpu__parker_pause(&self.parker, POKE | STOP, rounds++, MAX_PAUSE_NS);
    else if (listens)
      (void)agpu__parker_wait_for(&self.parker, POKE | STOP, LISTEN_NS);
    else
      (void)agpu__parker_wait(&self.parker, POKE | STOP);
  }
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static void drain(void) {
  agpu__mutex_lock(&self.lock);
  while (atomic_load(&self.pending))
    if (!agpu__condition_wait_for(&self.idle, &self.lock,
                                  AGPU__NS_PER_SECOND)) {
      agpu__mutex_unlock(&self.lock);
      agpu__exec_look();
      agpu__mutex_lock(&self.lock);
    }
  agpu__mutex_unlock(&self.lock);
}

static bool is_pending(void) { return atomic_load(&self.pending) > 0; }

/// All threads wait for messages.
static void hear_of_rest(uint64_t rises) {
  agpu__mpi_deadlock_note(rises);
  agpu__parker_signal(&self.parker, POKE);
}

/// Where one thread alone may call the library, it stays until it has ended
/// that.
static void shut_down(void) {
  agpu__mpi_world *world = &agpu__the_mpi_world;
  agpu__mutex_lock(&self.lock);
  bool stop = self.runs && (world->is_multiple ||
                            atomic_load(&world->phase) != AGPU__MPI_UP);
  pthread_t thread = self.thread;
  self.runs = self.runs && !stop;
  agpu__mutex_unlock(&self.lock);
  if (!stop)
    return;
  agpu__parker_signal(&self.parker, STOP);
  (void)pthread_join(thread, NULL);
  free(self.requests);
  free(self.natives);
  free(self.indices);
  free(self.ends);
  self.requests = NULL;
  self.natives = NULL;
  self.indices = NULL;
  self.ends = NULL;
  self.count = self.capacity = 0;
}

/// The child has none of the parent's requests, and may not call the library.
static void forget(void) {
  agpu__mutex_init(&self.lock, AGPU__RANK_MPI_PROGRESS);
  agpu__mutex_init(&self.queue_lock, AGPU__RANK_MPI_QUEUE);
  self.queued = NULL;
  self.is_starting = false;
  self.runs = false;
  self.incoming = NULL;
  self.incoming_end = &self.incoming;
  self.calls = NULL;
  self.finalize = NULL;
  self.count = 0;
  atomic_store(&self.pending, 0);
  atomic_store(&agpu__the_mpi_world.phase, AGPU__MPI_AFTER);
}

static const agpu__outside_life life = {.drain = drain,
                                        .is_pending = is_pending,
                                        .shutdown = shut_down,
                                        .forget = forget,
                                        .hear_of_rest = hear_of_rest};

/// False where the system gives no thread.
static bool ensure_thread(void) AGPU__REQUIRES(self.lock) {
  if (self.runs)
    return true;
  agpu__set_message_life(&life);
  agpu__condition_init(&self.idle);
  agpu__parker_init(&self.parker);
  self.incoming_end = &self.incoming;
  self.runs =
      agpu__thread_create(&self.thread, "agpu-mpi", run_thread, NULL) == 0;
  return self.runs;
}

//===----------------------------------------------------------------------===//
// Submitting. Any thread.
//===----------------------------------------------------------------------===//

static void hand_over(agpu__mpi_request *request) {
  agpu__mutex_lock(&self.lock);
  bool runs = ensure_thread();
  if (runs) {
    atomic_fetch_add(&self.pending, 1);
    request->next = NULL;
    *self.incoming_end = request;
    self.incoming_end = &request->next;
  }
  agpu__mutex_unlock(&self.lock);
  if (runs) {
    agpu__parker_signal(&self.parker, POKE);
    return;
  }
  request->failure = agpu_status_create(
      AGPU_STATUS_OUT_OF_RESOURCES, request->location,
      "%s: no thread could be created", request->operation->name);
  agpu__mpi_request_end(request);
}

static void *run_blocking(void *argument) {
  agpu__mpi_request *request = argument;
  (void)request->operation->start(request);
  agpu__mutex_lock(&self.lock);
  agpu__mpi_request **at = &self.calls;
  while (*at != request)
    at = &(*at)->next;
  *at = request->next;
  agpu__mutex_unlock(&self.lock);
  end(request);
  return NULL;
}

/// A call of the library that takes its time has a thread of its own.
static void start_blocking(agpu__mpi_request *request) {
  pthread_t thread;
  agpu__mutex_lock(&self.lock);
  atomic_fetch_add(&self.pending, 1);
  request->next = self.calls;
  self.calls = request;
  agpu__mutex_unlock(&self.lock);
  if (agpu__thread_create(&thread, "agpu-mpi-call", run_blocking, request))
    (void)run_blocking(request);
  else
    (void)pthread_detach(thread);
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
    start_blocking(request);
  } else if (operation->start(request) == AGPU__MPI_DONE) {
    agpu__mpi_request_end(request);
  } else {
    // A short message has gone or come by now, as a rule.
    int done = 0;
    if (world->library.test(&request->native, &done, &request->end) || done)
      agpu__mpi_request_end(request);
    else
      hand_over(request);
  }
}

/// Starts those at the front of the queue that may, one after the other: one
/// thread at a time.
static void start_queued(void) {
  agpu__mutex_lock(&self.queue_lock);
  if (!self.is_starting) {
    self.is_starting = true;
    while (self.queued && self.queued->is_ready) {
      agpu__mpi_request *request = self.queued;
      self.queued = request->next;
      agpu__mutex_unlock(&self.queue_lock);
      start(request);
      agpu__mutex_lock(&self.queue_lock);
    }
    self.is_starting = false;
  }
  agpu__mutex_unlock(&self.queue_lock);
}

static void enqueue(agpu__mpi_request *request, bool is_ready) {
  request->is_ready = is_ready;
  request->next = NULL;
  agpu__mutex_lock(&self.queue_lock);
  agpu__mpi_request **last = &self.queued;
  while (*last)
    last = &(*last)->next;
  *last = request;
  agpu__mutex_unlock(&self.queue_lock);
}

/// What it sends has been copied from a device.
static void set_ready(agpu__mpi_request *request) {
  agpu__mutex_lock(&self.queue_lock);
  request->is_ready = true;
  agpu__mutex_unlock(&self.queue_lock);
  start_queued();
}

void agpu__mpi_submit(agpu__mpi_request *request) {
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  const agpu__mpi_operation *operation = request->operation;
  agpu__mpi_act();
  if (request->object && !operation->is_last)
    atomic_fetch_add(&agpu__the_mpi_world.unfinished, 1);
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
  // In the queue before the copy begins, which may be over at once.
  enqueue(request, false);
  if (agpu__mpi_stage(request, set_ready))
    set_ready(request);
}
