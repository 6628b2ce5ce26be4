//===- runtime.h - The runtime as an object -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What there is once in a process beside the executor's state (exec/census.h),
// and which file it belongs to.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_RUNTIME_H
#define ASYNC_GPU_RUNTIME_ASYNC_RUNTIME_H

#include "async/lifecycle.h"
#include "base/sync/mutex.h"
#include "exec/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__runtime {
  // lifecycle.c
  _Atomic(const agpu__outside_life *) device, messages;
  agpu__mutex start_lock;
  bool has_handlers AGPU__GUARDED_BY(start_lock);
  bool is_exiting AGPU__GUARDED_BY(start_lock); ///< handlers run
  agpu__mutex end_lock;                         ///< held during a shutdown
  // standstill.c: what the executor looks for, and whether it does
  agpu__exec_watch watch;
  _Atomic(bool) is_watched;
  // object.c
  _Atomic(uint32_t) next_number;
  // abort_cause.c: the handler before its own
  pthread_once_t handler_once;
  struct sigaction handler_before;
} agpu__runtime;

extern agpu__runtime agpu__the_runtime;

#endif // ASYNC_GPU_RUNTIME_ASYNC_RUNTIME_H
