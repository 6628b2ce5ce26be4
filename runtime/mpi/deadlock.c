//===- deadlock.c - Ranks that wait for each other ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank whose threads have all waited for messages for some time joins a
// reduction; once all ranks have, each says in a second one whether it has
// waited ever since. If so, there was a moment at which no thread could act.
// What each waits for goes to rank 0, which looks whether a message is under
// way: a send and a receive that fit, or a collective operation that all are
// in. In a third reduction it tells all others. If there is none, nothing can
// end the waits: it gets what threads wait for beside messages, and ends the
// program with all of them.
//
// A short message is on its way without a send that waits, and a long one takes
// its time: so a rank joins after two seconds, and one more for each 10 MB that
// it waits for.
//
//===----------------------------------------------------------------------===//

#include "mpi/deadlock.h"

#include "async/standstill.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/report/fatal.h"
#include "base/sync/mutex.h"
#include "mpi/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_NS (2 * AGPU__NS_PER_SECOND)
#define NS_PER_BYTE 100
#define REPORT_TAG 1
#define LOCALS_TAG 2

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
  int64_t patience; // factor of the time to wait
  enum {
    CLAIMS,   // each rank joins the first reduction in its time
    ANSWERS,  // and the second
    REPORTS,  // what ranks wait for goes to rank 0
    VERDICTS, // which joins the third with what it makes of that
    ENDS      // none can go on
  } phase;
  agpu__mpi_handle round; // the reduction under way
  int32_t joined;         // reductions so far
  int32_t own, all;       // of the reduction
  // What this rank sends, or what rank 0 has received so far.
  agpu__mpi_report *reports;
  agpu__mpi_locals *locals;
  agpu__mpi_handle transfer;
  int received;
  // Of the finish.
  enum { WORKING, AT_BARRIER, COUNTING, CATCHING_UP } finish;
  agpu__mpi_handle finishing;
  int32_t own_joined, most_joined;
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_DEADLOCK), .patience = 1};

int agpu__mpi_deadlock_init(void) {
  const agpu__mpi_library *library = &world->library;
  int code = library->comm_dup(library->world, &self.comm);
  if (!code)
    code = library->comm_dup(library->world, &self.finish_comm);
  return code;
}

void agpu__mpi_deadlock_note(uint64_t rises) {
  agpu__mutex_lock(&self.lock);
  self.noted = (epoch){rises, agpu__mpi_acts()};
  self.is_noted = true;
  agpu__mutex_unlock(&self.lock);
}

//===----------------------------------------------------------------------===//
// What ranks wait for
//===----------------------------------------------------------------------===//

typedef struct filling {
  agpu__mpi_report *report;
  const agpu_object *known; // NULL, or one to look for
  bool is_known;
} filling;

static void fill_in(const agpu__mpi_request *request, void *argument) {
  filling *into = argument;
  agpu__mpi_place place = {.comm = agpu__mpi_comm_id(request->comm),
                           .members = world->size,
                           .peer = request->peer};
  if (request->comm &&
      world->library.comm_size(agpu__mpi_comm(request->comm), &place.members))
    self.is_off = true;
  if (request->operation->has_peer)
    place.peer = agpu__mpi_comm_world_rank(request->comm, request->peer);
  agpu__mpi_report_add(into->report, world->rank, request, place);
}

static void look_for(const agpu__mpi_request *request, void *argument) {
  filling *of = argument;
  of->is_known = of->is_known || request->object == of->known;
}

static void visit(const agpu__mpi_waits *waits,
                  void (*each)(const agpu__mpi_request *request,
                               void *argument),
                  filling *argument) {
  for (int i = 0; i < waits->count; ++i)
    each(waits->requests[i], argument);
  waits->visit_calls(each, argument);
  if (waits->finalize)
    each(waits->finalize, argument);
}

static void fill(agpu__mpi_report *of, const agpu__mpi_waits *waits) {
  memset(of, 0, sizeof *of);
  visit(waits, fill_in, &(filling){.report = of});
}

static bool is_of_message(const agpu_object *object, void *waits) {
  filling of = {.known = object};
  visit(waits, look_for, &of);
  return of.is_known;
}

/// What this rank waits for beside messages.
static void fill_locals(agpu__mpi_locals *of, agpu__mpi_waits *waits) {
  char who[32];
  (void)snprintf(who, sizeof who, "rank %d: ", world->rank);
  memset(of, 0, sizeof *of);
  agpu__standstill_list(who, is_of_message, waits, *of, sizeof *of);
}

