//===- awaiter.c - Memory of awaiters -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An awaiter is in use as long as it names an object. The pool leaves that
// member alone while it is not.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"

#include "base/memory/magazine.h"

_Static_assert(sizeof(agpu__awaiter) <= AGPU__POOL_BYTES &&
                   offsetof(agpu__awaiter, object) >= AGPU__POOL_LINK,
               "an awaiter is a block of the pool");

static void mark_free(agpu__awaiter *awaiter) {
  atomic_store_explicit(&awaiter->object, NULL, memory_order_relaxed);
}

agpu__awaiter *agpu__awaiter_create(agpu_object *object) {
  agpu__awaiter *awaiter = agpu__pool_alloc(AGPU__POOL_AWAITERS);
  atomic_store_explicit(&awaiter->object, object, memory_order_relaxed);
  return awaiter;
}

void agpu__awaiter_release(agpu__awaiter *awaiter) {
  mark_free(awaiter);
  agpu__pool_free(AGPU__POOL_AWAITERS, awaiter);
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
  agpu__pool_visit(AGPU__POOL_AWAITERS, visit_used, &self);
}

static void forget(void *block, void *unused) {
  (void)unused;
  mark_free(block);
}

void agpu__awaiter_forget(void) {
  agpu__pool_visit(AGPU__POOL_AWAITERS, forget, NULL);
}
