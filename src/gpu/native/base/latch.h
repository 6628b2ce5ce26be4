//===- latch.h - The end of a loop over threads ----------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_LATCH_H
#define ASYNC_GPU_GPU_SIMT_LATCH_H

#include "lower/ir/ir.h"

/// Appends: back to `header` with counter + 1 while that is below `bound`, else
/// on to `exit`, which takes no argument. `annotation`: an
/// llvm.loop_annotation, or null.
void agpu__simt_loop_latch(agpu__builder *at, MlirBlock header, MlirBlock exit,
                           MlirValue counter, MlirValue bound, MlirValue one,
                           MlirAttribute annotation);

#endif // ASYNC_GPU_GPU_SIMT_LATCH_H
