//===- payload.h - What types become in the LLVM dialect --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload of an `!async.value<T>` lies in memory, and a kernel's arguments
// are passed by address, so the lowering must know the LLVM type of T before
// upstream's conversions have run. This is the one place that says so; it
// agrees with upstream's LLVMTypeConverter (64-bit index).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PAYLOAD_H
#define ASYNC_GPU_LOWER_PAYLOAD_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// The LLVM dialect type that upstream's conversions make of `type`; a null
/// type where there is none (the caller emits the diagnostic).
MlirType agpu__payload_type(MlirType type);

/// True for `!async.token`, `!async.value`, `!async.group` and
/// `!gpu.async.token`: what is an agpu_object at run time.
bool agpu__type_is_object(MlirType type);

/// True for `!async.token` and `!gpu.async.token`.
bool agpu__type_is_token(MlirType type);

/// The T of `!async.value<T>`; a null type for any other type.
MlirType agpu__async_value_payload(MlirType type);

/// `!async.value<T>` of a payload type.
MlirType agpu__async_value_get(MlirType payload);

#endif // ASYNC_GPU_LOWER_PAYLOAD_H
