//===- object.h - The inside of tokens, values and groups -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From below: awaiter.c  memory of awaiters
//             object.c   creation, reference counts
//             state.c    transitions, awaiters, counting members of groups
//             group.c    groups and what is added to them
//             wait.c     blocking waits
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_OBJECT_H
#define ASYNC_GPU_RUNTIME_ASYNC_OBJECT_H

#include "async/work.h"
#include "async_gpu/compiled/object_layout.h"
#include "async_gpu/object.h"
#include "base/os/platform.h"
#include "base/os/self.h"
#include "base/sync/park.h"
#include "exec/executor.h"
#include "exec/queue/task.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum agpu__object_kind {
  AGPU__TOKEN,
  AGPU__VALUE,
  AGPU__GROUP,
  AGPU__OBJECT_KIND_COUNT,
} agpu__object_kind;

/// The low bits of the state word.
enum {
  AGPU__PENDING = 0,
  AGPU__ENQUEUED = 1,
  AGPU__READY = 2,
  AGPU__ERROR = 3,
  AGPU__PHASE_MASK = 3,
  /// ENQUEUED, and completion has been requested.
  AGPU__REQUESTED = 4,
  AGPU__STATE_MASK = 7,
};

/// Where an object lies. A token or value that was made with the frame of the
/// task that gives it has the producer's reference until that is freed.
typedef enum agpu__object_place {
  AGPU__PLACE_ALONE,
  AGPU__PLACE_BESIDE_FRAME, ///< likewise, but was made with a frame
  AGPU__PLACE_IN_BLOCK,     ///< with frame and awaiter in an agpu__task_block
} agpu__object_place;

/// What an awaiter waits for.
typedef enum agpu__need {
  AGPU__NEED_READY,    ///< READY or ERROR
  AGPU__NEED_ENQUEUED, ///< ENQUEUED, READY or ERROR; of a group as READY
} agpu__need;

typedef enum agpu__target {
  AGPU__TARGET_TASK,   ///< goes to the executor
  AGPU__TARGET_THREAD, ///< a thread in agpu__exec_wait
  AGPU__TARGET_GROUP,  ///< a group that the object is a member of
} agpu__target;

/// One consumer that waits for an object. From awaiter.h.
typedef struct agpu__awaiter {
  struct agpu__awaiter *next;
  uint8_t need;   ///< agpu__need
  uint8_t target; ///< agpu__target
  bool in_task;   ///< TARGET_THREAD: the thread waits inside a task
  bool is_main;   ///< TARGET_THREAD: it is the process's first thread
  bool is_part;   ///< of a task's block, not one of the pool
  union {
    agpu__task task;
    agpu__parker *parker;
    agpu_object *group; ///< kept by `open`
  } as;
  /// What is waited for, kept alive by the consumer; NULL in one that is free.
  /// Atomic only for being looked at by agpu__awaiter_visit.
  _Atomic(agpu_object *) object;
  const char *location; ///< of the await, or NULL
} agpu__awaiter;

/// One cache line; a value's storage follows it, and what members that end
/// change in a group.
struct agpu_object {
  AGPU__CACHE_ALIGNED _Atomic(int64_t) references;
  /// Phase in the low bits; above them, while PENDING or ENQUEUED, the newest
  /// of the awaiters (linked by `next`).
  _Atomic(uintptr_t) state;
  /// Written before ENQUEUED is published; the object's until it dies, since
  /// readers may be about to retain it.
  union {
    agpu__work *work;
    _Atomic(uint64_t) tickets; ///< group: of members' tasks; group.c
  };
  /// Written once, before ERROR is published (of a group: with the first
  /// member that failed); the object's until it dies.
  _Atomic(agpu_status) status;
  int64_t size; ///< group: members declared. value: bytes
  union {
    struct {
      _Atomic(int64_t) added;   ///< group: members so far
      _Atomic(int64_t) settled; ///< group: of those, complete and not in `open`
                                ///< yet
    };
    void *frame; ///< of the task that gives it (`place`)
  };
  /// For messages, traces and the names of tasks (exec/queue/task.h): later
  /// objects have higher ones, as far as one thread created them. After 2^32
  /// objects they begin again: two that live at a time can have the same, which
  /// a message does not tell apart, and for which a thread that waits may help
  /// with the other one's task.
  uint32_t number;
  uint8_t kind;      ///< agpu__object_kind
  bool owns_payload; ///< value: the storage holds a reference of an object
  uint8_t place;     ///< agpu__object_place
};

