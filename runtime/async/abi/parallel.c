//===- parallel_for.c - Parallel loops of compiled code -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What include/async_gpu/parallel.h promises to compiled programs: the
// executor's loops, of a runtime that has started.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/parallel.h"

#include "async/lifecycle.h"
#include "exec/loop/parallel.h"
#include "exec/loop/reduce.h"

void agpu_parallel_for(int64_t count, int64_t grain, agpu_loop_body body,
                       void *context) {
  agpu__lifecycle_start();
  agpu__exec_parallel_for(count, grain, body, context);
}

void agpu_parallel_reduce(int64_t count, int64_t grain, agpu_reduce_body body,
                          agpu_reduce_combine combine, void *context,
                          void *result, int64_t size) {
  agpu__lifecycle_start();
  agpu__exec_parallel_reduce(count, grain, body, combine, context, result,
                             size);
}
