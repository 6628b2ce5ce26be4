//===- tensors.h - Copies in bulk ------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the NVVM dialect whose operands are bytes, or tensors, in workgroup
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_TENSORS_H
#define ASYNC_GPU_GPU_TENSORS_H

#include "gpu/native/instructions/device_call.h"

/// Puts a call in place of nvvm.cp.async.bulk.* and .bulk.tensor.*.
void agpu__simt_call_bulk(agpu__simt_call *self);
void agpu__simt_call_tensor(agpu__simt_call *self);

/// False for modes of tensor copies that the device has not.
bool agpu__simt_has_tensors(MlirOperation op);

/// The predicate of a tensor copy, or null.
MlirValue agpu__simt_tensor_predicate(MlirOperation op);

#endif // ASYNC_GPU_GPU_TENSORS_H
