//===- running.c - Requests that have begun -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are tested together, by the progress thread and by threads that wait: by
// one of them at a time, which has claimed the arrays. New ones come by a list
// that takes no lock, and that the next test takes into the arrays. These stay
// without gaps.
//
//===----------------------------------------------------------------------===//

#include "mpi/running.h"

#include "base/report/fatal.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
  _Atomic(agpu__mpi_request *) added; // the newest
  atomic_bool claimed;

  // Of the thread that has claimed them.
  agpu__mpi_request **requests;
  void *natives; // of the same, for testsome
  int *indices;  // what testsome gives
  agpu__mpi_ended *ends;
  int count, capacity;
  bool tests_one; // the last test was of one
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

static void close_gaps(int done) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  int kept = 0;
  if (done == self.count) {
    self.count = 0;
    return;
  }
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

/// Messages come in the order in which they are waited for, as a rule.
static agpu__mpi_request *test_oldest(void) {
  agpu__mpi_request *request = self.requests[0];
  if (!agpu__the_mpi_world.library.test(&request->native, &request->end))
    return NULL;
  self.requests[0] = NULL;
  close_gaps(1);
  request->next = NULL;
  return request;
}

agpu__mpi_request *agpu__mpi_running_test(void) {
  keep_added();
  if (!self.count)
    return NULL;
  // A test of all takes longer, and Open MPI tells there what came before it.
  self.tests_one = !self.tests_one || self.count == 1;
  if (self.tests_one)
    return test_oldest();
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
  agpu__mpi_request *ended = NULL, **last = &ended;
  for (int i = 0; i < done; ++i) {
    agpu__mpi_request *request = self.requests[self.indices[i]];
    self.requests[self.indices[i]] = NULL;
    request->end = self.ends[i];
    request->next = NULL;
    *last = request;
    last = &request->next;
  }
  if (done > 0)
    close_gaps(done);
  return ended;
}

agpu__mpi_request *const *agpu__mpi_running_all(int *out_count) {
  *out_count = self.count;
  return self.requests;
}

void agpu__mpi_running_free(void) {
  agpu__mpi_running_claim();
  free(self.requests);
  free(self.natives);
  free(self.indices);
  free(self.ends);
  self.requests = NULL;
  self.natives = NULL;
  self.indices = NULL;
  self.ends = NULL;
  self.count = self.capacity = 0;
  agpu__mpi_running_disclaim();
}

void agpu__mpi_running_forget(void) {
  atomic_store(&self.added, NULL);
  self.count = 0;
  atomic_store(&self.claimed, false);
}