//===----------------------------------------------------------------------===//
// What they tell each other. The progress thread's.
//===----------------------------------------------------------------------===//

/// True once `*request` has ended, or there is none.
static bool has_ended(agpu__mpi_handle *request) {
  agpu__mpi_ended end;
  if (!*request)
    return true;
  if (!world->library.test(request, &end))
    return false;
  if (end.code)
    self.is_off = true;
  *request = 0;
  return true;
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
  if (out_noted->acts != agpu__mpi_acts())
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
  int64_t time = agpu__clock_machine_ns();
  if (!are_same(now, self.last) || !self.since) {
    self.last = now;
    self.since = time;
  }
  return time - self.since >= quiet_ns(waits);
}

/// The second reduction asks whether all have waited since the first: an answer
/// takes a new note.
static void answer(void) {
  epoch now;
  switch (take_note(&now)) {
  case NONE: return;
  case FRESH: join(are_same(now, self.last)); return;
  case OUTDATED: join(false); return;
  }
}

/// Of `count` ranks, of which rank 0 has memory for all: sends what this one
/// has, or receives from the next. True once that is over.
static bool gather(void *all, size_t bytes, int tag, int count) {
  const agpu__mpi_library *library = &world->library;
  if (!has_ended(&self.transfer) || self.is_off)
    return false;
  agpu__mpi_handle type = library->types[AGPU_MPI_BYTE];
  if (world->rank == 0 && self.received < count) {
    int from = self.received++;
    check(library->irecv((char *)all + bytes * (size_t)from, (int)bytes, type,
                         from, tag, self.comm, &self.transfer));
    return false;
  }
  if (world->rank > 0 && world->rank < count && !self.received++) {
    check(library->isend(all, (int)bytes, type, 0, tag, self.comm,
                         &self.transfer));
    return false;
  }
  return true;
}

static void *begin_gathering(size_t bytes, int count) {
  self.received = world->rank == 0; // its own is there
  return agpu__memory_alloc((world->rank == 0 ? count : 1) * (int64_t)bytes,
                            _Alignof(agpu__mpi_report), "what ranks wait for");
}

/// All ranks were still: tells rank 0 what this one waits for.
static void begin_report(const agpu__mpi_waits *waits) {
  self.phase = REPORTS;
  self.reports = begin_gathering(sizeof *self.reports, world->size);
  fill(self.reports, waits);
  self.patience *= 2;
}

static int shown_ranks(void) {
  return world->size < AGPU__MPI_SHOWN_RANKS ? world->size
                                             : AGPU__MPI_SHOWN_RANKS;
}

static void go_on_with_report(void) {
  if (!gather(self.reports, sizeof *self.reports, REPORT_TAG, world->size))
    return;
  self.phase = VERDICTS;
  join(world->rank != 0 ||
       !agpu__mpi_reports_may_go_on(self.reports, world->size));
}

/// The last that ranks tell each other: rank 0 ends all of them.
static void go_on_to_end(void) {
  if (!gather(self.locals, sizeof *self.locals, LOCALS_TAG, shown_ranks()))
    return;
  if (world->rank == 0 && !self.is_off)
    agpu__fatal(
        agpu__mpi_reports_describe(self.reports, self.locals, world->size),
        NULL, EXIT_FAILURE);
}

/// A reduction has ended.
static void go_on_with_phase(agpu__mpi_waits *waits) {
  switch (self.phase) {
  case CLAIMS: self.phase = ANSWERS; return;
  case ANSWERS:
    self.phase = CLAIMS;
    if (self.all)
      begin_report(waits);
    return;
  case VERDICTS:
    if (self.all) {
      self.phase = ENDS;
      self.locals = begin_gathering(sizeof *self.locals, shown_ranks());
      fill_locals(self.locals, waits);
      return;
    }
    self.phase = CLAIMS;
    agpu__memory_free(self.reports);
    self.reports = NULL;
    return;
  case REPORTS:
  case ENDS: return;
  }
}

bool agpu__mpi_deadlock_step(agpu__mpi_waits *waits) {
  if (self.is_off)
    return false;
  if (self.round) {
    if (has_ended(&self.round) && !self.is_off)
      go_on_with_phase(waits);
  } else if (self.phase == REPORTS) {
    go_on_with_report();
  } else if (self.phase == ENDS) {
    go_on_to_end();
  } else if (self.finish < COUNTING) {
    if (self.phase == ANSWERS)
      answer();
    else if (is_quiet(waits))
      join(true);
  }
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
