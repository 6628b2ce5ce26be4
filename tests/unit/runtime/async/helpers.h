//===- helpers.h - What the tests of objects share --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_RUNTIME_ASYNC_HELPERS_H
#define ASYNC_GPU_TESTS_UNIT_RUNTIME_ASYNC_HELPERS_H

#include "async/work.h"
#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/object.h"
#include "async_gpu/runtime.h"
#include "check.h"

#include <stdatomic.h>

/// Work whose completion the test decides on.
typedef struct fake_work {
  agpu__work base;
  atomic_int references;
  atomic_int requests;
  _Atomic(agpu_object *) requested; ///< by the last request
} fake_work;

/// One reference, the caller's.
void fake_work_init(fake_work *work);

/// Completes the object that the last request named.
void fake_work_complete(fake_work *work, agpu_status status);

/// A resume function: counts up the atomic_int that is its handle.
void count_up(void *handle);

/// Waits until `*counter` is `expected`, for ten seconds at most.
void check_reaches(atomic_int *counter, int expected);

/// Shuts the runtime down; checks that nothing is alive, and that the error no
/// one observed has `message` (NULL: that there is none).
void check_end(const char *message);

/// Runs `body` in a process of its own, which has to print `expected_text` (to
/// stdout and stderr together) and end with `expected_status`.
void check_child(void (*body)(void), int expected_status,
                 const char *expected_text);

#endif // ASYNC_GPU_TESTS_UNIT_RUNTIME_ASYNC_HELPERS_H
