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
#include "base/os/self.h"
#include "base/report/assert.h"
#include "exec/queue/outbox.h"

static agpu__outbox *outbox_at(agpu__outside *outside, size_t index) {
  return atomic_load_explicit(&outside->outboxes[index], memory_order_relaxed);
}

/// At the end of a thread.
static void disown(void) {
  agpu__outside *outside = agpu__self.exec.outside;
  agpu__mutex_lock(&outside->lock);
  outside->owned[agpu__self.exec.outbox_number - 1] = false;
  agpu__mutex_unlock(&outside->lock);
  agpu__hot.exec.outbox = NULL;
  agpu__self.exec.outbox_number = 0;
}

/// Makes the outbox with that index, which is the next.
static void make(agpu__outside *outside, size_t index)
    AGPU__REQUIRES(outside->lock) {
  AGPU__ASSERT_HELD(&outside->lock);
  AGPU__ASSERT(atomic_load_explicit(&outside->count, memory_order_relaxed) ==
               index);
  agpu__outbox *made = agpu__memory_alloc(sizeof(*made), _Alignof(agpu__outbox),
                                          "a thread's queue of tasks");
  agpu__outbox_init(made);
  atomic_store_explicit(&outside->outboxes[index], made, memory_order_relaxed);
  atomic_store_explicit(&outside->count, index + 1, memory_order_seq_cst);
}

/// Gives the calling thread an outbox, if one is left.
static void claim(agpu__outside *outside) {
  size_t index = 0;
  agpu__mutex_lock(&outside->lock);
  while (index < AGPU__OUTBOXES && outside->owned[index])
    ++index;
  agpu__self.exec.outbox_number = index + 1;
  if (index < AGPU__OUTBOXES) {
    outside->owned[index] = true;
    if (!outbox_at(outside, index))
      make(outside, index);
    agpu__hot.exec.outbox = outbox_at(outside, index);
    agpu__self.exec.outside = outside;
    // Should this fail, nobody else gets the outbox.
    (void)agpu__self_at_end(AGPU__PART_OUTSIDE, disown);
  }
  agpu__mutex_unlock(&outside->lock);
}

void agpu__outside_begin(agpu__outside *outside) {
  agpu__deque_init(&outside->common);
}

void agpu__outside_forget(agpu__outside *outside) {
  agpu__deque_destroy(&outside->common);
}

static void push_common(agpu__outside *outside, agpu__task task) {
  agpu__mutex_lock(&outside->common_lock);
  agpu__deque_push(&outside->common, task);
  agpu__mutex_unlock(&outside->common_lock);
}

/// As agpu__outbox_take.
static size_t take_common(agpu__outside *outside, size_t share, size_t limit,
                          agpu__task *tasks) {
  size_t taken = 0, wanted = 1;
  while (taken < wanted) {
    agpu__steal_result result =
        agpu__deque_steal(&outside->common, &tasks[taken]);
    if (result == AGPU__STEAL_EMPTY)
      break;
    if (result == AGPU__STEAL_TAKEN && ++taken == 1) {
      int64_t left = agpu__deque_count(&outside->common);
      wanted = left > 0 ? ((size_t)left + share) / share : 1;
      wanted = wanted < limit ? wanted : limit;
    }
  }
  return taken;
}

// A ticket is the number of an outbox, and below it an index there.
_Static_assert(AGPU__OUTBOXES <
                   1 << (AGPU__TICKET_BITS - AGPU__OUTBOX_TOLD_BITS),
               "outboxes have numbers in tickets");

void agpu__outside_push(agpu__outside *outside, agpu__task task) {
  if (agpu__self.exec.outbox_number == 0)
    claim(outside);
  agpu__outbox *own = agpu__hot.exec.outbox;
  uint64_t names = agpu__hot.exec.names;
  agpu__hot.exec.names = agpu__hot.exec.last_names = 0;
  uint64_t index;
  if (!own || !agpu__outbox_push(own, task, names, &index)) {
    push_common(outside, task);
    return;
  }
  agpu__hot.exec.last_names = names;
  agpu__hot.exec.last_ticket = (uint64_t)agpu__self.exec.outbox_number
                                   << AGPU__OUTBOX_TOLD_BITS |
                               (index & AGPU__OUTBOX_TOLD_MASK);
}

/// Tasks that are few, and how often they are left alone while more are added.
#define FEW 16
#define PATIENT_LOOKS 4

