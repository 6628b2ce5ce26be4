//===- support.h - What the tests of runtime/gpu share ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as the compiler embeds them, and the driver's log as something to
// count in.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_RUNTIME_GPU_SUPPORT_H
#define ASYNC_GPU_TESTS_UNIT_RUNTIME_GPU_SUPPORT_H

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/runtime.h"
#include "async_gpu/stream.h"
#include "check.h"

extern agpu_module_desc test_module;
/// increment(cell): ++*cell, an int64_t, not atomically
extern agpu_kernel_desc test_increment;
/// pause(cell, milliseconds): waits, then ++*cell
extern agpu_kernel_desc test_pause;
/// add(out, a, b): *out = *a + *b
extern agpu_kernel_desc test_add;

/// The test kernels' image for the driver in use.
void *get_test_image(void);

/// Launches increment on one cell in one block of one thread.
void launch_increment(agpu_stream *stream, void *cell);
void launch_pause(agpu_stream *stream, void *cell, int64_t milliseconds);
void launch_add(agpu_stream *stream, void *out, void *a, void *b);

/// Waits for the object and drops the caller's reference.
void await_and_drop(agpu_object *token);

/// The message of the status that `object` is in ERROR with; the caller's
/// reference is dropped, and the result is good until the next call.
const char *get_error_and_drop(agpu_object *object);

/// Sends stderr to a file from now on. The test has ASYNC_GPU_LOG=driver.
void log_begin(void);
/// Lines so far that contain `text`.
int log_count(const char *text);
/// Writes the file to the real stderr, for tests that fail.
void log_show(void);

/// Checks that nothing is alive or lent, and ends the runtime without error.
void check_end(void);

#endif // ASYNC_GPU_TESTS_UNIT_RUNTIME_GPU_SUPPORT_H