_Static_assert(sizeof(struct agpu_object) == AGPU__CACHE_LINE,
               "the header of an object is one cache line");
_Static_assert(
    offsetof(struct agpu_object, references) == AGPU_OBJECT_REFERENCES_OFFSET &&
        offsetof(struct agpu_object, state) == AGPU_OBJECT_STATE_OFFSET &&
        offsetof(struct agpu_object, frame) == AGPU_OBJECT_FRAME_OFFSET &&
        sizeof(struct agpu_object) == AGPU_OBJECT_STORAGE_OFFSET &&
        (int)AGPU__PHASE_MASK == AGPU_OBJECT_PHASE_MASK &&
        (int)AGPU__READY == AGPU_OBJECT_READY &&
        (int)AGPU__ERROR == AGPU_OBJECT_ERROR,
    "compiled programs know objects like this");

/// What a task takes of memory: after it lie the storage of a value and the
/// frame. A block of a pool, so that the waits of tasks can be listed.
typedef struct agpu__task_block {
  AGPU__CACHE_ALIGNED agpu__awaiter awaiter; ///< the task's only one
  agpu_object object;                        ///< what it gives
} agpu__task_block;

static inline agpu__task_block *agpu__task_block_of(agpu_object *object) {
  return (agpu__task_block *)((char *)object -
                              offsetof(agpu__task_block, object));
}

/// A line of its own, since threads that add members write to the one before
/// it, and threads that complete them to this one.
typedef struct agpu__group_end {
  /// 2 · pending members, and an owner bit while there are references. None has
  /// the group when it is 0.
  AGPU__CACHE_ALIGNED _Atomic(int64_t) open;
} agpu__group_end;

static inline agpu__group_end *agpu__group_get_end(agpu_object *group) {
  return (agpu__group_end *)(group + 1);
}

/// Members that a group was declared for. More than that would not fit, and are
/// never added.
static inline int64_t agpu__group_declared(const agpu_object *group) {
  int64_t most = INT64_MAX / 4;
  return group->size < most ? group->size : most;
}

/// Members declared that are not complete, at some time.
static inline int64_t agpu__group_missing(const agpu_object *group) {
  const agpu__group_end *end = (const agpu__group_end *)(group + 1);
  int64_t open = atomic_load_explicit(&end->open, memory_order_relaxed);
  return open > 3
             ? open / 2 - 1 -
                   atomic_load_explicit(&group->settled, memory_order_relaxed)
             : 0;
}

/// The references of an object that is never freed: nobody counts them.
#define AGPU__IMMORTAL INT64_MIN

//===----------------------------------------------------------------------===//
// object.c
//===----------------------------------------------------------------------===//

/// A new object, PENDING, with `references`, and `size` bytes after its
/// header. Starts the runtime's life. Ends the process where memory is out.
AGPU__SHARED agpu_object *agpu__object_create(agpu__object_kind kind,
                                              int64_t size, int64_t references);

/// The same in the memory of a block, with two references.
agpu_object *agpu__object_create_in(agpu__task_block *block,
                                    agpu__object_kind kind, int64_t size);

void agpu__object_retain(agpu_object *object, int64_t count);
AGPU__SHARED void agpu__object_release(agpu_object *object, int64_t count);

/// For the thread that has taken the last from a group's `open`.
void agpu__object_free(agpu_object *object);

/// Reports a broken rule as an unobserved error, and logs it.
void agpu__object_misused(const char *what);

/// The calling thread is about to submit a task, which gives the newest
/// `results` objects that the thread has created, and gets their numbers for
/// names: a wait for one of them is one for the task.
void agpu__object_name_task(uint32_t results);

/// The calling thread is about to create a token that a task may give.
static inline void agpu__object_announce_token(void) {
  // Where a new block begins it gets another number, and is not known then.
  agpu__hot.async.newest_token = agpu__hot.async.next_number;
}

/// The same where their number is not given. If the thread has created one
/// token or value since it named a task last, or a token and values after it,
/// the task gives these.
void agpu__object_guess_name(void);