/// Whether to leave the tasks of outbox `number` alone. Only those of one:
/// others are taken meanwhile.
static bool leave_alone(agpu__outside *outside, agpu__backoff *backoff,
                        size_t number) {
  uint64_t head, tail;
  agpu__outbox *outbox = outbox_at(outside, number - 1);
  agpu__outbox_look(outbox, &head, &tail);
  uint64_t late = atomic_load_explicit(&outbox->late, memory_order_relaxed);
  bool known = backoff->outbox == number;
  bool is_one = tail - head == 1;
  if (late != backoff->late || (head != tail && !is_one) ||
      (known && head != backoff->head))
    backoff->for_nothing = 0;
  backoff->late = late;
  if (head == tail || tail - head >= FEW || (backoff->outbox && !known) ||
      agpu__backoff_is_over(backoff)) {
    if (known)
      backoff->outbox = 0;
    return false;
  }
  ++backoff->in_vain;
  if (!known || head != backoff->head) {
    // New, or someone is taking them.
    backoff->outbox = number;
    backoff->head = head;
    backoff->tail = tail;
    backoff->looks = 0;
    return true;
  }
  if (tail != backoff->tail && ++backoff->looks < PATIENT_LOOKS) {
    backoff->tail = tail;
    return true;
  }
  backoff->for_nothing += is_one;
  backoff->outbox = 0;
  return false;
}

size_t agpu__outside_take(agpu__outside *outside, size_t start, size_t share,
                          size_t limit, agpu__backoff *backoff,
                          agpu__task *tasks) {
  size_t among = atomic_load_explicit(&outside->count, memory_order_seq_cst);
  for (size_t i = 0; i < among; ++i) {
    size_t index = (start + i) % among;
    if (backoff && leave_alone(outside, backoff, index + 1))
      continue;
    size_t taken =
        agpu__outbox_take(outbox_at(outside, index), share, limit, tasks);
    if (taken > 0) {
      if (backoff)
        backoff->in_vain = 0;
      return taken;
    }
  }
  return take_common(outside, share, limit, tasks);
}

bool agpu__outside_begin_help(agpu__wanted wanted, agpu__task *out_task) {
  agpu__outbox *own = agpu__hot.exec.outbox;
  if (wanted.first >> AGPU__OUTBOX_TOLD_BITS != agpu__self.exec.outbox_number)
    wanted.count = 0;
  return own && agpu__outbox_begin_help(own, wanted, out_task);
}

void agpu__outside_end_help(void) {
  agpu__outbox_end_help(agpu__hot.exec.outbox);
}

bool agpu__outside_has_help(agpu__outside *outside, uint64_t *out_helps) {
  size_t among = atomic_load_explicit(&outside->count, memory_order_seq_cst);
  bool any = false;
  *out_helps = 0;
  for (size_t i = 0; i < among; ++i) {
    uint64_t helps = agpu__outbox_helps(outbox_at(outside, i));
    any |= helps % 2 == 1;
    *out_helps += helps;
  }
  return any;
}

size_t agpu__outside_count_own(void) {
  agpu__outbox *own = agpu__hot.exec.outbox;
  // Others may take some meanwhile.
  return own ? atomic_load_explicit(&own->tail, memory_order_relaxed) -
                   atomic_load_explicit(&own->head, memory_order_relaxed)
             : 0;
}

bool agpu__outside_is_empty(agpu__outside *outside) {
  size_t among = atomic_load_explicit(&outside->count, memory_order_seq_cst);
  for (size_t i = 0; i < among; ++i)
    if (!agpu__outbox_is_empty(outbox_at(outside, i)))
      return false;
  return agpu__deque_is_empty(&outside->common);
}

/// Takes the locks in one call and gives them back in another.
AGPU__UNCHECKED_LOCKS void agpu__outside_fork(agpu__outside *outside,
                                              agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE) {
    agpu__mutex_lock(&outside->lock);
    agpu__mutex_lock(&outside->common_lock);
    return;
  }
  if (step == AGPU__FORK_IN_CHILD) {
    size_t among = atomic_load_explicit(&outside->count, memory_order_relaxed);
    for (size_t i = 0; i < among; ++i) {
      agpu__outbox_init(outbox_at(outside, i));
      outside->owned[i] = i + 1 == agpu__self.exec.outbox_number;
    }
  }
  agpu__mutex_unlock(&outside->common_lock);
  agpu__mutex_unlock(&outside->lock);
}
