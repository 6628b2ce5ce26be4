//===- awaiter.c - Memory of awaiters -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread has two batches of free awaiters, of which it uses one: with a
// second, a thread that goes to and fro over the edge of a batch does not go
// to the common list each time. That list is a stack of batches under a lock,
// which is taken once for BATCH awaiters. So awaiters flow back from threads
// that only release to such as only create.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"

#include <pthread.h>

#define BATCH 64
#define CHUNK 128 // awaiters; two batches, as a thread may take that many

typedef struct chunk {
  struct chunk *next;
  agpu__awaiter awaiters[CHUNK];
} chunk;

/// Free awaiters linked by `next`. On the common list the first of a batch has
/// the batch's length in `as.free.count` and the next batch in `as.free.batch`.
typedef struct batch {
  agpu__awaiter *first;
  uint32_t count;
} batch;

typedef struct cache {
  batch current, other; // `other` is empty or full
  bool at_end;          // the end of the thread gives them back
} cache;

static AGPU__HOT_THREAD_LOCAL cache own;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static chunk *chunks;
static agpu__awaiter *batches;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void mark_free(agpu__awaiter *awaiter) {
  atomic_store_explicit(&awaiter->object, NULL, memory_order_relaxed);
}

static void give(batch *given) {
  if (given->count == 0)
    return;
  given->first->as.free.count = given->count;
  pthread_mutex_lock(&lock);
  given->first->as.free.batch = batches;
  batches = given->first;
  pthread_mutex_unlock(&lock);
  *given = (batch){0};
}

static batch new_chunk(void) {
  chunk *added = agpu__memory_alloc(sizeof(*added), _Alignof(chunk), "awaits");
  for (int i = 0; i < CHUNK; ++i) {
    agpu__awaiter *awaiter = &added->awaiters[i];
    atomic_init(&awaiter->object, NULL);
    awaiter->next = i + 1 < CHUNK ? awaiter + 1 : NULL;
  }
  pthread_mutex_lock(&lock);
  added->next = chunks;
  chunks = added;
  pthread_mutex_unlock(&lock);
  return (batch){added->awaiters, CHUNK};
}

static batch take(void) {
  pthread_mutex_lock(&lock);
  agpu__awaiter *first = batches;
  if (first)
    batches = first->as.free.batch;
  pthread_mutex_unlock(&lock);
  return first ? (batch){first, first->as.free.count} : new_chunk();
}

/// At the end of a thread: others can use what it has. Should it release one
/// after this, this is called again.
static void give_all(void *unused) {
  (void)unused;
  own.at_end = false;
  give(&own.current);
  give(&own.other);
}

static void create_key(void) { (void)pthread_key_create(&key, give_all); }

/// Before the thread's cache holds anything. Without the memory for it the
/// thread gives nothing back, and tries again.
static void mark_thread(void) {
  (void)pthread_once(&once, create_key);
  own.at_end = !pthread_setspecific(key, &own);
}

agpu__awaiter *agpu__awaiter_create(agpu_object *object) {
  if (own.current.count == 0) {
    if (own.other.count > 0) {
      own.current = own.other;
      own.other = (batch){0};
    } else {
      if (!own.at_end)
        mark_thread();
      own.current = take();
    }
  }
  agpu__awaiter *awaiter = own.current.first;
  own.current.first = awaiter->next;
  --own.current.count;
  atomic_store_explicit(&awaiter->object, object, memory_order_relaxed);
  return awaiter;
}

void agpu__awaiter_release(agpu__awaiter *awaiter) {
  mark_free(awaiter);
  // Many a thread only releases, and few before it ends.
  if (!own.at_end)
    mark_thread();
  if (own.current.count >= BATCH) {
    give(&own.other);
    own.other = own.current;
    own.current = (batch){0};
  }
  awaiter->next = own.current.first;
  own.current.first = awaiter;
  ++own.current.count;
}

void agpu__awaiter_visit(void (*visit)(const agpu__awaiter *awaiter,
                                       void *argument),
                         void *argument) {
  pthread_mutex_lock(&lock);
  for (const chunk *each = chunks; each; each = each->next)
    for (int i = 0; i < CHUNK; ++i)
      if (atomic_load_explicit(&each->awaiters[i].object, memory_order_relaxed))
        visit(&each->awaiters[i], argument);
  pthread_mutex_unlock(&lock);
}

void agpu__awaiter_forget(void) {
  pthread_mutex_lock(&lock);
  for (chunk *each = chunks; each; each = each->next)
    for (int i = 0; i < CHUNK; ++i)
      mark_free(&each->awaiters[i]);
  pthread_mutex_unlock(&lock);
}

void agpu__awaiter_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE)
    pthread_mutex_lock(&lock);
  else
    pthread_mutex_unlock(&lock);
}
