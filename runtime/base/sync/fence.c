//===- fence.c - A full barrier that one side makes for both --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel is asked for its barrier (membarrier) when someone registers. It
// may refuse at that time, and the stores then are sequentially consistent.
//
//===----------------------------------------------------------------------===//

#include "base/sync/fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool agpu__fence_by_kernel;

void agpu__fence_register(void) {
  // A later refusal is agpu__fence_others's to deal with.
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
              0) == 0)
    __atomic_store_n(&agpu__fence_by_kernel, true, __ATOMIC_RELAXED);
}

void agpu__fence_others(void) {
  if (!__atomic_load_n(&agpu__fence_by_kernel, __ATOMIC_RELAXED))
    return;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
    return;
  // A filter that the process has installed since. From now on the stores make
  // their own barriers. Those before reach the other threads by themselves, as
  // the machine's store buffers drain, in far less than this.
  __atomic_store_n(&agpu__fence_by_kernel, false, __ATOMIC_RELAXED);
  (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
