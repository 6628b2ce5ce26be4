//===- deadlock.c - Ranks that wait for each other -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank whose threads have all waited for messages for some time joins a
// reduction; once all ranks have, each says in a second one whether it has
// waited ever since. If so, there was a moment at which nobody could act. What
// each waits for goes to rank 0, which looks whether a message is under way: a
// send and a receive that fit, or a collective operation that all are in. If
// there is none, nothing can end the waits, and it ends the program with all of
// them.
//
// A short message is on its way without a send that waits, and a long one takes
// its time: so a rank joins after two seconds, and one more for each 10 MB that
// it waits for.
//
//===----------------------------------------------------------------------===//

#include "mpi/deadlock.h"

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/report/fatal.h"
#include "base/sync/mutex.h"
#include "mpi/reports.h"
#include "mpi/world.h"

#include <stdlib.h>
#include <string.h>

#define QUIET_NS (2 * AGPU__NS_PER_SECOND)
#define NS_PER_BYTE 100
#define REPORT_TAG 1

static agpu__mpi_world *const world = &agpu__the_mpi_world;

typedef struct epoch {
  uint64_t rises, acts;
} epoch;

static struct {
  agpu__mutex lock;
  epoch noted AGPU__GUARDED_BY(lock);
  bool is_noted AGPU__GUARDED_BY(lock);

  // The progress thread's.
  agpu__mpi_handle comm, finish_comm;
  bool is_off; // a call has failed
  epoch last;  // of the notes so far, and when it began
  int64_t since;
  int64_t patience;       // factor of the time to wait
  agpu__mpi_handle round; // the reduction under way
  int32_t joined;         // reductions so far
  int32_t own, all;       // of the reduction
  // Of reports: what this rank sends, or what rank 0 has received so far.
  agpu__mpi_report *reports;
  agpu__mpi_handle transfer;
  int received;
  // Of the finish.
  enum { WORKING, AT_BARRIER, COUNTING, CATCHING_UP } finish;
  agpu__mpi_handle finishing;
  int32_t own_joined, most_joined;
} self = {.lock = AGPU__MUTEX_INIT, .patience = 1};

int agpu__mpi_deadlock_init(void) {
  const agpu__mpi_library *library = &world->library;
  int code = library->comm_dup(library->world, &self.comm);
  if (!code)
    code = library->comm_dup(library->world, &self.finish_comm);
  return code;
}

void agpu__mpi_deadlock_note(uint64_t rises) {
  agpu__mutex_lock(&self.lock);
  self.noted = (epoch){rises, atomic_load(&world->acts)};
  self.is_noted = true;
  agpu__mutex_unlock(&self.lock);
}

//===----------------------------------------------------------------------===//
// What ranks wait for
//===----------------------------------------------------------------------===//

/// Ranks of the request's communicator; 0: it is the world.
static int count_members(const agpu__mpi_request *request) {
  int members = 0;
  if (request->comm &&
      world->library.comm_size(agpu__mpi_comm(request->comm), &members))
    self.is_off = true;
  return members;
}

static void fill(agpu__mpi_report *of, const agpu__mpi_waits *waits) {
  memset(of, 0, sizeof *of);
  for (int i = 0; i < waits->count; ++i)
    agpu__mpi_report_add(of, world->rank, waits->requests[i],
                         count_members(waits->requests[i]));
  if (waits->finalize)
    agpu__mpi_report_add(of, world->rank, waits->finalize, 0);
}

//===----------------------------------------------------------------------===//
// What they tell each other. The progress thread's.
//===----------------------------------------------------------------------===//

/// True once `*request` has ended, or there is none.
static bool has_ended(agpu__mpi_handle *request) {
  int done = 0;
  agpu__mpi_ended end;
  if (!*request)
    return true;
  if (world->library.test(request, &done, &end))
    self.is_off = true;
  if (done)
    *request = 0;
  return done;
}

static void check(int code) {
  if (code)
    self.is_off = true;
}

static void join(bool flag) {
  const agpu__mpi_library *library = &world->library;
  self.own = flag;
  ++self.joined;
  check(library->iallreduce(
      &self.own, &self.all, 1, library->types[AGPU_MPI_INT32],
      library->reductions[AGPU_MPI_MIN], self.comm, &self.round));
}

static int64_t quiet_ns(const agpu__mpi_waits *waits) {
  int64_t bytes = 0;
  for (int i = 0; i < waits->count; ++i)
    bytes += agpu__mpi_view_bytes(&waits->requests[i]->from);
  return self.patience * (QUIET_NS + bytes * NS_PER_BYTE);
}

