//===- state.c - Transitions and awaiters -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state word holds the phase and the list of awaiters, and changes by
// compare-and-swap alone, so an awaiter is either on the list when the phase
// changes, and served by the thread that changes it, or finds the new phase.
//
// Awaiters are served after the list has been detached. Serving never runs a
// consumer: it submits a task, wakes a thread, or counts a group's member, so
// no chain of any length grows the stack. (Groups are not members of groups.)
//
// Memory orders: a transition is acq_rel, and every look at the word that is
// relied on acquire. So a consumer sees what the producer wrote into the object
// and before, and the producer sees the awaiters' contents. A group's status is
// published by itself, since it has one before it ends.
//
// PENDING to ENQUEUED takes the whole list off: awaiters that need ENQUEUED are
// served, the others are added again as if new. The first of them sets
// REQUESTED and, alone in having done so, asks for the completion.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"

#include "base/report/assert.h"
#include "base/report/status_track.h"
#include "base/sync/schedule.h"
#include "base/trace/names.h"
#include "base/trace/trace.h"
#include "exec/executor.h"

static uintptr_t load_state(agpu_object *object) {
  return atomic_load_explicit(&object->state, memory_order_acquire);
}

static unsigned phase_of(uintptr_t state) {
  return (unsigned)(state & AGPU__PHASE_MASK);
}

static bool satisfies(const agpu_object *object, uintptr_t state,
                      agpu__need need) {
  switch (phase_of(state)) {
  case AGPU__PENDING: return false;
  case AGPU__ENQUEUED:
    return need == AGPU__NEED_ENQUEUED && object->kind != AGPU__GROUP;
  default: return true;
  }
}

bool agpu__object_satisfies(agpu_object *object, agpu__need need) {
  return satisfies(object, load_state(object), need);
}

bool agpu__object_has_failed(agpu_object *object) {
  if (object->kind == AGPU__GROUP)
    return atomic_load_explicit(&object->status, memory_order_acquire) != NULL;
  return phase_of(load_state(object)) == AGPU__ERROR;
}

void agpu__object_observe(agpu_object *object) {
  // What says that it has failed has been acquired.
  if (agpu__object_has_failed(object))
    agpu__status_observe(
        atomic_load_explicit(&object->status, memory_order_relaxed));
}

static __attribute__((noinline)) void serve_thread(agpu_object *object,
                                                   agpu__awaiter *awaiter) {
  // A region that waited passes an error on, and so does a group.
  if (awaiter->need == AGPU__NEED_READY)
    agpu__object_observe(object);
  // This sets the awaiter and the parker free.
  agpu__parker_signal(awaiter->as.parker, AGPU__EXEC_DONE);
}

/// Serves one awaiter. Afterwards it is gone. `is_last`: the calling task
/// returns as soon as this has.
static inline void serve(agpu_object *object, agpu__awaiter *awaiter,
                         bool is_last) {
  switch ((agpu__target)awaiter->target) {
  case AGPU__TARGET_TASK: {
    agpu__task task = awaiter->as.task;
    agpu__awaiter_release(awaiter);
    if (is_last)
      agpu__exec_submit_next(task);
    else
      agpu__exec_submit_announced(task);
    return;
  }
  case AGPU__TARGET_THREAD: serve_thread(object, awaiter); return;
  case AGPU__TARGET_GROUP: {
    agpu_object *group = awaiter->as.group;
    agpu__awaiter_release(awaiter);
    agpu__group_member_done(group, object);
    return;
  }
  }
}

/// The object has left PENDING.
static inline void drop_producers_reference(agpu_object *object) {
  if (object->place == AGPU__PLACE_ALONE)
    agpu__object_release(object, 1);
}

