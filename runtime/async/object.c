//===- object.c - Creation and reference counts -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/object.h"

#include "async/lifecycle.h"
#include "base/counter.h"
#include "base/memory.h"

static agpu__counter alive[AGPU__OBJECT_KIND_COUNT];

static const char *const kind_names[AGPU__OBJECT_KIND_COUNT] = {
    [AGPU__TOKEN] = "a token",
    [AGPU__VALUE] = "a value",
    [AGPU__GROUP] = "a group",
};

agpu_object *agpu__object_create(agpu__object_kind kind, int64_t size,
                                 int64_t references) {
  agpu__lifecycle_start();
  int64_t storage = kind == AGPU__VALUE ? size : 0;
  // A size that is out of range stays so, for the allocator to refuse.
  int64_t bytes = storage;
  if (storage >= 0 && storage <= INT64_MAX - (int64_t)sizeof(agpu_object))
    bytes = storage + (int64_t)sizeof(agpu_object);
  agpu_object *object =
      agpu__memory_alloc(bytes, AGPU__CACHE_LINE, kind_names[kind]);
  atomic_init(&object->references, references);
  atomic_init(&object->state, AGPU__PENDING);
  object->work = NULL;
  atomic_init(&object->status, NULL);
  object->size = size;
  atomic_init(&object->added, 0);
  atomic_init(&object->missing, size);
  object->kind = (uint8_t)kind;
  agpu__counter_add(&alive[kind], 1);
  return object;
}

static void destroy(agpu_object *object) {
  if (object->work)
    object->work->ops->release(object->work);
  agpu_status_release(
      atomic_load_explicit(&object->status, memory_order_relaxed));
  agpu__counter_add(&alive[object->kind], -1);
  agpu__memory_free(object);
}

void agpu__object_retain(agpu_object *object, int64_t count) {
  // Whoever adds a reference has one, so nothing needs ordering.
  atomic_fetch_add_explicit(&object->references, count, memory_order_relaxed);
}

void agpu__object_release(agpu_object *object, int64_t count) {
  // acq_rel: the thread that destroys has seen all uses by the others.
  if (atomic_fetch_sub_explicit(&object->references, count,
                                memory_order_acq_rel) == count)
    destroy(object);
}

int64_t agpu__object_count(agpu__object_kind kind) {
  return agpu__counter_read(&alive[kind]);
}

void *agpu__object_storage(agpu_object *value) { return value + 1; }
