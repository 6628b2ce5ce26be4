//===- enqueued_call.h - Calls once operands are enqueued -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_ENQUEUED_CALL_H
#define ASYNC_GPU_HOST_ENQUEUED_CALL_H

#include "host/async/async_body.h"

/// Whether the function with this body, which starts in its caller, waits for
/// nothing but that some of its operands are ENQUEUED, before anything else.
bool agpu__waits_for_operands(const agpu__async_body *body);

/// Splits such a function: its body becomes a function of its own after it,
/// and what is left calls that by a `func.call` with AGPU__AWAITED_ATTR. The
/// new body, without awaits; the caller frees its results.
agpu__async_body agpu__enqueued_call_create(agpu__async_body body,
                                            MlirType type);

/// Turns such a call into a frame and a call of the runtime, and its callee,
/// which nothing else calls, into a function of that frame.
void agpu__enqueued_call_lower(MlirOperation module, MlirSymbolTable symbols,
                               MlirOperation call);

#endif // ASYNC_GPU_HOST_ENQUEUED_CALL_H
