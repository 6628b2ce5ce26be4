//===- enough.c - When a spawner runs what it spawns ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "exec/executor.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#define WORKERS 2
/// More than is queued for each thread.
#define MANY 64

static sem_t started, go_on, ended;
static bool answers[3];

static void block(void *unused) {
  (void)unused;
  sem_post(&started);
  sem_wait(&go_on);
  sem_post(&ended);
}

static void nothing(void *unused) {
  (void)unused;
  sem_post(&ended);
}

/// Of a thread that has spawned tasks for long.
static bool ask(void) {
  agpu__hot.exec.ran_inline = UINT32_MAX;
  bool answer = agpu__exec_run_inline();
  if (answer)
    agpu__exec_started_here(false);
  return answer;
}

/// The same question with more than a megabyte of stack in use.
static __attribute__((noinline)) bool ask_deep(void) {
  volatile char *deep = __builtin_alloca(3 << 19);
  deep[0] = 1;
  // Or the compiler would keep the one byte that is used.
  __asm__ volatile("" : : "r"(deep) : "memory");
  bool answer = ask();
  return answer && deep[0] == 1;
}

static void spawn_many(void *unused) {
  (void)unused;
  answers[0] = ask();
  for (int i = 0; i < MANY; ++i)
    agpu__exec_submit((agpu__task){NULL, nothing});
  answers[1] = ask();
  answers[2] = ask_deep();
  sem_post(&ended);
}

static void wait_times(sem_t *semaphore, int times) {
  for (int i = 0; i < times; ++i)
    while (sem_wait(semaphore) != 0)
      ;
}

/// `count` tasks that hold their threads.
static void hold_threads(int count) {
  for (int i = 0; i < count; ++i)
    agpu__exec_submit((agpu__task){NULL, block});
  wait_times(&started, count);
}

static void release_threads(int count) {
  for (int i = 0; i < count; ++i)
    sem_post(&go_on);
  wait_times(&ended, count);
}

int main(void) {
  CHECK(sem_init(&started, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0 &&
        sem_init(&ended, 0, 0) == 0);
  // No thread could run anything yet.
  CHECK(!ask());

  // Outside, with nothing queued, much queued, and a deep stack.
  hold_threads(WORKERS);
  CHECK(!ask());
  for (int i = 0; i < MANY; ++i)
    agpu__exec_submit((agpu__task){NULL, nothing});
  CHECK(ask());
  CHECK(!ask_deep());
  release_threads(WORKERS);
  wait_times(&ended, MANY);

  // Inside a task, while no other thread takes what it queues.
  hold_threads(WORKERS - 1);
  agpu__exec_submit((agpu__task){NULL, spawn_many});
  wait_times(&ended, MANY + 1);
  CHECK(!answers[0]);
  CHECK(answers[1]);
  CHECK(!answers[2]);
  release_threads(WORKERS - 1);

  agpu__exec_drain();
  agpu__exec_stop();
  return 0;
}
