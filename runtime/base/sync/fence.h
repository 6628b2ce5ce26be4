//===- fence.h - A full barrier that one side makes for both ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For two threads that each write one variable and then read the other's, of
// which at least one has to see the other's write. Both need a full barrier
// between the two. Where one side is frequent and the other rare, the rare one
// has the kernel carry out a barrier on all other threads (membarrier), and the
// frequent one only keeps the compiler from reordering. Not every kernel allows
// that: seccomp filters and gVisor refuse it. The frequent side then makes its
// barriers itself.
//
//   frequent: agpu__fence_store(&busy, 1); if (!load(&closed)) ...
//   rare:     store(&closed, true); agpu__fence_others(); while (load(&busy))
//   ...
//
// All of these loads and stores are sequentially consistent, since they order
// the two sides where the kernel does not.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_FENCE_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>

/// Whether the kernel makes the frequent side's barriers. Written by fence.c.
extern bool agpu__fence_by_kernel;

/// Asks the kernel whether it does. Once before agpu__fence_others is of use;
/// any thread, also while others store.
void agpu__fence_register(void);

/// The frequent side's store. Any thread; signal-safe.
static inline void agpu__fence_store(atomic_uint *flag, unsigned value) {
  // Not one of the accesses that the tests of all interleavings count.
  if (__builtin_expect(
          __atomic_load_n(&agpu__fence_by_kernel, __ATOMIC_RELAXED), 1)) {
    atomic_store_explicit(flag, value, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
  } else {
    atomic_store(flag, value);
  }
}

/// The rare side's barrier, between its store and its load. Any thread;
/// signal-safe.
void agpu__fence_others(void);

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_FENCE_H
