//===- blocking.c - Calls that block their thread -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of the library that takes its time has a thread of its own. Who looks
// for what ranks wait for finds those that have not returned.
//
//===----------------------------------------------------------------------===//

#include "mpi/blocking.h"

#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/sync/mutex.h"
#include "mpi/modelled.h"

#include <stddef.h>

static struct {
  agpu__mutex lock;
  agpu__mpi_request *calls AGPU__GUARDED_BY(lock);
  void (*ends)(agpu__mpi_request *request); // the same for all
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_BLOCKING)};

void agpu__mpi_blocking_visit(void (*visit)(const agpu__mpi_request *request,
                                            void *argument),
                              void *argument) {
  agpu__mutex_lock(&self.lock);
  for (const agpu__mpi_request *call = self.calls; call; call = call->next)
    visit(call, argument);
  agpu__mutex_unlock(&self.lock);
}

static void *run(void *argument) {
  agpu__mpi_request *request = argument;
  (void)agpu__mpi_call(request);
  agpu__mutex_lock(&self.lock);
  agpu__mpi_request **at = &self.calls;
  while (*at != request)
    at = &(*at)->next;
  *at = request->next;
  agpu__mutex_unlock(&self.lock);
  if (agpu__mpi_is_modelled())
    agpu__mpi_modelled_is_here(request);
  else
    self.ends(request);
  return NULL;
}

void agpu__mpi_blocking_start(agpu__mpi_request *request,
                              void (*ends)(agpu__mpi_request *request)) {
  pthread_t thread;
  request->handed = agpu__clock_now_ns();
  agpu__mutex_lock(&self.lock);
  self.ends = ends;
  request->next = self.calls;
  self.calls = request;
  agpu__mutex_unlock(&self.lock);
  if (agpu__mpi_is_modelled())
    agpu__mpi_modelled_begin(request);
  if (agpu__thread_create(&thread, "agpu-mpi-call", run, request))
    (void)run(request);
  else
    (void)pthread_detach(thread);
}

void agpu__mpi_blocking_forget(void) {
  agpu__mutex_init(&self.lock, AGPU__RANK_MPI_BLOCKING);
  self.calls = NULL;
}
