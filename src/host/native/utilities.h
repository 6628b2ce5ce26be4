//===- utilities.h - What upstream's runner gives to programs ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_UTILITIES_H
#define ASYNC_GPU_HOST_UTILITIES_H

#include <stdbool.h>
#include <stddef.h>

/// Loads the next of upstream's runner utilities (printI64, printMemrefF32,
/// rtclock, ...) into the process: from beside libMLIR.so as it is loaded, else
/// from where it was when this was built. `next` points to 0 at first. False
/// when none is left.
bool agpu__utilities_load_next(size_t *next);

#endif // ASYNC_GPU_HOST_UTILITIES_H
