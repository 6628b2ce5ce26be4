//===- outbox.c - Tasks of a thread without a deque ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Invariant. The tasks are those with index i, head <= i < tail <= head +
// CAPACITY, in slots[i mod CAPACITY]. Each index is taken exactly once: by the
// thread whose compare-and-swap moves `head` over it. The owner has no other
// way to take one, which is why a batch can be taken by a single swap, unlike
// from a deque.
//
// Memory orders, and why each is enough:
//
// - `tail` is published with at least release after the slot is written, and
//   read with acquire before the slot is: a reader of the index sees the task.
//   The publication is seq_cst, and so are the loads in take and is_empty, for
//   the sleepers' protocol (see sleep.c).
// - A taker reads slots before its swap, so it may read one that is being
//   overwritten. The owner overwrites slot i only after it has read head > i
//   (acquire), hence after some taker's swap over i, and then this taker's own
//   swap fails (`head` never returns to a value) and what it read is dropped.
//   The words of a slot are atomic (relaxed), so that this race is a defined
//   one.
// - The swap is acq_rel: release, so that the owner, which reads `head` with
//   acquire, overwrites a slot after it was read, and so that who sees that the
//   owner has taken a task (acquire in is_empty) sees `helps`, which the owner
//   made odd before.
// - The owner, which helps, reads `tail` and slots that it wrote itself.
//
//===----------------------------------------------------------------------===//

#include "exec/queue/outbox.h"

static agpu__outbox_slot *slot_at(agpu__outbox *outbox, uint64_t index) {
  return &outbox->slots[index % AGPU__OUTBOX_CAPACITY];
}

void agpu__outbox_init(agpu__outbox *outbox) {
  atomic_init(&outbox->head, 0);
  atomic_init(&outbox->tail, 0);
  atomic_init(&outbox->helps, 0);
  atomic_init(&outbox->late, 0);
  outbox->known_head = 0;
  for (uint64_t i = 0; i < AGPU__OUTBOX_CAPACITY; ++i) {
    atomic_init(&outbox->slots[i].handle, NULL);
    atomic_init(&outbox->slots[i].resume, 0);
    atomic_init(&outbox->slots[i].names, 0);
  }
}

bool agpu__outbox_push(agpu__outbox *outbox, agpu__task task, uint64_t names,
                       uint64_t *out_index) {
  uint64_t tail = atomic_load_explicit(&outbox->tail, memory_order_relaxed);
  if (tail - outbox->known_head == AGPU__OUTBOX_CAPACITY) {
    outbox->known_head =
        atomic_load_explicit(&outbox->head, memory_order_acquire);
    if (tail - outbox->known_head == AGPU__OUTBOX_CAPACITY)
      return false;
  }
  *out_index = tail;
  agpu__outbox_slot *slot = slot_at(outbox, tail);
  atomic_store_explicit(&slot->handle, task.handle, memory_order_relaxed);
  atomic_store_explicit(&slot->resume, (uintptr_t)task.resume,
                        memory_order_relaxed);
  atomic_store_explicit(&slot->names, names, memory_order_relaxed);
  atomic_store_explicit(&outbox->tail, tail + 1, memory_order_seq_cst);
  return true;
}

static agpu__task read_slot(agpu__outbox *outbox, uint64_t index) {
  agpu__outbox_slot *slot = slot_at(outbox, index);
  agpu__task task;
  task.handle = atomic_load_explicit(&slot->handle, memory_order_relaxed);
  task.resume = (void (*)(void *))atomic_load_explicit(&slot->resume,
                                                       memory_order_relaxed);
  return task;
}

size_t agpu__outbox_take(agpu__outbox *outbox, size_t share, size_t limit,
                         agpu__task *tasks) {
  uint64_t head = atomic_load_explicit(&outbox->head, memory_order_seq_cst);
  for (;;) {
    uint64_t tail = atomic_load_explicit(&outbox->tail, memory_order_seq_cst);
    // `head` may be older than `tail`, by more than there is room for.
    if (tail <= head || tail - head > AGPU__OUTBOX_CAPACITY) {
      uint64_t now = atomic_load_explicit(&outbox->head, memory_order_seq_cst);
      if (now == head)
        return 0;
      head = now;
      continue;
    }
    size_t taken = ((size_t)(tail - head) + share - 1) / share;
    if (taken > limit)
      taken = limit;
    for (size_t i = 0; i < taken; ++i)
      tasks[i] = read_slot(outbox, head + i);
    if (atomic_compare_exchange_weak_explicit(
            &outbox->head, &head, head + taken, memory_order_acq_rel,
            memory_order_acquire))
      return taken;
  }
}

void agpu__outbox_look(agpu__outbox *outbox, uint64_t *out_head,
                       uint64_t *out_tail) {
  // `head` first: `tail` was never behind what `head` was before.
  *out_head = atomic_load_explicit(&outbox->head, memory_order_acquire);
  *out_tail = atomic_load_explicit(&outbox->tail, memory_order_relaxed);
}

static bool is_wanted(agpu__outbox *outbox, uint64_t index,
                      agpu__wanted wanted) {
  uint64_t names = atomic_load_explicit(&slot_at(outbox, index)->names,
                                        memory_order_relaxed);
  // An index before `first` is further away than any count.
  return (wanted.name && agpu__is_named(names, wanted.name)) ||
         ((index - wanted.first) & AGPU__OUTBOX_TOLD_MASK) < wanted.count;
}

static void set_helps(agpu__outbox *outbox, uint64_t helps) {
  atomic_store_explicit(&outbox->helps, helps, memory_order_release);
}

bool agpu__outbox_begin_help(agpu__outbox *outbox, agpu__wanted wanted,
                             agpu__task *out_task) {
  uint64_t helps = atomic_load_explicit(&outbox->helps, memory_order_relaxed);
  uint64_t tail = atomic_load_explicit(&outbox->tail, memory_order_relaxed);
  uint64_t head = atomic_load_explicit(&outbox->head, memory_order_relaxed);
  if (tail == head)
    atomic_store_explicit(
        &outbox->late,
        atomic_load_explicit(&outbox->late, memory_order_relaxed) + 1,
        memory_order_relaxed);
  while (tail > head) {
    agpu__task task = read_slot(outbox, head);
    if (!agpu__task_is_brief(task) && !is_wanted(outbox, head, wanted))
      break;
    set_helps(outbox, helps | 1);
    if (atomic_compare_exchange_weak_explicit(&outbox->head, &head, head + 1,
                                              memory_order_acq_rel,
                                              memory_order_relaxed)) {
      *out_task = task;
      return true;
    }
  }
  // As it was: a thread that came in between has seen it help, and looks again.
  if (helps != atomic_load_explicit(&outbox->helps, memory_order_relaxed))
    set_helps(outbox, helps + 2);
  return false;
}

void agpu__outbox_end_help(agpu__outbox *outbox) {
  uint64_t helps = atomic_load_explicit(&outbox->helps, memory_order_relaxed);
  set_helps(outbox, helps + 1);
}

uint64_t agpu__outbox_helps(agpu__outbox *outbox) {
  return atomic_load_explicit(&outbox->helps, memory_order_acquire);
}

bool agpu__outbox_is_empty(agpu__outbox *outbox) {
  uint64_t head = atomic_load_explicit(&outbox->head, memory_order_seq_cst);
  uint64_t tail = atomic_load_explicit(&outbox->tail, memory_order_seq_cst);
  return tail <= head;
}
