//===- call_stub.h - Calls that graphs may have -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_CALL_STUB_H
#define ASYNC_GPU_GPU_CALL_STUB_H

#include "lower/ir/ir.h"

/// Replaces `call`, an `agpu.call`, by a call of a function (stub.h) that asks
/// the runtime whether the callee is to be called.
MlirLogicalResult agpu__lower_call(MlirOperation module,
                                   MlirSymbolTable symbols, MlirOperation call);

/// Replaces `call`, an `agpu.host_call`, by a call of a function that puts the
/// arguments into memory, from where another takes them on the driver's thread.
void agpu__lower_host_call(MlirOperation module, MlirOperation call);

#endif // ASYNC_GPU_GPU_CALL_STUB_H
