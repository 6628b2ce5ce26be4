//===- running_interleaved.c - Who tests requests, in all interleavings ---===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that adds requests and tests them as it waits, the progress thread,
// and the other rank, which answers when it likes. A run fails where a request
// ends twice, and where all sleep although one is under way or has been
// answered.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/park.c"
// Time passes for others.
#define agpu__parker_wait_for(parker, mask, timeout_ns)                        \
  ((void)(parker), (void)interleave_yield())
#define agpu__parker_pause(parker, mask, rounds, most_ns)                      \
  ((void)(parker), (void)(rounds), (void)interleave_yield())
#define sched_yield() interleave_yield()
#include "mpi/rest.c"
#define self running_self
#include "mpi/running.c"
#undef self

#include "check.h"
#include "own_self.h"

#define REQUESTS 2

int64_t agpu__clock_now_ns(void) { return 0; }
int64_t agpu__clock_machine_ns(void) { return 0; }

void agpu__fatal_out_of_memory(const char *what, long long bytes) {
  (void)what;
  (void)bytes;
  abort();
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static agpu__mpi_request first, second;
static agpu__mpi_request *const requests[REQUESTS] = {&first, &second};
static _Atomic(int) begun[REQUESTS], answered[REQUESTS];
static _Atomic(int) ended[REQUESTS];

static bool test(agpu__mpi_handle *native, agpu__mpi_ended *out_end) {
  if (!atomic_load(&answered[*native - 1]))
    return false;
  *out_end = (agpu__mpi_ended){0};
  return true;
}

static int testsome(int count, const agpu__mpi_handle *natives, int *out_count,
                    int *indices, agpu__mpi_ended *ends) {
  *out_count = 0;
  for (int i = 0; i < count; ++i)
    if (atomic_load(&answered[natives[i] - 1])) {
      indices[*out_count] = i;
      ends[(*out_count)++] = (agpu__mpi_ended){0};
    }
  return 0;
}

agpu__mpi_world agpu__the_mpi_world = {
    .library = {.testsome = testsome, .test = test}};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static bool end_all(agpu__mpi_request *request) {
  bool any = request != NULL;
  while (request) {
    agpu__mpi_request *next = request->next;
    atomic_fetch_add(&ended[request->native - 1], 1);
    agpu__mpi_pending_remove(AGPU__MPI_PROGRAMS);
    request = next;
  }
  return any;
}

static bool test_some(void) {
  agpu__mpi_request *done = agpu__mpi_running_test();
  agpu__mpi_running_disclaim();
  return end_all(done);
}

static bool has_ended(const void *request) {
  return ended[((const agpu__mpi_request *)request)->native - 1] > 0;
}

/// Looks once as it waits, and then sleeps.
static void wait(int number) {
  if (agpu__mpi_running_try_claim()) {
    agpu__mpi_rest_note_test();
    (void)test_some();
  }
  if (agpu__mpi_pending())
    agpu__mpi_rest_poke();
  interleave_block(has_ended, requests[number]);
}

static void work(void) {
  for (int i = 0; i < REQUESTS; ++i) {
    atomic_store(&begun[i], 1);
    agpu__mpi_pending_add(AGPU__MPI_PROGRAMS);
    agpu__mpi_running_add(requests[i]);
    agpu__mpi_rest_wake();
    // The last is left to the progress thread.
    if (i == 0)
      wait(i);
  }
  interleave_block(has_ended, &second);
  agpu__mpi_rest_stop();
}

static void progress(void) {
  agpu__mpi_round round = {0};
  for (;;) {
    agpu__mpi_rest_begin(&round);
    if (!agpu__mpi_running_try_claim()) {
      round.others_test = true;
    } else if (test_some()) {
      round.in_vain = 0;
      continue;
    }
    if (round.stops)
      return;
    agpu__mpi_rest(&round, /*listens=*/false);
  }
}

static bool has_begun(const void *number) {
  return *(const _Atomic(int) *)number != 0;
}

static void answer(void) {
  for (int i = 0; i < REQUESTS; ++i) {
    interleave_block(has_begun, &begun[i]);
    atomic_store(&answered[i], 1);
  }
}

static void begin(void) {
  for (int i = 0; i < REQUESTS; ++i) {
    *requests[i] = (agpu__mpi_request){.native = (agpu__mpi_handle)(i + 1)};
    begun[i] = answered[i] = ended[i] = 0;
  }
  agpu__mpi_running_forget();
  agpu__mpi_pending_forget();
  agpu__mpi_rest_init();
}

static void run(int thread) {
  switch (thread) {
  case 0: work(); return;
  case 1: progress(); return;
  default: answer(); return;
  }
}

static void end(void) {
  for (int i = 0; i < REQUESTS; ++i)
    CHECK_EQ(ended[i], 1);
  CHECK(!agpu__mpi_pending());
}

int main(void) {
  long runs = interleave(&(interleaving){
      .threads = 3, .preemptions = 2, .begin = begin, .run = run, .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
