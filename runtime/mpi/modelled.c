//===- modelled.c - Requests in modelled time -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library moves what is sent, in its own time. A request ends once the
// model says that it is over and the library has ended it, too, which is waited
// for then: one that the library ends sooner is kept.
//
//===----------------------------------------------------------------------===//

#include "mpi/modelled.h"

#include "base/memory/memory.h"
#include "base/report/fatal.h"
#include "base/sync/schedule.h"
#include "mpi/running.h"

#include <sched.h>
#include <stdlib.h>

static agpu__mpi_world *const world = &agpu__the_mpi_world;

/// A short message that is over for the program: a copy of it.
typedef struct copy {
  struct copy *next;
  agpu__mpi_handle native;
  _Alignas(64) char bytes[];
} copy;

static struct {
  _Atomic(copy *) added;
  copy *sent; // of the thread that has claimed what runs
  // The progress thread's.
  bool is_last;
} self;

static _Noreturn void fail(agpu_status_code code, const char *what) {
  agpu__fatal(agpu_status_create(code, NULL, "%s", what), NULL, EXIT_FAILURE);
}

//===----------------------------------------------------------------------===//
// What the library does
//===----------------------------------------------------------------------===//

static void test_copies(void) {
  agpu__mpi_ended end;
  copy *added = atomic_exchange(&self.added, NULL);
  while (added) {
    copy *next = added->next;
    added->next = self.sent;
    self.sent = added;
    added = next;
  }
  for (copy **at = &self.sent; *at;) {
    copy *of = *at;
    if (!world->library.test(&of->native, &end)) {
      at = &of->next;
      continue;
    }
    if (end.code)
      fail(AGPU_STATUS_PROGRAM, "a message that was sent has failed later");
    *at = of->next;
    agpu__memory_free(of);
  }
}

void agpu__mpi_modelled_poll(void) {
  if (!agpu__mpi_running_try_claim())
    return;
  agpu__mpi_request *ended = agpu__mpi_running_test();
  test_copies();
  agpu__mpi_running_disclaim();
  while (ended) {
    agpu__mpi_request *next = ended->next;
    agpu__mpi_modelled_is_here(ended);
    ended = next;
  }
}

void agpu__mpi_modelled_is_here(agpu__mpi_request *request) {
  atomic_store_explicit(&request->is_here, true, memory_order_release);
}

//===----------------------------------------------------------------------===//
// Begins
//===----------------------------------------------------------------------===//

static bool is_any(const agpu__mpi_request *request) {
  return request->operation->is_receive &&
         (request->peer == AGPU_MPI_ANY_SOURCE ||
          request->tag == AGPU_MPI_ANY_TAG || request->tag == -1);
}

static bool has_rank(const agpu__mpi_request *request) {
  return request->operation->has_peer && request->peer >= 0;
}

/// Sends a copy instead.
static agpu__mpi_started start_copy(agpu__mpi_request *request) {
  agpu__mpi_view from = request->from;
  copy *made =
      agpu__memory_alloc((int64_t)sizeof *made + agpu__mpi_view_bytes(&from),
                         _Alignof(copy), "a message");
  agpu__mpi_view_pack(&from, made->bytes);
  request->from = agpu__mpi_view_packed(&from, made->bytes);
  agpu__mpi_started started = request->operation->start(request);
  request->from = from;
  if (started == AGPU__MPI_DONE) {
    agpu__memory_free(made);
    return started;
  }
  made->native = request->native;
  made->next = atomic_load(&self.added);
  while (!atomic_compare_exchange_weak(&self.added, &made->next, made))
    ;
  agpu__mpi_modelled_is_here(request);
  return started;
}

agpu__mpi_started agpu__mpi_modelled_start(agpu__mpi_request *request) {
  if (is_any(request)) {
    request->failure = agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, request->location,
        "%s from any rank, or with any tag, has no modelled time: which "
        "message comes first is not known; name both",
        request->operation->name);
    return AGPU__MPI_DONE;
  }
  if (has_rank(request) && !request->operation->is_receive &&
      agpu__schedule_network()->is_eager(
          agpu__mpi_comm_world_rank(request->comm, request->peer),
          agpu__mpi_view_bytes(&request->from)))
    return start_copy(request);
  return request->operation->start(request);
}

