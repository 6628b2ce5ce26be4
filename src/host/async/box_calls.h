//===- box_calls.h - Boxes of unranked memrefs ------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_BOX_CALLS_H
#define ASYNC_GPU_HOST_BOX_CALLS_H

#include "lower/ir/ir.h"

/// On agpu.unbox_unranked: the memref's descriptor is a copy on the stack.
#define AGPU__COPY_ATTR "copy"

/// A new box of type `box_type` with one reference, which holds a copy of the
/// descriptor of `memref`. A null value after an error.
MlirValue agpu__box_unranked(agpu__builder *at, MlirOperation module,
                             MlirValue memref, MlirType box_type);

/// The unranked memref, of type `memref`, in a box: with the box's descriptor,
/// or `on_stack` with a copy in the function's frame, which must not be a
/// coroutine's.
MlirValue agpu__unbox_unranked(agpu__builder *at, MlirOperation module,
                               MlirValue box, MlirType memref, bool on_stack);

#endif // ASYNC_GPU_HOST_BOX_CALLS_H
