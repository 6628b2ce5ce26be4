//===- deque.h - The work-stealing deque ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread, the owner, pushes and pops at the bottom; any thread steals from
// the top. After D. Chase and Y. Lev, "Dynamic circular work-stealing deque"
// (SPAA 2005), in C11 atomics.
//
// Ownership may move from thread to thread, as long as the old owner's last
// call happens before the new owner's first.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_QUEUE_DEQUE_H
#define ASYNC_GPU_RUNTIME_EXEC_QUEUE_DEQUE_H

#include "base/os/platform.h"
#include "exec/queue/task.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agpu__deque_ring agpu__deque_ring;

typedef struct agpu__deque {
  /// Next to steal. Only grows.
  AGPU__CACHE_APART _Atomic(int64_t) top;
  /// Next free. Written by the owner alone, and by no one else's line.
  AGPU__CACHE_APART _Atomic(int64_t) bottom;
  _Atomic(agpu__deque_ring *) ring;
  /// No thread steals from it, or looks at it without the lock that goes with
  /// ownership: nothing is ordered then. Set before the first use.
  bool alone;
} agpu__deque;

/// Makes an empty deque; one that is all zero is empty, too, but takes no task.
/// Ends the process where memory is out.
void agpu__deque_init(agpu__deque *deque);

/// Frees the memory and forgets the tasks: the deque is all zero then. No other
/// thread uses it meanwhile.
void agpu__deque_destroy(agpu__deque *deque);

/// Adds at the bottom. Owner only. Ends the process where memory is out.
void agpu__deque_push(agpu__deque *deque, agpu__task task);

/// Adds several, of which `tasks[0]` is popped first. Owner only.
void agpu__deque_push_all(agpu__deque *deque, const agpu__task *tasks,
                          size_t count);

/// Takes the newest. Owner only. False where the deque is empty.
bool agpu__deque_pop(agpu__deque *deque, agpu__task *out_task);

typedef enum agpu__steal_result {
  AGPU__STEAL_EMPTY,
  AGPU__STEAL_TAKEN,
  AGPU__STEAL_LOST, ///< another thread was faster; there may be more
} agpu__steal_result;

/// Takes the oldest. Any thread.
agpu__steal_result agpu__deque_steal(agpu__deque *deque, agpu__task *out_task);

/// Whether a steal would have found something. Sequentially consistent with
/// pushes: of a push and a later read of some flag on one thread, and a write
/// of that flag and a later call of this on another, one sees the other.
bool agpu__deque_is_empty(agpu__deque *deque);

/// How many tasks there are, to the owner; others may take some meanwhile.
static inline int64_t agpu__deque_count(agpu__deque *deque) {
  return atomic_load_explicit(&deque->bottom, memory_order_relaxed) -
         atomic_load_explicit(&deque->top, memory_order_relaxed);
}

#endif // ASYNC_GPU_RUNTIME_EXEC_QUEUE_DEQUE_H
