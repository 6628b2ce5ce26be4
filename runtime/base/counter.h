//===- counter.h - Counting what is alive -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter that many threads change often and few read: each thread adds to
// one of several cells, a reader sums them up. The sum is exact once the
// threads have stopped changing it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_COUNTER_H
#define ASYNC_GPU_RUNTIME_BASE_COUNTER_H

#include "base/platform.h"

#include <stdatomic.h>
#include <stdint.h>

#define AGPU__COUNTER_CELLS 16

typedef struct agpu__counter {
  struct {
    AGPU__CACHE_ALIGNED _Atomic(int64_t) value;
  } cells[AGPU__COUNTER_CELLS];
} agpu__counter;

/// Adds `delta`. Any thread.
void agpu__counter_add(agpu__counter *counter, int64_t delta);

/// The sum. Any thread.
int64_t agpu__counter_read(const agpu__counter *counter);

#endif // ASYNC_GPU_RUNTIME_BASE_COUNTER_H
