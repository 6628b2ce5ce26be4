//===- harness.h - Kernels of a few lines, run on the interpreter --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver is linked into the test, which calls it as the runtime does. Each
// test that ends a context with an error begins with a new one.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_HARNESS_H
#define ASYNC_GPU_TESTS_PTX_HARNESS_H

#include "driver/state.h"

#include "check.h"

/// Starts the driver, whose reports go to a file of the test's own.
void harness_start(void);
/// What was reported since the last call, or since the start. Valid until the
/// next one.
const char *harness_take_reports(void);

/// A context that is current, and its end.
void harness_open(void);
void harness_close(void);

#define CALL(call) CHECK_EQ((int)(call), CUDA_SUCCESS)

/// A text whose lines are those of the kernels; it gets .version, .target sm_90
/// and .address_size before it.
CUmodule harness_load(const char *kernels);
CUresult harness_try_load(const char *kernels, CUmodule *out_module);

/// Runs kernel "k" of a text, with one block of so many threads, and with an
/// array of `count` words of 64 bits as its only parameter; they are `values`
/// before and after. The result of synchronising.
CUresult harness_run(const char *kernels, unsigned threads, uint64_t *values,
                     size_t count);

#endif // ASYNC_GPU_TESTS_PTX_HARNESS_H
