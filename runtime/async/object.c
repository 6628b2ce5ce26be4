//===- object.c - Creation and reference counts -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects are created with as many references as will be dropped, and
// die with the last, on the thread that drops it, together with the work, the
// status and the payload that they hold.
//
//===----------------------------------------------------------------------===//

#include "async/object.h"

#include "async/runtime.h"
#include "base/memory/counter.h"
#include "base/memory/magazine.h"
#include "base/os/self.h"
#include "base/report/assert.h"
#include "base/report/log.h"
#include "base/report/status_track.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)AGPU__TOKEN == AGPU__COUNT_TOKENS &&
                   (int)AGPU__VALUE == AGPU__COUNT_VALUES &&
                   (int)AGPU__GROUP == AGPU__COUNT_GROUPS,
               "kinds are counted by their numbers");

static agpu__counter counter_of(unsigned kind) { return (agpu__counter)kind; }

static const char *const kind_names[AGPU__OBJECT_KIND_COUNT] = {
    [AGPU__TOKEN] = "a token",
    [AGPU__VALUE] = "a value",
    [AGPU__GROUP] = "a group",
};

/// The kinds of objects that are gone, as far as their memory is not in use
/// again. Larger than those of groups.
enum { GONE = 4 };
_Static_assert(AGPU__GROUP + 1 == AGPU__OBJECT_KIND_COUNT &&
                   (int)AGPU__OBJECT_KIND_COUNT <= GONE,
               "kinds of objects that are gone are larger");

/// Numbers come in blocks for each thread: the common counter is touched
/// rarely, and objects of one thread are numbered in their order.
#define BLOCK 64

static uint32_t next_number(void) {
  if (agpu__hot.async.numbers_left == 0) {
    bool none_since = agpu__hot.async.unnamed == agpu__hot.async.next_number;
    agpu__hot.async.next_number = atomic_fetch_add_explicit(
        &agpu__the_runtime.next_number, BLOCK, memory_order_relaxed);
    agpu__hot.async.numbers_left = BLOCK;
    if (none_since)
      agpu__hot.async.unnamed = agpu__hot.async.next_number;
  }
  --agpu__hot.async.numbers_left;
  return agpu__hot.async.next_number++;
}

static inline void init(agpu_object *object, agpu__object_kind kind,
                        int64_t size, int64_t references) {
  atomic_init(&object->references, references);
  atomic_init(&object->state, AGPU__PENDING);
  object->work = NULL;
  atomic_init(&object->status, NULL);
  object->size = size;
  atomic_init(&object->added, 0);
  atomic_init(&object->settled, 0);
  object->number = next_number();
  object->kind = (uint8_t)kind;
  object->owns_payload = false;
  object->place = AGPU__PLACE_ALONE;
  agpu__counter_add(counter_of(kind), 1);
}

static inline agpu_object *create(agpu__object_kind kind, int64_t size,
                                  int64_t references) {
  agpu__lifecycle_start();
  // A size that is out of range stays so, for the allocator to refuse.
  int64_t bytes = size;
  if (size >= 0 && size <= INT64_MAX - (int64_t)sizeof(agpu_object))
    bytes = size + (int64_t)sizeof(agpu_object);
  agpu_object *object =
      agpu__magazine_alloc(bytes, AGPU__CACHE_LINE, kind_names[kind]);
  init(object, kind, size, references);
  return object;
}

agpu_object *agpu__object_create(agpu__object_kind kind, int64_t size,
                                 int64_t references) {
  return create(kind, size, references);
}

agpu_object *agpu__token_create_enqueued(agpu__work *work) {
  agpu_object *token = create(AGPU__TOKEN, 0, 1);
  token->work = work;
  // Nobody else knows it yet.
  atomic_store_explicit(&token->state, AGPU__ENQUEUED, memory_order_relaxed);
  return token;
}

agpu_object *agpu__object_create_in(agpu__task_block *block,
                                    agpu__object_kind kind, int64_t size) {
  init(&block->object, kind, size, 2);
  block->object.place = AGPU__PLACE_IN_BLOCK;
  return &block->object;
}

/// Whether the producer has written the storage.
static bool has_payload(agpu_object *value) {
  uintptr_t state = atomic_load_explicit(&value->state, memory_order_relaxed);
  return (state & AGPU__PHASE_MASK) == AGPU__READY || value->work;
}

