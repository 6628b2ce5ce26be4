//===- executor_interleaved.h - What the executor's files see ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included in front of each source of the executor for executor_interleaved.c:
// threads, locks, conditions and thread-local data are those of interleave.h.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_RUNTIME_EXEC_EXECUTOR_INTERLEAVED_H
#define ASYNC_GPU_TESTS_UNIT_RUNTIME_EXEC_EXECUTOR_INTERLEAVED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/os/platform.h"
#include "interleave.h"

#include <sched.h>
#include <stdlib.h>

/// All of them lie together, so that the test can exchange them.
#undef AGPU__HOT_THREAD_LOCAL
#define AGPU__HOT_THREAD_LOCAL __attribute__((section("agpu_thread_local")))

/// Waits for the end of a thread that agpu__thread_create has made.
int interleaved_join(pthread_t thread);

/// Memory for the time of a run.
void *interleaved_calloc(size_t count, size_t size);

#define calloc(count, size) interleaved_calloc(count, size)
#define free(memory) ((void)(memory))
#define pthread_join(thread, result) interleaved_join(thread)
#define pthread_cond_wait(condition, lock) interleave_wait(condition, lock)
#define pthread_cond_broadcast(condition) interleave_broadcast(condition)
#define sched_yield() interleave_yield()

// Small, so that all of it happens within few steps.
#define AGPU__EXEC_FAIRNESS 2
#define AGPU__EXEC_LOOKS 1
#define AGPU__OUTBOX_CAPACITY 4
#define AGPU__DEQUE_INITIAL_CAPACITY 2

#endif // ASYNC_GPU_TESTS_UNIT_RUNTIME_EXEC_EXECUTOR_INTERLEAVED_H
