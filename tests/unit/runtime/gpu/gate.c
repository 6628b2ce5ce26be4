//===- gate.c - Who is in the driver when its calls end -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/driver.h"

#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

// A gate closes once in a process, so that each round is a process.
enum { THREADS = 4, CALLS = 100, ROUNDS = 60 };

static atomic_int inside, calls, refused, ready;
static bool is_over; // plain: the gate orders the last call and what follows

static CUresult count_call(unsigned int flags) {
  (void)flags;
  atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
  CHECK(!is_over);
  if (atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed) % 16 == 0)
    sched_yield();
  atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
  return CUDA_SUCCESS;
}

static agpu__driver inner = {.name = "test", .cuInit = count_call}, gated;

static void *run_calls(void *argument) {
  atomic_fetch_add(&ready, 1);
  CUresult result;
  while ((result = gated.cuInit(0)) == CUDA_SUCCESS)
    ;
  CHECK_EQ(result, CUDA_ERROR_DEINITIALIZED);
  atomic_fetch_add(&refused, 1);
  return argument;
}

static void *run_briefly(void *argument) {
  (void)gated.cuInit(0);
  bool entered = agpu__driver_gate_enter();
  CHECK(!(entered && is_over));
  if (entered)
    agpu__driver_gate_leave();
  return argument;
}

static void run_round(int round) {
  agpu__driver_load_gate(&gated, &inner);
  CHECK(!gated.cuInit(0));
  CHECK(!gated.cuLaunchKernel); // what is missing stays missing
  pthread_t threads[THREADS], brief;
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, run_calls, NULL) == 0);
  // A thread that has called and is gone is not waited for.
  CHECK(pthread_create(&brief, NULL, run_briefly, NULL) == 0);
  CHECK(pthread_join(brief, NULL) == 0);
  while (atomic_load(&ready) < THREADS || atomic_load(&calls) < CALLS * round)
    sched_yield();
  CHECK(agpu__driver_gate_close(INT64_C(50) * 1000 * 1000 * 1000));
  CHECK_EQ(atomic_load_explicit(&inside, memory_order_relaxed), 0);
  int so_far = atomic_load(&calls);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK_EQ(atomic_load(&refused), THREADS);
  CHECK_EQ(atomic_load(&calls), so_far);
  // Who has closed it may go on to call.
  CHECK(!gated.cuInit(0));
  CHECK_EQ(atomic_load(&calls), so_far + 1);
  // A new thread may not.
  is_over = true;
  CHECK(pthread_create(&brief, NULL, run_briefly, NULL) == 0);
  CHECK(pthread_join(brief, NULL) == 0);
}

int main(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      run_round(i);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return 0;
}
