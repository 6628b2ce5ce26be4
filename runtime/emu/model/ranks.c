//===- ranks.c - This rank among others -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What others begin at a time comes no sooner than a latency later: so far
// ahead of all others a rank may be.
//
//===----------------------------------------------------------------------===//

#include "emu/model/ranks.h"

#include "emu/model/network.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// What the rank has begun: sides of messages, or a gathering.
typedef struct operation {
  TAILQ_ENTRY(operation) link;
  void *of;
  int64_t end; // INT64_MAX: not known
  int64_t begun;
  int gathering; // -1: none
  size_t count;
  struct {
    int message;
    bool is_receive;
  } sides[];
} operation;

static struct {
  const agpu__emu_model *model;
  agpu__emu_network *shared; // NULL: the rank is alone
  int rank;
  void (*poll)(void);
  TAILQ_HEAD(, operation) begun AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  int64_t next AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  uint32_t seen AGPU__GUARDED_BY(agpu__emu_timeline_lock);
} self = {.next = INT64_MAX};

AGPU__UNCHECKED_LOCKS void agpu__emu_ranks_start(const agpu__emu_model *model) {
  if (!self.model)
    TAILQ_INIT(&self.begun);
  self.model = model;
}

//===----------------------------------------------------------------------===//
// What ranks share
//===----------------------------------------------------------------------===//

static void lock(void) {
  // Of a rank that has died in it: its launcher ends all.
  if (pthread_mutex_lock(&self.shared->lock) == EOWNERDEAD)
    (void)pthread_mutex_consistent(&self.shared->lock);
}

static void unlock(void) { (void)pthread_mutex_unlock(&self.shared->lock); }

/// Others may go on.
static void tell(void) {
  atomic_fetch_add(&self.shared->changes, 1);
  (void)syscall(SYS_futex, &self.shared->changes, FUTEX_WAKE, INT_MAX, NULL,
                NULL, 0);
}

bool agpu__emu_ranks_create(void *shared, int ranks) {
  agpu__emu_network *made = shared;
  pthread_mutexattr_t kind;
  if (ranks > AGPU__EMU_MOST_RANKS || pthread_mutexattr_init(&kind))
    return false;
  (void)pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  (void)pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  bool is_made = !pthread_mutex_init(&made->lock, &kind);
  (void)pthread_mutexattr_destroy(&kind);
  made->ranks = ranks;
  made->model = *self.model;
  return is_made;
}

bool agpu__emu_ranks_join(void *shared, int rank, void (*poll)(void)) {
  agpu__emu_network *joined = shared;
  if (memcmp(&joined->model, self.model, sizeof joined->model) != 0)
    return false;
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  self.rank = rank;
  self.poll = poll;
  self.shared = joined;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return true;
}

void agpu__emu_ranks_leave(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  if (self.shared) {
    lock();
    self.shared->next[self.rank] = INT64_MAX;
    (void)agpu__emu_network_settle(self.shared);
    unlock();
    tell();
    self.shared = NULL;
    self.next = INT64_MAX;
  }
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

AGPU__UNCHECKED_LOCKS void agpu__emu_ranks_forget(void) {
  self.shared = NULL;
  self.next = INT64_MAX;
  TAILQ_INIT(&self.begun);
}

bool agpu__emu_ranks_is_eager(int peer, int64_t bytes) {
  return agpu__emu_network_is_eager(self.shared, self.rank, peer, bytes);
}

//===----------------------------------------------------------------------===//
// What the rank has begun
//===----------------------------------------------------------------------===//

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t find_end(const operation *of) {
  const agpu__emu_network *in = self.shared;
  int64_t end = of->begun;
  if (of->gathering >= 0) {
    end = in->gatherings[of->gathering].end;
    return end < 0 ? INT64_MAX : end;
  }
  for (size_t i = 0; i < of->count; ++i) {
    const agpu__emu_message *message = &in->messages[of->sides[i].message];
    int64_t time =
        of->sides[i].is_receive ? message->receive_end : message->send_end;
    if (time < 0)
      return INT64_MAX;
    end = later(end, time);
  }
  return end;
}

/// Finds what is over since, and the first of all. Of those at the same time it
/// is the one that has begun first.
static operation *look(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  operation *at, *first = NULL;
  self.next = INT64_MAX;
  TAILQ_FOREACH (at, &self.begun, link) {
    if (at->end == INT64_MAX)
      at->end = find_end(at);
    if (at->end < self.next) {
      self.next = at->end;
      first = at;
    }
  }
  return first;
}

static operation *create(void *of, size_t count, int64_t time) {
  operation *made = calloc(1, sizeof *made + count * sizeof *made->sides);
  if (!made)
    abort();
  *made = (operation){.of = of,
                      .end = INT64_MAX,
                      .begun = time,
                      .gathering = -1,
                      .count = count};
  return made;
}

static void add(operation *made) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  TAILQ_INSERT_TAIL(&self.begun, made, link);
  (void)look();
  unlock();
  tell();
}

