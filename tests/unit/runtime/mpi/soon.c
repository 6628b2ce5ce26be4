//===- soon.c - Messages that come before a region is suspended -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/object.h"
#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/compiled/mpi.h"
#include "async_gpu/object.h"
#include "check.h"
#include "mpi/internal.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static pthread_t main_thread;
static int tests, comes_after; // of the main thread

static int irecv(void *memory, int count, agpu__mpi_handle type, int peer,
                 int tag, agpu__mpi_handle comm, agpu__mpi_handle *out_native) {
  (void)memory, (void)count, (void)type, (void)peer, (void)tag, (void)comm;
  *out_native = 1;
  return 0;
}

/// Nothing comes where the thread for messages looks.
static bool test(agpu__mpi_handle *native, agpu__mpi_ended *out_end) {
  (void)native;
  *out_end = (agpu__mpi_ended){.code = 0};
  return pthread_equal(pthread_self(), main_thread) && ++tests > comes_after;
}

static agpu_object *receive(void) {
  static int32_t memory;
  agpu_mpi_elements elements = {.pointer = &memory, .bytes = sizeof memory};
  return agpu_mpi_start(&elements, AGPU_MPI_RECV, 0, 0, 0, "a.mlir:1:1");
}

/// Whether it has come by one call that has tested it; the other thread may do
/// that at the same time.
static bool comes_soon(agpu_object *object) {
  for (;; (void)sched_yield()) {
    tests = 0;
    if (agpu_mpi_is_ready_soon(object))
      return true;
    if (tests > 1)
      return false;
  }
}

static sem_t held, go_on;

static void hold(void *unused) {
  (void)unused;
  sem_post(&held);
  sem_wait(&go_on);
}

static void tell(void *unused) {
  (void)unused;
  sem_post(&held);
}

/// It does not look where it has something else to run: a task that is queued,
/// or its spawner.
static void test_other_work(agpu_object *object) {
  tests = comes_after = 0;
  sem_init(&held, 0, 0);
  sem_init(&go_on, 0, 0);
  mlirAsyncRuntimeExecute(NULL, hold);
  sem_wait(&held);
  mlirAsyncRuntimeExecute(NULL, tell);
  CHECK(!agpu_mpi_is_ready_soon(object));
  sem_post(&go_on);
  sem_wait(&held);
  CHECK(agpu_start_here());
  CHECK(!agpu_mpi_is_ready_soon(object));
  agpu_started_here(false);
  CHECK_EQ(tests, 0);
}

int main(void) {
  main_thread = pthread_self();
  agpu__mpi_world *world = &agpu__the_mpi_world;
  world->library =
      (agpu__mpi_library){.irecv = irecv, .test = test, .request_empty = 99};
  world->is_multiple = true;
  atomic_store(&world->phase, AGPU__MPI_UP);
  agpu_object *object = receive();
  test_other_work(object);
  // In vain, and then with the second look.
  comes_after = 1000;
  CHECK(!comes_soon(object));
  comes_after = 1;
  CHECK(comes_soon(object));
  CHECK(agpu_object_is_ready(object));
  CHECK_EQ(agpu__mpi_pending_of_program(), 0);
  mlirAsyncRuntimeDropRef(object, 1);
  return 0;
}
