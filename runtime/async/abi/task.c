//===- task.c - What a task takes of memory, and its awaits ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task that compiled code spawns takes one block: for the awaiter of whatever
// it waits for, one thing at a time, for the token or value that it gives, and
// for its frame. The block lives as long as the object has references, of which
// one is the producer's until the frame is freed.
//
// What is too large for a block, or aligned more than it is, takes two pieces
// of memory instead, so that an object that is kept for long does not keep a
// large frame; its awaiters come from the pool. So does everything where each
// piece is to be an allocation of its own.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/object.h"

#include "async/awaiter.h"
#include "async/lifecycle.h"
#include "async/object.h"
#include "base/memory/counter.h"
#include "base/memory/magazine.h"
#include "exec/executor.h"

/// What frames in blocks are aligned to.
#define FRAME_ALIGNMENT 16

/// Bytes of the largest block, and the pool for blocks of `bytes`.
#define LARGEST 512
_Static_assert((int)AGPU__POOL_512 == (int)AGPU__POOLS - 1, "the last pool");

static agpu__pool pool_for(int64_t bytes) {
  return bytes <= 192   ? AGPU__POOL_192
         : bytes <= 256 ? AGPU__POOL_256
         : bytes <= 384 ? AGPU__POOL_384
                        : AGPU__POOL_512;
}

/// Where a frame lies after a payload of so many bytes.
static int64_t frame_offset(int64_t payload) {
  return (int64_t)sizeof(agpu__task_block) +
         ((payload + FRAME_ALIGNMENT - 1) & -(int64_t)FRAME_ALIGNMENT);
}

static bool fits(int64_t payload, int64_t size, int64_t alignment) {
  return !AGPU__MAGAZINE_SEPARATE && alignment <= FRAME_ALIGNMENT &&
         (uint64_t)payload <= LARGEST && (uint64_t)size <= LARGEST &&
         frame_offset(payload) + size <= LARGEST;
}

static __attribute__((noinline)) agpu_object *
create_apart(agpu__object_kind kind, int64_t payload, int64_t size,
             int64_t alignment) {
  agpu_object *object = agpu__object_create(kind, payload, 2);
  object->frame = agpu_frame_alloc(size, alignment);
  object->place = AGPU__PLACE_BESIDE_FRAME;
  return object;
}

static inline agpu_object *create(agpu__object_kind kind, int64_t payload,
                                  int64_t size, int64_t alignment) {
  if (!fits(payload, size, alignment))
    return create_apart(kind, payload, size, alignment);
  agpu__lifecycle_start();
  int64_t offset = frame_offset(payload);
  agpu__task_block *block = agpu__pool_alloc(pool_for(offset + size));
  agpu_object *object = agpu__object_create_in(block, kind, payload);
  object->frame = (char *)block + offset;
  agpu__counter_add(AGPU__COUNT_FRAMES, 1);
  return object;
}

agpu_object *agpu_task_create_token(int64_t size, int64_t alignment) {
  agpu__object_announce_token();
  return create(AGPU__TOKEN, 0, size, alignment);
}

agpu_object *agpu_task_create_value(int64_t payload, int64_t size,
                                    int64_t alignment) {
  return create(AGPU__VALUE, payload, size, alignment);
}

void agpu_task_free_frame(agpu_object *task) {
  if (task->place == AGPU__PLACE_IN_BLOCK)
    agpu__counter_add(AGPU__COUNT_FRAMES, -1);
  else
    agpu_frame_free(task->frame);
  agpu__object_release(task, 1);
}

static agpu__awaiter *create_awaiter(agpu_object *task, agpu_object *object) {
  if (task->place != AGPU__PLACE_IN_BLOCK)
    return agpu__awaiter_create(object);
  agpu__awaiter *awaiter = &agpu__task_block_of(task)->awaiter;
  awaiter->is_part = true;
  atomic_store_explicit(&awaiter->object, object, memory_order_relaxed);
  return awaiter;
}

static inline void await(agpu_object *task, agpu_object *object,
                         agpu__task resume, const char *location) {
  if (agpu__object_has_ended(object))
    agpu__exec_submit(resume);
  else
    agpu__object_await_with(create_awaiter(task, object), object,
                            AGPU__NEED_READY, resume, location);
}

void agpu_task_await(agpu_object *task, agpu_object *object, void *handle,
                     agpu_coro_resume resume, const char *location) {
  await(task, object, (agpu__task){handle, resume}, location);
}

void agpu_task_start_after(agpu_object *task, agpu_object *object, void *handle,
                           agpu_coro_resume resume, bool brief,
                           const char *location) {
  agpu__task start = {handle, resume};
  await(task, object, brief ? agpu__task_as_brief(start) : start, location);
  agpu__exec_throttle();
}
