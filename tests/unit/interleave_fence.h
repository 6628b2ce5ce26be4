//===- interleave_fence.h - The kernel's barriers, in tests ----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// base/sync/fence.c over a kernel that has membarrier, or refuses it. Behind
// interleave.h, once in a test.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_INTERLEAVE_FENCE_H
#define ASYNC_GPU_TESTS_INTERLEAVE_FENCE_H

#include "interleave.h"

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>

/// Changed between searches, from false to true: fence.c remembers that it was
/// not refused.
static bool interleave_membarrier_works = true;

static long interleave_membarrier(int command) {
  if (!interleave_membarrier_works)
    return -1;
  if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
    interleave_barrier();
  return 0;
}

#undef syscall
#define syscall(number, command, ...) interleave_membarrier(command)
#include "base/sync/fence.c"
#undef syscall
#define syscall interleave_syscall

#endif // ASYNC_GPU_TESTS_INTERLEAVE_FENCE_H