bool agpu__emu_ranks_begin(void *of, const agpu__network_side *sides,
                           size_t count, int64_t *time) {
  operation *made = create(of, count, *time);
  bool has_room = true;
  lock();
  for (size_t i = 0; i < count && has_room; ++i) {
    int message =
        agpu__emu_network_begin(self.shared, self.rank, &sides[i], time);
    made->sides[i].message = message;
    made->sides[i].is_receive = sides[i].is_receive;
    has_room = message >= 0;
  }
  if (!has_room)
    made->count = 0;
  made->begun = *time;
  add(made);
  return has_room;
}

bool agpu__emu_ranks_begin_all(void *of, agpu__network_gathering kind,
                               uint64_t comm, int members, int64_t bytes,
                               int64_t time) {
  operation *made = create(of, 0, time);
  lock();
  made->gathering = agpu__emu_network_gather(self.shared, self.rank, kind, comm,
                                             members, bytes, time);
  add(made);
  return made->gathering >= 0;
}

int64_t agpu__emu_ranks_next(void) { return self.next; }

void *agpu__emu_ranks_take(void) {
  lock();
  operation *first = look();
  TAILQ_REMOVE(&self.begun, first, link);
  for (size_t i = 0; i < first->count; ++i)
    agpu__emu_network_release(self.shared, first->sides[i].message);
  if (first->gathering >= 0)
    agpu__emu_network_release_all(self.shared, first->gathering);
  (void)look();
  unlock();
  void *of = first->of;
  free(first);
  return of;
}

//===----------------------------------------------------------------------===//
// How far it may go on
//===----------------------------------------------------------------------===//

bool agpu__emu_ranks_may(int64_t bound, int64_t time, bool is_awaited) {
  agpu__emu_network *in = self.shared;
  if (!in)
    return true;
  lock();
  int64_t before = in->next[self.rank];
  uint64_t moved = in->moved;
  int64_t least = agpu__emu_network_least(in);
  (void)look();
  in->next[self.rank] = is_awaited && self.next < bound ? self.next : bound;
  int64_t ready = agpu__emu_network_settle(in);
  (void)look();
  bool has_changed = in->next[self.rank] != before || in->moved != moved;
  bool may = time <= ready && (!is_awaited || time <= self.next);
  for (int i = 0; i < in->ranks; ++i)
    if (i != self.rank && in->next[i] != INT64_MAX)
      may = may && time < in->next[i] + least;
  self.seen = atomic_load(&in->changes) + has_changed;
  unlock();
  if (has_changed)
    tell();
  return may || TAILQ_EMPTY(&self.begun);
}

void agpu__emu_ranks_rest(void) {
  agpu__emu_network *in = self.shared;
  const struct timespec most = {.tv_nsec = 500000};
  uint32_t seen = self.seen;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  self.poll();
  (void)syscall(SYS_futex, &in->changes, FUTEX_WAIT, seen, &most, NULL, 0);
  agpu__mutex_lock(&agpu__emu_timeline_lock);
}
