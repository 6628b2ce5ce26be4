//===- queues_genmc.c - The queues, for GenMC -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small programs over deque.c and outbox.c for GenMC (M. Kokologiannakis and V.
// Vafeiadis, "GenMC: A model checker for weak memory models", CAV 2021), which
// tries all that a memory model allows, without bounds: load buffering and what
// RC11 makes of sequential consistency, which tests/unit/weak_memory.c leaves
// out. tests/support/weaken_orders.py runs it; PROGRAM is one of those below.
//
//===----------------------------------------------------------------------===//

#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PUSHED
#define PUSHED 3
#endif

#ifdef DEQUE
#define AGPU__DEQUE_INITIAL_CAPACITY 2
#include "exec/queue/deque.c"
static agpu__deque queue;
#else
#define AGPU__OUTBOX_CAPACITY 2
#include "exec/queue/outbox.c"
static agpu__outbox queue;
#endif

void *agpu__memory_alloc(int64_t bytes, int64_t alignment, const char *what) {
  (void)alignment, (void)what;
  return malloc((size_t)bytes);
}

void agpu__memory_free(void *memory) { free(memory); }

static int taken[PUSHED + 1]; // how often
static int written[PUSHED + 1];

static void run(void *handle) { (void)handle; }

static void count(void *handle) {
  int number = (int)(intptr_t)handle;
  assert(number >= 1 && number <= PUSHED && written[number] == 1);
  written[number] = 2;
  ++taken[number];
}

static void push(int number) {
  written[number] = 1;
#ifdef DEQUE
  agpu__deque_push(&queue, (agpu__task){(void *)(intptr_t)number, run});
#else
  uint64_t index;
  if (!agpu__outbox_push(&queue, (agpu__task){(void *)(intptr_t)number, run}, 0,
                         &index))
    count((void *)(intptr_t)number);
#endif
}

static void *take(void *unused) {
  (void)unused;
  agpu__task task;
#ifdef DEQUE
  if (agpu__deque_steal(&queue, &task) == AGPU__STEAL_TAKEN)
#else
  if (agpu__outbox_take(&queue, 1, 1, &task) == 1)
#endif
    count(task.handle);
  return NULL;
}

#ifdef DEQUE
static void pop(void) {
  agpu__task task;
  if (agpu__deque_pop(&queue, &task))
    count(task.handle);
}
#endif

int main(void) {
  pthread_t takers[TAKERS];
#ifdef DEQUE
  agpu__deque_init(&queue);
#else
  agpu__outbox_init(&queue);
#endif
  for (int i = 1; i <= BEFORE; ++i)
    push(i);
  for (int i = 0; i < TAKERS; ++i)
    pthread_create(&takers[i], NULL, take, NULL);
  for (int i = BEFORE + 1; i <= PUSHED; ++i)
    push(i);
#ifdef DEQUE
  for (int i = 0; i < POPS; ++i)
    pop();
#endif
  for (int i = 0; i < TAKERS; ++i)
    pthread_join(takers[i], NULL);
  for (int i = 0; i < PUSHED; ++i)
#ifdef DEQUE
    pop();
  agpu__deque_destroy(&queue);
#else
    take(NULL);
#endif
  for (int i = 1; i <= PUSHED; ++i)
    assert(taken[i] == 1);
  return 0;
}
