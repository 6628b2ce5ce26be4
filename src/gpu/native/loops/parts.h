//===- parts.h - Where loops over threads begin and end ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_PARTS_H
#define ASYNC_GPU_GPU_SIMT_PARTS_H

#include "gpu/native/loops/uniform.h"

/// A part is a set of blocks that all threads of a block enter together, at
/// its first block, and leave together, by its one exit.
typedef struct agpu__simt_division {
  size_t *part; ///< [block] the first block of its part
  bool *cut;    ///< [block] its terminator is the exit of its part
} agpu__simt_division;

/// Divides the blocks so that barriers, which stand last before a branch, are
/// exits, and so are, with `loops`, the ends of loops whose trip count is the
/// same for all threads. False where threads may come to different exits.
bool agpu__simt_division_create(const agpu__simt_graph *graph,
                                const agpu__simt_uniform *uniform, bool loops,
                                agpu__simt_division *out_division);
void agpu__simt_division_free(agpu__simt_division *division);

#endif // ASYNC_GPU_GPU_SIMT_PARTS_H
