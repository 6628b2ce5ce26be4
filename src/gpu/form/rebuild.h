//===- rebuild.h - Loops and branches with more values -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_REBUILD_H
#define ASYNC_GPU_GPU_FORM_REBUILD_H

#include "lower/ir/ops.h"

/// The same op with more operands, and results of these types, and its regions;
/// `op` is gone.
MlirOperation agpu__rebuild_op(MlirOperation op,
                               const agpu__values *more_operands,
                               const MlirType *more_types, size_t more_results);

/// Has the block's scf.yield give `values` too.
void agpu__extend_yield(MlirBlock block, const agpu__values *values);

#endif // ASYNC_GPU_GPU_FORM_REBUILD_H
