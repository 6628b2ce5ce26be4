//===- beside.h - The runtime beside another in one process -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both tests of that have in common. Compiled as C and as C++.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_RUNTIME_ASYNC_BESIDE_H
#define ASYNC_GPU_TESTS_UNIT_RUNTIME_ASYNC_BESIDE_H

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/parallel.h"
#include "async_gpu/runtime.h"
#include "check.h"

enum { BESIDE_REGIONS = 200, BESIDE_ROUNDS = 20 };

static inline void beside_make_ready(void *token) {
  mlirAsyncRuntimeEmplaceToken((agpu_object *)token);
}

/// Spawns regions that do `work`, which makes its token ready, and awaits them.
static inline void beside_run_regions(agpu_coro_resume work) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(BESIDE_REGIONS);
  for (int i = 0; i < BESIDE_REGIONS; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeExecute(token, work);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  CHECK(!mlirAsyncRuntimeIsGroupError(group));
  mlirAsyncRuntimeDropRef(group, 1);
}

static inline void beside_count(void *total, int64_t begin, int64_t end) {
  __atomic_fetch_add((int64_t *)total, end - begin, __ATOMIC_RELAXED);
}

/// A loop of ours.
static inline void beside_run_loop(void) {
  int64_t total = 0;
  agpu_parallel_for(1000, 10, beside_count, &total);
  CHECK_EQ(total, 1000);
}

#endif // ASYNC_GPU_TESTS_UNIT_RUNTIME_ASYNC_BESIDE_H