/// The last reference of a group is gone, so that no more members are added.
/// Whether there are none in flight either, nor one that ends the group.
static __attribute__((noinline)) bool leave_group(agpu_object *group) {
  // One more to drop is one too many, though members may be in flight.
  atomic_store_explicit(&group->references, 0, memory_order_relaxed);
  int64_t lacking = agpu__group_declared(group) -
                    atomic_load_explicit(&group->added, memory_order_relaxed);
  int64_t complete =
      atomic_load_explicit(&group->settled, memory_order_relaxed);
  int64_t gone = (lacking > 0 ? 2 * (lacking + complete) : 0) + 1;
  // acq_rel: the last one has seen what the others did.
  int64_t left = atomic_fetch_sub_explicit(&agpu__group_get_end(group)->open,
                                           gone, memory_order_acq_rel) -
                 gone;
  AGPU__ASSERT(left >= 0 && "more members complete than were declared");
  // Of one that lacks members nobody gets to the end.
  return left == 0 || (lacking > 0 && left == 2);
}

/// What an object has that few have.
static __attribute__((noinline)) void release_rest(agpu_object *object) {
  // Values nest as deep as their types do, and so does this.
  if (object->owns_payload && has_payload(object)) {
    agpu_object *payload;
    memcpy(&payload, agpu__object_storage(object), sizeof(payload));
    agpu__object_release(payload, 1);
  }
  agpu_status status =
      atomic_load_explicit(&object->status, memory_order_relaxed);
  if (status)
    agpu_status_release(status);
}

static inline void destroy(agpu_object *object) {
  if (object->owns_payload ||
      atomic_load_explicit(&object->status, memory_order_relaxed))
    release_rest(object);
  if (object->work && object->kind != AGPU__GROUP)
    object->work->ops->release(object->work);
  agpu__counter_add(counter_of(object->kind), -1);
  object->kind |= GONE;
  agpu__magazine_free(object->place == AGPU__PLACE_IN_BLOCK
                          ? (void *)agpu__task_block_of(object)
                          : object);
}

void agpu__object_free(agpu_object *object) { destroy(object); }

void agpu__object_misused(const char *what) {
  agpu__log(AGPU__LOG_ASYNC, "%s", what);
  agpu__status_report(
      agpu_status_create(AGPU_STATUS_INTERNAL, NULL, "%s", what));
}

/// The object is gone, has not as many references as its caller drops, or has
/// none that are counted. Where a program drops too many, the memory is
/// somebody else's or about to be. What upstream's async-runtime-ref-counting
/// makes does so where one of several operands of a region has failed: it
/// splits an edge for the first value that dies there, has no liveness of the
/// new block when it looks at the next ones, and takes those for dead in it; so
/// it drops there what the region gives, and set_error drops that again.
static __attribute__((noinline, cold)) void
refuse_release(const agpu_object *object, int64_t references) {
  if (references < 0)
    return;
  char text[80];
  (void)snprintf(text, sizeof(text), "%s was released more often than retained",
                 kind_names[object->kind % GONE]);
  agpu__object_misused(text);
}

/// The last reference is gone.
static inline void drop_last(agpu_object *object) {
  if (object->kind < AGPU__GROUP)
    destroy(object);
  else if (object->kind >= GONE)
    refuse_release(object, 0);
  else if (leave_group(object))
    destroy(object);
}

agpu_object agpu_ready_token = {
    .references = AGPU__IMMORTAL,
    .state = AGPU__READY,
    .kind = AGPU__TOKEN,
};

void agpu__object_retain(agpu_object *object, int64_t count) {
  // That many nobody has, and no one writes to them: all threads share the
  // line.
  if (atomic_load_explicit(&object->references, memory_order_relaxed) < 0)
    return;
  // A thread that adds a reference has one, so nothing needs ordering.
  atomic_fetch_add_explicit(&object->references, count, memory_order_relaxed);
}

void agpu__object_release(agpu_object *object, int64_t count) {
  // An owner of all references need not write that: none can be added. The
  // others have dropped theirs by a release, which this acquires: the thread
  // that destroys has seen all uses by them. So does acq_rel below.
  int64_t references =
      atomic_load_explicit(&object->references, memory_order_acquire);
  if (references == count) {
    drop_last(object);
    return;
  }
  if (references < count || object->kind >= GONE) {
    refuse_release(object, references);
    return;
  }
  if (atomic_fetch_sub_explicit(&object->references, count,
                                memory_order_acq_rel) == count)
    drop_last(object);
}

void agpu__object_name_task(uint32_t results) {
  // Numbers that follow each other: those of the newest block.
  uint32_t used = BLOCK - agpu__hot.async.numbers_left;
  uint32_t count = results < used ? results : used;
  uint32_t next = agpu__hot.async.next_number;
  agpu__hot.exec.names = agpu__names(next - count, count);
  agpu__hot.async.unnamed = next;
}

void agpu__object_guess_name(void) {
  uint32_t first = agpu__hot.async.unnamed;
  uint32_t count = agpu__hot.async.next_number - first;
  uint32_t used = BLOCK - agpu__hot.async.numbers_left;
  bool known =
      count == 1 || (count <= used && agpu__hot.async.newest_token == first);
  agpu__object_name_task(known ? count : 0);
}

void *agpu__object_storage(agpu_object *value) { return value + 1; }
