//===- running.c - Requests that have begun -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are tested by the progress thread and by threads that wait: by one of
// them at a time, which has claimed the array. After one that has found some a
// test is of the oldest, which is the likeliest to have ended, and then of all.
// New ones come by a list that takes no lock, and that the next test takes into
// the array. That stays without gaps.
//
//===----------------------------------------------------------------------===//

#include "mpi/running.h"

#include "base/report/fatal.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
  _Atomic(agpu__mpi_request *) added; // the newest
  atomic_bool claimed;

  // Of the thread that has claimed them.
  agpu__mpi_request **requests; // of memory for `capacity`, from `first` on
  int first, count, capacity;
  bool tests_all; // the last test was in vain
} self;

void agpu__mpi_running_add(agpu__mpi_request *request) {
  request->next = atomic_load_explicit(&self.added, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&self.added, &request->next,
                                                request, memory_order_release,
                                                memory_order_relaxed))
    ;
}

bool agpu__mpi_running_try_claim(void) {
  return !atomic_load_explicit(&self.claimed, memory_order_relaxed) &&
         !atomic_exchange_explicit(&self.claimed, true, memory_order_acquire);
}

void agpu__mpi_running_claim(void) {
  while (!agpu__mpi_running_try_claim())
    (void)sched_yield();
}

void agpu__mpi_running_disclaim(void) {
  atomic_store_explicit(&self.claimed, false, memory_order_release);
}

/// Room for one more: from the front, where more than half is free, or new.
static __attribute__((noinline)) void make_room(void) {
  if (2 * self.first <= self.capacity) {
    self.capacity = self.capacity ? 2 * self.capacity : 64;
    size_t bytes = (size_t)self.capacity * sizeof(*self.requests);
    self.requests = realloc(self.requests, bytes);
    if (!self.requests)
      agpu__fatal_out_of_memory("requests of MPI", (long long)bytes);
  } else {
    memcpy(self.requests, self.requests + self.first,
           (size_t)self.count * sizeof(*self.requests));
    self.first = 0;
  }
}

static void keep(agpu__mpi_request *request) {
  if (self.first + self.count == self.capacity)
    make_room();
  self.requests[self.first + self.count++] = request;
}

static void keep_added(void) {
  if (!atomic_load_explicit(&self.added, memory_order_relaxed))
    return;
  agpu__mpi_request *request =
      atomic_exchange_explicit(&self.added, NULL, memory_order_acquire);
  agpu__mpi_request *oldest = NULL;
  while (request) {
    agpu__mpi_request *next = request->next;
    request->next = oldest;
    oldest = request;
    request = next;
  }
  for (; oldest; oldest = oldest->next)
    keep(oldest);
}

/// Messages come in the order in which they are waited for, as a rule.
static agpu__mpi_request *test_oldest(void) {
  agpu__mpi_request *request = self.requests[self.first];
  if (!agpu__the_mpi_world.library.test(&request->native, &request->end))
    return NULL;
  ++self.first;
  --self.count;
  request->next = NULL;
  return request;
}

/// Tests `count` from `first` on. Puts those that have ended behind `last`, and
/// the others where `kept` says.
static agpu__mpi_request **test_part(int first, int count, int *kept,
                                     agpu__mpi_request **last) {
  agpu__mpi_handle natives[AGPU__MPI_MOST_TESTED];
  int indices[AGPU__MPI_MOST_TESTED];
  agpu__mpi_ended ends[AGPU__MPI_MOST_TESTED];
  agpu__mpi_request **part = self.requests + self.first + first;
  for (int i = 0; i < count; ++i)
    natives[i] = part[i]->native;
  int done = 0;
  int code = agpu__the_mpi_world.library.testsome(count, natives, &done,
                                                  indices, ends);
  if (code) // it does not say of which: none can be told from the others now
    for (done = 0; done < count; ++done) {
      indices[done] = done;
      ends[done] = (agpu__mpi_ended){.code = code};
    }
  for (int i = 0; i < done; ++i) {
    agpu__mpi_request *request = part[indices[i]];
    part[indices[i]] = NULL;
    request->end = ends[i];
    request->next = NULL;
    *last = request;
    last = &request->next;
  }
  for (int i = 0; i < count; ++i)
    if (part[i])
      self.requests[self.first + (*kept)++] = part[i];
  return last;
}

static agpu__mpi_request *test_all(void) {
  agpu__mpi_request *ended = NULL, **last = &ended;
  int kept = 0;
  for (int first = 0; first < self.count; first += AGPU__MPI_MOST_TESTED) {
    int rest = self.count - first;
    last = test_part(
        first, rest < AGPU__MPI_MOST_TESTED ? rest : AGPU__MPI_MOST_TESTED,
        &kept, last);
  }
  self.count = kept;
  return ended;
}

agpu__mpi_request *agpu__mpi_running_test(void) {
  keep_added();
  if (!self.count)
    return NULL;
  // Open MPI makes progress within a test, and yields there if nothing has
  // come. A test of one looks at it before and after that, one of all only
  // before: so no test comes between two of all that would yield although what
  // has come ends one of them.
  agpu__mpi_request *ended =
      self.tests_all && self.count > 1 ? test_all() : test_oldest();
  self.tests_all = !ended;
  return ended;
}

agpu__mpi_request *const *agpu__mpi_running_all(int *out_count) {
  *out_count = self.count;
  return self.requests + self.first;
}

void agpu__mpi_running_free(void) {
  agpu__mpi_running_claim();
  free(self.requests);
  self.requests = NULL;
  self.first = self.count = self.capacity = 0;
  agpu__mpi_running_disclaim();
}

void agpu__mpi_running_forget(void) {
  atomic_store(&self.added, NULL);
  self.first = self.count = 0;
  self.tests_all = false;
  atomic_store(&self.claimed, false);
}
