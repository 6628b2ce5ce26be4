//===- parallel.h - Thread loops that depend on nothing --------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_PARALLEL_H
#define ASYNC_GPU_GPU_SIMT_PARALLEL_H

#include "gpu/native/loops/graph.h"

/// Marks the loads and stores in `blocks` of `graph`, one way through which is
/// an iteration, as those of a parallel loop if that is safe, and returns the
/// llvm.loop_annotation that the loop needs, and the access groups of all its
/// loads and stores; null if it is not. One that `is_kept` is not unrolled,
/// which the annotation says, too.
MlirAttribute agpu__simt_mark_parallel(const agpu__simt_graph *graph,
                                       const MlirBlock *blocks, size_t count,
                                       bool is_kept,
                                       MlirAttribute *out_access_groups);

#endif // ASYNC_GPU_GPU_SIMT_PARALLEL_H
