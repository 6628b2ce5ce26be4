//===- outside.c - Tasks of all threads without a deque -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outboxes are made when there are more threads that need one than ever
// before, and never freed: a thread that ends leaves its own, with what is in
// it, to the next. The array of them only grows, so that takers need no lock.
//
//===----------------------------------------------------------------------===//

#include "exec/queue/outside.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"
#include "exec/queue/injector.h"
#include "exec/queue/outbox.h"

#include <pthread.h>
#include <stdatomic.h>

/// Threads beyond use the common queue.
#define OUTBOXES 64

static agpu__injector injector;
static bool has_injector;

static _Atomic(agpu__outbox *) outboxes[OUTBOXES];
/// How many there are. seq_cst: a taker that reads it after a push to a new
/// outbox sees that one.
static _Atomic(size_t) count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards `owned`
static bool owned[OUTBOXES];

/// The calling thread's number, from 1; NONE_LEFT; 0 before its first task.
static AGPU__HOT_THREAD_LOCAL size_t own;
#define NONE_LEFT (OUTBOXES + 1)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static agpu__outbox *outbox_at(size_t index) {
  return atomic_load_explicit(&outboxes[index], memory_order_relaxed);
}

/// At the end of a thread.
static void disown(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  owned[own - 1] = false;
  pthread_mutex_unlock(&lock);
  own = 0;
}

static void create_key(void) { (void)pthread_key_create(&key, disown); }

static void claim(void) {
  (void)pthread_once(&once, create_key);
  pthread_mutex_lock(&lock);
  size_t index = 0;
  while (index < OUTBOXES && owned[index])
    ++index;
  if (index == OUTBOXES) {
    own = NONE_LEFT;
  } else {
    owned[index] = true;
    own = index + 1;
    if (!outbox_at(index)) {
      agpu__outbox *made = agpu__memory_alloc(sizeof(*made), AGPU__CACHE_LINE,
                                              "a thread's queue of tasks");
      agpu__outbox_init(made);
      atomic_store_explicit(&outboxes[index], made, memory_order_relaxed);
      atomic_store_explicit(&count, index + 1, memory_order_seq_cst);
    }
    (void)pthread_setspecific(key, &own);
  }
  pthread_mutex_unlock(&lock);
}

void agpu__outside_init(void) {
  agpu__injector_init(&injector);
  has_injector = true;
}

void agpu__outside_destroy(void) {
  agpu__injector_destroy(&injector);
  has_injector = false;
}

void agpu__outside_push(agpu__task task) {
  if (own == 0)
    claim();
  if (own == NONE_LEFT || !agpu__outbox_push(outbox_at(own - 1), task))
    agpu__injector_push(&injector, task);
}

/// Tasks that are few, and how often they are let be while more are added.
#define FEW 16
#define PATIENT_LOOKS 4

/// Whether to let the tasks of outbox `number` be. Only those of one: others
/// are taken meanwhile.
static bool let_be(agpu__patience *patience, size_t number) {
  uint64_t head, tail;
  agpu__outbox_look(outbox_at(number - 1), &head, &tail);
  bool known = patience->outbox == number;
  ++patience->in_vain;
  if (head == tail || tail - head >= FEW || (patience->outbox && !known)) {
    if (known)
      patience->outbox = 0;
    --patience->in_vain;
    return false;
  }
  if (!known || head != patience->head) {
    // New, or someone is taking them.
    patience->outbox = number;
    patience->head = head;
    patience->tail = tail;
    patience->looks = 0;
    return true;
  }
  if (tail != patience->tail && ++patience->looks < PATIENT_LOOKS) {
    patience->tail = tail;
    return true;
  }
  patience->outbox = 0;
  return false;
}

size_t agpu__outside_take(size_t start, size_t share, size_t limit,
                          agpu__patience *patience, agpu__task *tasks) {
  size_t among = atomic_load_explicit(&count, memory_order_seq_cst);
  for (size_t i = 0; i < among; ++i) {
    size_t index = (start + i) % among;
    if (patience && let_be(patience, index + 1))
      continue;
    size_t taken = agpu__outbox_take(outbox_at(index), share, limit, tasks);
    if (taken > 0) {
      if (patience)
        patience->in_vain = 0;
      return taken;
    }
  }
  return agpu__injector_take(&injector, share, limit, tasks);
}

bool agpu__outside_take_own_brief(agpu__task *out_task) {
  return own != 0 && own != NONE_LEFT &&
         agpu__outbox_take_brief(outbox_at(own - 1), out_task);
}

size_t agpu__outside_count_own(void) {
  return own != 0 && own != NONE_LEFT ? agpu__outbox_count(outbox_at(own - 1))
                                      : 0;
}

bool agpu__outside_is_empty(void) {
  size_t among = atomic_load_explicit(&count, memory_order_seq_cst);
  for (size_t i = 0; i < among; ++i)
    if (!agpu__outbox_is_empty(outbox_at(i)))
      return false;
  return agpu__injector_is_empty(&injector);
}

void agpu__outside_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE) {
    pthread_mutex_lock(&lock);
    if (has_injector)
      pthread_mutex_lock(&injector.lock);
    return;
  }
  if (step == AGPU__FORK_IN_CHILD) {
    size_t among = atomic_load_explicit(&count, memory_order_relaxed);
    for (size_t i = 0; i < among; ++i) {
      agpu__outbox_init(outbox_at(i));
      owned[i] = i + 1 == own;
    }
  }
  if (has_injector)
    pthread_mutex_unlock(&injector.lock);
  pthread_mutex_unlock(&lock);
}