/// The awaiters of a state word, oldest first.
static agpu__awaiter *take_awaiters(uintptr_t state) {
  agpu__awaiter *newest =
      (agpu__awaiter *)(state & ~(uintptr_t)AGPU__STATE_MASK);
  agpu__awaiter *oldest = NULL;
  while (newest) {
    agpu__awaiter *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

/// Notifies observers, out of line: the usual way is short.
static __attribute__((noinline, cold)) void
notify_of_wait(const agpu_object *object, const agpu__awaiter *awaiter) {
  agpu__schedule_pass(AGPU__POINT_AWAIT);
  if (!agpu__trace_on() || awaiter->target == AGPU__TARGET_GROUP)
    return;
  bool is_task = awaiter->target == AGPU__TARGET_TASK;
  agpu__task task = is_task ? awaiter->as.task : (agpu__task){0};
  agpu__trace_record(
      AGPU__TRACE_AWAIT,
      is_task ? (uintptr_t)task.handle : (uintptr_t)awaiter->as.parker, 0,
      is_task ? agpu__trace_code(task.handle, task.resume) : NULL,
      object->number, (uintptr_t)awaiter->location,
      (awaiter->need == AGPU__NEED_ENQUEUED ? AGPU__TRACE_ENQUEUED : 0u) |
          (is_task ? 0u : AGPU__TRACE_THREAD));
}

static __attribute__((noinline, cold)) void
notify_of_end(const agpu_object *object, const agpu__awaiter *awaiter) {
  agpu__schedule_pass(AGPU__POINT_FINISH);
  if (!agpu__trace_on() || awaiter->target == AGPU__TARGET_GROUP)
    return;
  agpu__trace_record(AGPU__TRACE_SERVE,
                     awaiter->target == AGPU__TARGET_TASK
                         ? (uintptr_t)awaiter->as.task.handle
                         : (uintptr_t)awaiter->as.parker,
                     0, NULL, object->number, 0, 0);
}

void agpu__object_add_awaiter(agpu_object *object, agpu__awaiter *awaiter) {
  AGPU__ASSERT(((uintptr_t)awaiter & AGPU__STATE_MASK) == 0);
  if (agpu__hooks_on())
    notify_of_wait(object, awaiter);
  uintptr_t state = load_state(object);
  uintptr_t next;
  do {
    if (satisfies(object, state, (agpu__need)awaiter->need)) {
      serve(object, awaiter, /*is_last=*/false);
      return;
    }
    awaiter->next = (agpu__awaiter *)(state & ~(uintptr_t)AGPU__STATE_MASK);
    next = (uintptr_t)awaiter | (state & AGPU__STATE_MASK);
    if (phase_of(state) == AGPU__ENQUEUED)
      next |= AGPU__REQUESTED;
  } while (!atomic_compare_exchange_weak_explicit(&object->state, &state, next,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire));

  // Until the request is made nothing completes the object, so the awaiter is
  // still there, and its owner still keeps the object alive.
  if ((next & AGPU__REQUESTED) && !(state & AGPU__REQUESTED)) {
    agpu__object_retain(object, 1);
    object->work->ops->request(object->work, object);
  }
}

/// `awaiters` are those that `object` had when it got to its end. What was
/// first to wait runs first: of a worker's tasks those that it queues last do.
static __attribute__((noinline)) void
serve_several(agpu_object *object, uintptr_t awaiters, bool is_last) {
  agpu__awaiter *awaiter =
      agpu__hot.exec.seat
          ? (agpu__awaiter *)(awaiters & ~(uintptr_t)AGPU__STATE_MASK)
          : take_awaiters(awaiters);
  while (awaiter) {
    agpu__awaiter *next = awaiter->next;
    if (agpu__hooks_on())
      notify_of_end(object, awaiter);
    serve(object, awaiter, is_last && !next);
    awaiter = next;
  }
}

static inline void serve_all(agpu_object *object, uintptr_t awaiters,
                             bool is_last) {
  agpu__awaiter *newest =
      (agpu__awaiter *)(awaiters & ~(uintptr_t)AGPU__STATE_MASK);
  if (!newest)
    return;
  if (newest->next || agpu__hooks_on())
    serve_several(object, awaiters, is_last);
  else
    serve(object, newest, is_last);
}

/// Leaves phase `from` for READY or ERROR and serves all awaiters; `is_last` as
/// above. False, and nothing done, if the object is not in `from`.
static inline __attribute__((always_inline)) bool
finish(agpu_object *object, unsigned from, unsigned to, bool is_last) {
  uintptr_t state = load_state(object);
  do {
    if (phase_of(state) != from)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(
      &object->state, &state, to, memory_order_acq_rel, memory_order_relaxed));
  serve_all(object, state, is_last);
  return true;
}

/// Takes over `status` as the object's, unless it has one. The transition to
/// ERROR publishes it.
static bool set_status(agpu_object *object, agpu_status status) {
  agpu_status none = NULL;
  agpu__status_track(status);
  if (atomic_compare_exchange_strong_explicit(&object->status, &none, status,
                                              memory_order_relaxed,
                                              memory_order_relaxed))
    return true;
  agpu_status_release(status);
  return false;
}

static inline void emplace(agpu_object *object, bool is_last) {
  // Without the transition the producer's reference is gone already.
  if (finish(object, AGPU__PENDING, AGPU__READY, is_last))
    drop_producers_reference(object);
  else
    agpu__object_misused("a token or value was made ready twice");
}

void agpu__object_emplace(agpu_object *object) {
  emplace(object, /*is_last=*/false);
}

void agpu__object_emplace_last(agpu_object *object) {
  emplace(object, /*is_last=*/true);
}

void agpu__object_fail(agpu_object *object, agpu_status status) {
  if (phase_of(load_state(object)) != AGPU__PENDING) {
    agpu_status_release(status);
    agpu__object_misused("a token or value failed after it had ended");
    return;
  }
  // Only the producer leaves PENDING, so the phase stays.
  (void)set_status(object, status);
  (void)finish(object, AGPU__PENDING, AGPU__ERROR, /*is_last=*/false);
  drop_producers_reference(object);
}

void agpu__object_enqueue(agpu_object *object, agpu__work *work) {
  uintptr_t state = load_state(object);
  if (phase_of(state) != AGPU__PENDING) {
    work->ops->release(work);
    agpu__object_misused("a token or value was enqueued after it had ended");
    return;
  }
  object->work = work;
  // Only the producer leaves PENDING, so the phase stays; the list may grow.
  while (!atomic_compare_exchange_weak_explicit(
      &object->state, &state, AGPU__ENQUEUED, memory_order_acq_rel,
      memory_order_relaxed))
    ;
  agpu__awaiter *awaiter = take_awaiters(state);
  while (awaiter) {
    agpu__awaiter *next = awaiter->next;
    agpu__object_add_awaiter(object, awaiter);
    awaiter = next;
  }
  drop_producers_reference(object);
}

void agpu__object_complete(agpu_object *object, agpu_status status) {
  unsigned end = status ? AGPU__ERROR : AGPU__READY;
  if ((!status || set_status(object, status)) &&
      finish(object, AGPU__ENQUEUED, end, /*is_last=*/false))
    agpu__object_release(object, 1);
  else
    agpu__object_misused("a completion was given twice or without a request");
}

bool agpu__object_complete_here(agpu_object *object) {
  uintptr_t state = load_state(object);
  do {
    if (phase_of(state) != AGPU__ENQUEUED || (state & AGPU__REQUESTED))
      return false;
  } while (!atomic_compare_exchange_weak_explicit(
      &object->state, &state, state | AGPU__REQUESTED, memory_order_acq_rel,
      memory_order_acquire));
  agpu__work *work = object->work;
  agpu__object_retain(object, 1);
  bool is_over = work->ops->wait && work->ops->wait(work);
  if (is_over)
    agpu__object_complete(object, AGPU_OK);
  else
    work->ops->request(work, object);
  return is_over;
}

void agpu__group_finish(agpu_object *group) {
  unsigned end = agpu__object_has_failed(group) ? AGPU__ERROR : AGPU__READY;
  (void)finish(group, AGPU__PENDING, end, /*is_last=*/false);
}

void agpu__group_fail(agpu_object *group, agpu_status status) {
  agpu__status_track(status);
  agpu_status none = NULL;
  // Of several errors the first is the group's; it stands for all of them, so
  // none of the others counts as overlooked.
  if (atomic_compare_exchange_strong_explicit(&group->status, &none, status,
                                              memory_order_release,
                                              memory_order_relaxed))
    return;
  if (none != status)
    agpu__status_observe(status);
  agpu_status_release(status);
}

void agpu__group_member_done(agpu_object *group, agpu_object *member) {
  if (agpu__object_has_failed(member))
    agpu__group_fail(group, agpu_status_retain(atomic_load_explicit(
                                &member->status, memory_order_relaxed)));
  agpu__group_count_done(group, 1);
}

void agpu__group_count_done(agpu_object *group, int64_t count) {
  _Atomic(int64_t) *open = &agpu__group_get_end(group)->open;
  // acq_rel: the last to count has seen the errors of all.
  int64_t left =
      atomic_fetch_sub_explicit(open, 2 * count, memory_order_acq_rel) -
      2 * count;
  if (left > 3)
    return;
  agpu__group_finish(group);
  if (atomic_fetch_sub_explicit(open, 2, memory_order_acq_rel) == 2)
    agpu__object_free(group);
}

agpu_object *agpu__token_create_ready(void) { return &agpu_ready_token; }

agpu_object *agpu__token_create_error(agpu_status status) {
  agpu_object *token = agpu__object_create(AGPU__TOKEN, 0, 1);
  (void)set_status(token, status);
  atomic_store_explicit(&token->state, AGPU__ERROR, memory_order_relaxed);
  return token;
}
