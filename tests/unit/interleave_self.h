//===- interleave_self.h - Threads' own blocks, in turn ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the blocks of a thread, for a test of THREADS threads that take
// turns.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_INTERLEAVE_SELF_H
#define ASYNC_GPU_TESTS_INTERLEAVE_SELF_H

#include "own_self.h"

#include <string.h>

// Blocks of the threads that do not run.
static struct {
  agpu__thread_hot hot;
  agpu__thread_self self;
} of_thread[THREADS];
static int running;

/// Called between two steps, as interleave.h says.
static void switch_to(int thread) {
  of_thread[running].hot = agpu__hot;
  of_thread[running].self = agpu__self;
  running = thread;
  agpu__hot = of_thread[thread].hot;
  agpu__self = of_thread[thread].self;
}

/// Back to the first thread, with blocks that say nothing of any.
static void begin_blocks(void) {
  memset(of_thread, 0, sizeof(of_thread));
  running = 0;
  agpu__hot = of_thread[0].hot;
  agpu__self = of_thread[0].self;
}

#endif // ASYNC_GPU_TESTS_INTERLEAVE_SELF_H
