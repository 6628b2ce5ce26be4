//===- interleave_self.h - Threads' own blocks, in turn ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines agpu__self, for a test of THREADS threads that take turns.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_INTERLEAVE_SELF_H
#define ASYNC_GPU_TESTS_INTERLEAVE_SELF_H

#include "base/os/self.h"

AGPU__HOT_THREAD_LOCAL agpu__thread_self agpu__self;

// Blocks of the threads that do not run.
static agpu__thread_self of_thread[THREADS];
static int running;

/// Called between two steps, as interleave.h says.
static void switch_to(int thread) {
  of_thread[running] = agpu__self;
  running = thread;
  agpu__self = of_thread[thread];
}

#endif // ASYNC_GPU_TESTS_INTERLEAVE_SELF_H
