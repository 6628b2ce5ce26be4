//===- llvm_guard.h - Fatal errors of LLVM as messages ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's backends end the process when they meet what they cannot compile (an
// instruction that the chip lacks, a type without arithmetic). In a compiler
// that is the user's error, not the end of the program.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LLVM_GUARD_H
#define ASYNC_GPU_GPU_LLVM_GUARD_H

#include "lower/ir/text.h"

#include "llvm-c/ErrorHandling.h"

#include <stdbool.h>

/// Calls `body(data)`. Returns true if it returned; false if LLVM reported a
/// fatal error in it, whose message is then appended to `error`. In that case
/// whatever LLVM objects the body worked on must neither be used again nor be
/// disposed of: they are given up with their memory. Calls from several
/// threads wait for each other; calls must not be nested.
///
/// LLVM has one fatal error handler for the process: one that the program has
/// installed itself is gone afterwards, but for that of the function below.
bool agpu__llvm_guard(void (*body)(void *data), void *data, agpu__text *error);

/// Has LLVM call `handler`, which does not return, on a fatal error outside of
/// guarded calls.
void agpu__llvm_on_fatal_error(LLVMFatalErrorHandler handler);

#endif // ASYNC_GPU_GPU_LLVM_GUARD_H
