//===- deque.c - The work-stealing deque --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Invariant. The tasks are those with index i, top <= i < bottom, in
// ring[i mod capacity]. Each index is taken exactly once: by the thread whose
// compare-and-swap moves `top` from i to i + 1, or, for the last index when
// it is not contended (top < bottom after the owner lowered bottom to i), by
// the owner without one.
//
// Memory orders, and why each is enough:
//
// - `bottom` is published with at least release after the slot is written, and
//   read with acquire by thieves before they read the slot: a thief that sees
//   the index sees the task and the ring that holds it. The publication is
//   seq_cst in push for the sleepers' protocol (see agpu__deque_is_empty).
//   There, too, `bottom` alone matters: an older `top` says at most that there
//   may still be a task.
// - In pop, the store of the lowered `bottom` and the load of `top` must not
//   swap, nor may steal's load of `top` and load of `bottom`: otherwise owner
//   and thief could both take the last task. All four are seq_cst. There are
//   no fences, which thread sanitizer does not model.
// - Nobody else uses one that is `alone`: the only worker's, whose only other
//   takers get it with the lock that goes with the seat: nothing needs an
//   order.
// - A thief reads the slot before its compare-and-swap, so it may read a slot
//   that is being overwritten. The owner overwrites slot i only after it has
//   read top > i (acquire), hence after some thief's swap of i, and then this
//   thief's own swap of i fails and what it read is dropped. The words of a
//   slot are atomic (relaxed), so that this race is a defined one.
// - A thief may read from a ring that has been replaced. The old ring keeps
//   its contents, and is freed with the deque, not before. Rings double, so
//   all old ones together are smaller than the last.
//
//===----------------------------------------------------------------------===//

#include "exec/queue/deque.h"

#include "base/memory/memory.h"

#include <stddef.h>

/// A power of two. A test has a smaller one.
#ifndef AGPU__DEQUE_INITIAL_CAPACITY
#define AGPU__DEQUE_INITIAL_CAPACITY 256
#endif

typedef struct slot {
  _Atomic(void *) handle;
  _Atomic(uintptr_t) resume;
} slot;

struct agpu__deque_ring {
  int64_t capacity; // a power of two
  agpu__deque_ring *older;
  slot slots[];
};

static agpu__deque_ring *create_ring(int64_t capacity,
                                     agpu__deque_ring *older) {
  int64_t bytes =
      (int64_t)sizeof(agpu__deque_ring) + capacity * (int64_t)sizeof(slot);
  agpu__deque_ring *ring =
      agpu__memory_alloc(bytes, AGPU__CACHE_LINE, "a deque of tasks");
  ring->capacity = capacity;
  ring->older = older;
  for (int64_t i = 0; i < capacity; ++i) {
    atomic_init(&ring->slots[i].handle, NULL);
    atomic_init(&ring->slots[i].resume, 0);
  }
  return ring;
}

static slot *slot_at(agpu__deque_ring *ring, int64_t index) {
  return &ring->slots[index & (ring->capacity - 1)];
}

static void write_slot(slot *target, agpu__task task) {
  atomic_store_explicit(&target->handle, task.handle, memory_order_relaxed);
  atomic_store_explicit(&target->resume, (uintptr_t)task.resume,
                        memory_order_relaxed);
}

static agpu__task read_slot(slot *source) {
  agpu__task task;
  task.handle = atomic_load_explicit(&source->handle, memory_order_relaxed);
  task.resume = (void (*)(void *))atomic_load_explicit(&source->resume,
                                                       memory_order_relaxed);
  return task;
}

void agpu__deque_init(agpu__deque *deque) {
  atomic_init(&deque->top, 0);
  atomic_init(&deque->bottom, 0);
  deque->alone = false;
  atomic_init(&deque->ring, create_ring(AGPU__DEQUE_INITIAL_CAPACITY, NULL));
}

void agpu__deque_destroy(agpu__deque *deque) {
  agpu__deque_ring *ring =
      atomic_load_explicit(&deque->ring, memory_order_relaxed);
  atomic_store_explicit(&deque->ring, NULL, memory_order_relaxed);
  atomic_store_explicit(&deque->top, 0, memory_order_relaxed);
  atomic_store_explicit(&deque->bottom, 0, memory_order_relaxed);
  while (ring) {
    agpu__deque_ring *older = ring->older;
    agpu__memory_free(ring);
    ring = older;
  }
}

static agpu__deque_ring *grow(agpu__deque *deque, agpu__deque_ring *ring,
                              int64_t top, int64_t bottom) {
  agpu__deque_ring *bigger = create_ring(ring->capacity * 2, ring);
  for (int64_t i = top; i < bottom; ++i)
    write_slot(slot_at(bigger, i), read_slot(slot_at(ring, i)));
  atomic_store_explicit(&deque->ring, bigger, memory_order_release);
  return bigger;
}

static void publish(agpu__deque *deque, int64_t bottom) {
  if (deque->alone)
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
  else
    atomic_store_explicit(&deque->bottom, bottom, memory_order_seq_cst);
}

void agpu__deque_push(agpu__deque *deque, agpu__task task) {
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
  int64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
  agpu__deque_ring *ring =
      atomic_load_explicit(&deque->ring, memory_order_relaxed);
  if (bottom - top >= ring->capacity)
    ring = grow(deque, ring, top, bottom);
  write_slot(slot_at(ring, bottom), task);
  publish(deque, bottom + 1);
}

void agpu__deque_push_all(agpu__deque *deque, const agpu__task *tasks,
                          size_t count) {
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
  int64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
  agpu__deque_ring *ring =
      atomic_load_explicit(&deque->ring, memory_order_relaxed);
  while (bottom + (int64_t)count - top > ring->capacity)
    ring = grow(deque, ring, top, bottom);
  for (size_t i = 0; i < count; ++i)
    write_slot(slot_at(ring, bottom + (int64_t)i), tasks[count - 1 - i]);
  publish(deque, bottom + (int64_t)count);
}

bool agpu__deque_pop(agpu__deque *deque, agpu__task *out_task) {
  int64_t bottom =
      atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
  // An empty deque stays untouched: no thief can make it fuller.
  if (atomic_load_explicit(&deque->top, memory_order_relaxed) > bottom)
    return false;

  agpu__deque_ring *ring =
      atomic_load_explicit(&deque->ring, memory_order_relaxed);
  publish(deque, bottom);
  int64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
  if (top < bottom || deque->alone) {
    *out_task = read_slot(slot_at(ring, bottom));
    return true;
  }

  // At most one task is left, and thieves may be after it: take it as they do.
  bool taken = false;
  if (top == bottom) {
    *out_task = read_slot(slot_at(ring, bottom));
    taken = atomic_compare_exchange_strong_explicit(
        &deque->top, &top, top + 1, memory_order_seq_cst, memory_order_relaxed);
  }
  atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
  return taken;
}

agpu__steal_result agpu__deque_steal(agpu__deque *deque, agpu__task *out_task) {
  int64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst);
  if (top >= bottom)
    return AGPU__STEAL_EMPTY;
  agpu__deque_ring *ring =
      atomic_load_explicit(&deque->ring, memory_order_acquire);
  agpu__task task = read_slot(slot_at(ring, top));
  if (!atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1,
                                               memory_order_seq_cst,
                                               memory_order_relaxed))
    return AGPU__STEAL_LOST;
  *out_task = task;
  return AGPU__STEAL_TAKEN;
}

bool agpu__deque_is_empty(agpu__deque *deque) {
  int64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst);
  return top >= bottom;
}
