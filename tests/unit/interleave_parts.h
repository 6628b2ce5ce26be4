//===- interleave_parts.h - What interleave*.c know of each other -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheduler (interleave.c) stands on what threads have seen
// (interleave_seen.c), and on both stand locks (interleave_locks.c).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_INTERLEAVE_PARTS_H
#define ASYNC_GPU_TESTS_UNIT_INTERLEAVE_PARTS_H

#include "interleave.h"

#define INTERLEAVE_THREADS 4

/// Of a reduced search; all ones in binary.
#define INTERLEAVE_MOST_PREEMPTIONS 7

// interleave_seen.c, for reduced searches. An access is the current thread's.

/// Before the first search, before each, and before each run.
void interleave_seen_begin(void);
void interleave_seen_forget_states(void);
void interleave_seen_begin_run(void);

/// Notes that the object is accessed. Whether the search before has found that
/// several threads do so.
bool interleave_seen_shared(const volatile void *object);

/// The object is accessed, with nothing in between.
void interleave_seen_access(const volatile void *object, bool changes);

/// The current thread sees how far the others are; `both`: they see that, too.
void interleave_seen_meet(bool both);

/// Whether the next search would be another one.
bool interleave_seen_learn(void);

/// Whether the state has not been there with as many preemptions left, or more,
/// and the same `last`, which says who goes on.
bool interleave_seen_new_state(int last, int preempted);

// interleave.c

/// The same as interleave_seen_access() of what locks, conditions and futexes
/// are known by.
void interleave_see_place(const void *place);

/// Another thread may go on, where nothing is accessed that others see.
void interleave_pause(void);

/// Another thread may go on, in tests that are coarse.
void interleave_point(void);

#endif // ASYNC_GPU_TESTS_UNIT_INTERLEAVE_PARTS_H