/// The sides of an exchange, the caller's; the sends to the next ranks first.
static agpu__network_side *get_sides(const agpu__mpi_request *request,
                                     size_t *out_count) {
  int rank = 0, ranks = 0;
  (void)agpu__mpi_comm_place(request->comm, &rank, &ranks);
  agpu__network_side *sides =
      agpu__memory_alloc(2 * (int64_t)ranks * (int64_t)sizeof *sides,
                         _Alignof(agpu__network_side), "what ranks exchange");
  size_t count = 0;
  for (int i = 0; i < 2 * ranks; ++i) {
    bool is_receive = i % 2 == 0;
    int peer = (is_receive ? rank + ranks - i / 2 : rank + i / 2) % ranks;
    int64_t bytes = (is_receive ? request->come : request->sent)[peer];
    if (bytes && peer != rank)
      sides[count++] = (agpu__network_side){
          .comm = agpu__mpi_comm_id(request->comm),
          .peer = agpu__mpi_comm_world_rank(request->comm, peer),
          .tag = -1,
          .bytes = bytes,
          .is_receive = is_receive};
  }
  *out_count = count;
  return sides;
}

static bool begin_sides(agpu__mpi_request *request) {
  const agpu__network_calls *network = agpu__schedule_network();
  if (request->exchange) {
    size_t count;
    agpu__network_side *sides = get_sides(request, &count);
    bool has_room = network->begin(request, sides, count);
    agpu__memory_free(sides);
    return has_room;
  }
  agpu__network_side side = {
      .comm = agpu__mpi_comm_id(request->comm),
      .peer = agpu__mpi_comm_world_rank(request->comm, request->peer),
      .tag = request->tag,
      .bytes = agpu__mpi_view_bytes(&request->from),
      .is_receive = request->operation->is_receive};
  return network->begin(request, &side, has_rank(request));
}

static bool begin_all(agpu__mpi_request *request) {
  int rank = 0, ranks = world->size;
  if (request->comm)
    (void)agpu__mpi_comm_place(request->comm, &rank, &ranks);
  int64_t bytes = agpu__mpi_view_bytes(&request->from);
  return agpu__schedule_network()->begin_all(
      request,
      request->operation->is_scatter ? AGPU__NETWORK_REDUCE_SCATTER
      : bytes                        ? AGPU__NETWORK_REDUCE
                                     : AGPU__NETWORK_BARRIER,
      agpu__mpi_comm_id(request->comm), ranks, bytes, request->handed);
}

void agpu__mpi_modelled_begin(agpu__mpi_request *request) {
  bool has_room = request->operation->has_peer || request->exchange
                      ? begin_sides(request)
                      : begin_all(request);
  if (!has_room)
    fail(AGPU_STATUS_OUT_OF_RESOURCES,
         "more messages are under way than modelled time has room for (8192 of "
         "all ranks, and 256 operations of communicators)");
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void agpu__mpi_modelled_finalize(agpu__mpi_request *request) {
  if (self.is_last)
    return;
  self.is_last = true;
  atomic_store(&request->is_here, true);
  agpu__mpi_modelled_begin(request);
}

agpu__mpi_request *agpu__mpi_modelled_await(void) {
  agpu__mpi_request *request = agpu__schedule_network()->await();
  while (request &&
         !atomic_load_explicit(&request->is_here, memory_order_acquire)) {
    agpu__mpi_modelled_poll();
    (void)sched_yield();
  }
  return request;
}

void agpu__mpi_modelled_leave(void) {
  agpu__schedule_network()->leave();
  for (bool are_sent = !self.is_last; !are_sent;) {
    agpu__mpi_running_claim();
    test_copies();
    are_sent = !self.sent && !atomic_load(&self.added);
    agpu__mpi_running_disclaim();
    if (!are_sent)
      (void)sched_yield();
  }
  atomic_store(&world->is_modelled, false);
}
