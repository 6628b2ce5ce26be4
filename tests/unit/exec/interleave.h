//===- interleave.h - All interleavings of a few threads --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a lock-free algorithm in every order in which its threads can take
// turns, as far as a turn ends before the thread does no more than a given
// number of times: most faults show with two or three such preemptions (M.
// Musuvathi and S. Qadeer, "Iterative context bounding for systematic testing
// of multithreaded programs", PLDI 2007).
//
// The test includes this header and then the source under test. Each atomic
// access is a place where another thread may go on; between them nothing of
// another thread can be seen. Accesses are sequentially consistent here: what
// weaker orders allow beyond that, this does not see.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_EXEC_INTERLEAVE_H
#define ASYNC_GPU_TESTS_UNIT_EXEC_INTERLEAVE_H

#include <stdatomic.h>

typedef struct interleaving {
  int threads;             ///< at most 4
  int preemptions;         ///< at most so many
  void (*begin)(void);     ///< before each run
  void (*run)(int thread); ///< what each thread does, numbered from 0
  void (*end)(void);       ///< checks the outcome of a run
} interleaving;

/// Returns the number of runs.
long interleave(const interleaving *test);

/// Another thread may go on here. Does nothing outside interleave().
void interleave_step(void);

#undef atomic_load_explicit
#define atomic_load_explicit(object, order) (interleave_step(), *(object))

#undef atomic_store_explicit
#define atomic_store_explicit(object, value, order)                            \
  (interleave_step(), (void)(*(object) = (value)))

#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(object, expected, value,       \
                                                success, failure)              \
  (interleave_step(),                                                          \
   __atomic_compare_exchange_n(object, expected, value, 0, __ATOMIC_SEQ_CST,   \
                               __ATOMIC_SEQ_CST))

#undef atomic_compare_exchange_weak_explicit
#define atomic_compare_exchange_weak_explicit                                  \
  atomic_compare_exchange_strong_explicit

#endif // ASYNC_GPU_TESTS_UNIT_EXEC_INTERLEAVE_H