/// The storage of a value: aligned to a cache line, `size` bytes.
AGPU__SHARED void *agpu__object_storage(agpu_object *value);

//===----------------------------------------------------------------------===//
// state.c
//===----------------------------------------------------------------------===//

/// READY or ERROR for NEED_READY; ENQUEUED too for NEED_ENQUEUED. Acquire:
/// what the producer did before is visible.
AGPU__SHARED bool agpu__object_satisfies(agpu_object *object, agpu__need need);

/// The same for NEED_READY.
static inline bool agpu__object_has_ended(agpu_object *object) {
  return (atomic_load_explicit(&object->state, memory_order_acquire) &
          AGPU__PHASE_MASK) >= AGPU__READY;
}

/// The work of an ENQUEUED object, which keeps it until it dies; NULL if it is
/// in any other state.
static inline agpu__work *agpu__object_get_work(agpu_object *object) {
  uintptr_t state = atomic_load_explicit(&object->state, memory_order_acquire);
  return (state & AGPU__PHASE_MASK) == AGPU__ENQUEUED ? object->work : NULL;
}

/// True in ERROR; of a group, if a member is, or was added beyond its size.
bool agpu__object_has_failed(agpu_object *object);

/// A thread waited for the end of `object`, or the program asked: if that is an
/// error, it is observed.
void agpu__object_observe(agpu_object *object);

/// Hands `awaiter` over. It is served exactly once: now, inside this call, if
/// `object` has got there, else by the thread that changes it. The caller keeps
/// `object` alive until then.
void agpu__object_add_awaiter(agpu_object *object, agpu__awaiter *awaiter);

/// Has the device of an ENQUEUED object wait on the calling thread, outside of
/// tasks, and completes the object, which the caller keeps alive. False where
/// it has ended otherwise or somebody else will complete it.
bool agpu__object_complete_here(agpu_object *object);

/// A group whose last declared member has completed → READY or ERROR.
void agpu__group_finish(agpu_object *group);

/// Puts a group in ERROR with `status` (one reference taken over), unless it is
/// already.
void agpu__group_fail(agpu_object *group, agpu_status status);

/// A member that was added within the size has completed.
void agpu__group_member_done(agpu_object *group, agpu_object *member);

/// `count` members have completed, without an error that the group lacks.
void agpu__group_count_done(agpu_object *group, int64_t count);

//===----------------------------------------------------------------------===//
// group.c
//===----------------------------------------------------------------------===//

/// A new group of `size` members with one reference. READY if it needs none;
/// ERROR for a negative size.
agpu_object *agpu__group_create(int64_t size);

/// Adds a token or value; returns its rank, from 0. The group completes when
/// `size` members have. A member beyond that puts the group in ERROR with a
/// status that names both numbers.
int64_t agpu__group_add(agpu_object *group, agpu_object *member);

/// The same for a caller whose reference of the group nobody else uses.
int64_t agpu__group_add_owned(agpu_object *group, agpu_object *member);

/// Tasks that give members of the group, as far as they are known.
agpu__wanted agpu__group_get_wanted(agpu_object *group);

//===----------------------------------------------------------------------===//
// wait.c
//===----------------------------------------------------------------------===//

/// Blocks until `object` satisfies `need`; see exec/executor.h for what the
/// thread does meanwhile. `location` is that of the await, or NULL.
void agpu__object_await(agpu_object *object, agpu__need need,
                        const char *location);

/// Submits `task` once `object` satisfies `need`; never runs it in this call.
/// `location` is that of the await, or NULL; it lives until then. The second
/// takes an awaiter for that, of agpu__awaiter_create or a block.
AGPU__SHARED void agpu__object_await_and_submit(agpu_object *object,
                                                agpu__need need,
                                                agpu__task task,
                                                const char *location);
static inline void agpu__object_await_with(agpu__awaiter *awaiter,
                                           agpu_object *object, agpu__need need,
                                           agpu__task task,
                                           const char *location) {
  awaiter->need = (uint8_t)need;
  awaiter->target = AGPU__TARGET_TASK;
  awaiter->as.task = task;
  awaiter->location = location;
  agpu__exec_announce();
  agpu__object_add_awaiter(object, awaiter);
}

#endif // ASYNC_GPU_RUNTIME_ASYNC_OBJECT_H
