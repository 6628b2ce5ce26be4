//===- assert.h - What has to hold --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An invariant of the runtime: which threads may call, what a lock guards,
// what a value can be. What a user's program can bring about is an error with a
// message, never this.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_REPORT_ASSERT_H
#define ASYNC_GPU_RUNTIME_BASE_REPORT_ASSERT_H

#include <assert.h>

/// Ends the process where `condition` is false: then the runtime is broken.
/// With -DASYNC_GPU_ASSERTIONS=OFF it is not even evaluated, but has to
/// compile.
#ifdef AGPU__NO_ASSERTIONS
#define AGPU__ASSERT(condition) ((void)sizeof(!(condition)))
#else
#define AGPU__ASSERT(condition) assert(condition)
#endif

#endif // ASYNC_GPU_RUNTIME_BASE_REPORT_ASSERT_H