/// The newest note: whether there is one that was not looked at, or that more
/// has happened since.
static enum { NONE, FRESH, OUTDATED } take_note(epoch *out_noted) {
  agpu__mutex_lock(&self.lock);
  *out_noted = self.noted;
  bool is_noted = self.is_noted;
  self.is_noted = false;
  agpu__mutex_unlock(&self.lock);
  if (out_noted->acts != atomic_load(&world->acts))
    return OUTDATED;
  return is_noted ? FRESH : NONE;
}

static bool are_same(epoch a, epoch b) {
  return a.rises == b.rises && a.acts == b.acts;
}

/// Whether this rank has waited for long enough, by the newest note.
static bool is_quiet(const agpu__mpi_waits *waits) {
  epoch now;
  if (take_note(&now) != FRESH)
    return false;
  int64_t time = agpu__clock_now_ns();
  if (!are_same(now, self.last) || !self.since) {
    self.last = now;
    self.since = time;
  }
  return time - self.since >= quiet_ns(waits);
}

/// Every second reduction asks whether all have waited since the one before: an
/// answer takes a new note.
static void answer(void) {
  epoch now;
  switch (take_note(&now)) {
  case NONE: return;
  case FRESH: join(are_same(now, self.last)); return;
  case OUTDATED: join(false); return;
  }
}

static void receive_next(void) {
  const agpu__mpi_library *library = &world->library;
  while (self.received < world->size && !self.transfer)
    check(library->irecv(&self.reports[self.received], sizeof(agpu__mpi_report),
                         library->types[AGPU_MPI_BYTE], self.received,
                         REPORT_TAG, self.comm, &self.transfer));
}

/// All ranks were still: tells rank 0 what this one waits for.
static void begin_report(const agpu__mpi_waits *waits) {
  const agpu__mpi_library *library = &world->library;
  int64_t count = world->rank == 0 ? world->size : 1;
  self.reports =
      agpu__memory_alloc(count * (int64_t)sizeof(agpu__mpi_report),
                         _Alignof(agpu__mpi_report), "what ranks wait for");
  fill(self.reports, waits);
  self.received = 1;
  self.patience *= 2;
  if (world->rank == 0)
    receive_next();
  else
    check(library->isend(self.reports, sizeof(agpu__mpi_report),
                         library->types[AGPU_MPI_BYTE], 0, REPORT_TAG,
                         self.comm, &self.transfer));
}

static void go_on_with_report(void) {
  if (!has_ended(&self.transfer))
    return;
  if (world->rank == 0 && ++self.received <= world->size) {
    receive_next();
    if (self.received < world->size)
      return;
  }
  if (world->rank == 0 && !self.is_off &&
      !agpu__mpi_reports_may_go_on(self.reports, world->size))
    agpu__fatal(agpu__mpi_reports_describe(self.reports, world->size), NULL,
                EXIT_FAILURE);
  agpu__memory_free(self.reports);
  self.reports = NULL;
}

bool agpu__mpi_deadlock_step(const agpu__mpi_waits *waits) {
  if (self.is_off)
    return false;
  if (self.reports)
    go_on_with_report();
  else if (self.round && has_ended(&self.round) && self.joined % 2 == 0 &&
           self.all)
    begin_report(waits);
  else if (!self.round && self.finish < COUNTING && self.joined % 2)
    answer();
  else if (!self.round && self.finish < COUNTING && is_quiet(waits))
    join(true);
  return self.round || self.reports;
}

bool agpu__mpi_deadlock_finish(void) {
  const agpu__mpi_library *library = &world->library;
  if (self.is_off)
    return true;
  if (!has_ended(&self.finishing))
    return false;
  switch (self.finish) {
  case WORKING:
    self.finish = AT_BARRIER;
    check(library->ibarrier(self.finish_comm, &self.finishing));
    return false;
  case AT_BARRIER:
    self.finish = COUNTING;
    self.own_joined = self.joined;
    check(library->iallreduce(
        &self.own_joined, &self.most_joined, 1, library->types[AGPU_MPI_INT32],
        library->reductions[AGPU_MPI_MAX], self.finish_comm, &self.finishing));
    return false;
  case COUNTING: self.finish = CATCHING_UP; break;
  case CATCHING_UP: break;
  }
  if (self.round || self.reports)
    return false;
  if (self.joined < self.most_joined) {
    join(false);
    return false;
  }
  return true;
}
