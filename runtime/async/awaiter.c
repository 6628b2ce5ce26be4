//===- awaiter.c - Memory of awaiters -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An awaiter is in use as long as it names an object. The pools leave that
// member alone while it is not, of an awaiter as of a task's block, which
// begins with one.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"

#include "base/memory/magazine.h"

_Static_assert(sizeof(agpu__awaiter) <= 64 &&
                   offsetof(agpu__awaiter, object) >= AGPU__POOL_LINK &&
                   offsetof(agpu__task_block, awaiter) == 0,
               "an awaiter is a block of a pool, or its start");

static void mark_free(agpu__awaiter *awaiter) {
  atomic_store_explicit(&awaiter->object, NULL, memory_order_relaxed);
}

agpu__awaiter *agpu__awaiter_create(agpu_object *object) {
  agpu__awaiter *awaiter = agpu__pool_alloc(AGPU__POOL_64);
  awaiter->is_part = false;
  atomic_store_explicit(&awaiter->object, object, memory_order_relaxed);
  return awaiter;
}

void agpu__awaiter_release(agpu__awaiter *awaiter) {
  mark_free(awaiter);
  if (!awaiter->is_part)
    agpu__pool_free(AGPU__POOL_64, awaiter);
}

typedef struct visitor {
  void (*visit)(const agpu__awaiter *awaiter, void *argument);
  void *argument;
} visitor;

static void visit_used(void *block, void *data) {
  agpu__awaiter *awaiter = block;
  const visitor *self = data;
  if (atomic_load_explicit(&awaiter->object, memory_order_relaxed))
    self->visit(awaiter, self->argument);
}

void agpu__awaiter_visit(void (*visit)(const agpu__awaiter *awaiter,
                                       void *argument),
                         void *argument) {
  visitor self = {visit, argument};
  for (int pool = 0; pool < AGPU__POOLS; ++pool)
    agpu__pool_visit((agpu__pool)pool, visit_used, &self);
}

static void forget(void *block, void *unused) {
  (void)unused;
  mark_free(block);
}

void agpu__awaiter_forget(void) {
  for (int pool = 0; pool < AGPU__POOLS; ++pool)
    agpu__pool_visit((agpu__pool)pool, forget, NULL);
}
