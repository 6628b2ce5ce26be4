//===- graph_work.h - What a part may hold -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_GRAPH_WORK_H
#define ASYNC_GPU_GPU_GRAPH_WORK_H

#include "lower/ir/ir.h"

/// Pieces of work of a part, at most.
#define AGPU__GRAPH_MOST_WORK 16384

/// What stands in the way of a part.
typedef struct agpu__graph_obstacle {
  MlirOperation op;
  const char *why;
} agpu__graph_obstacle;

/// How many pieces of work the op enqueues, or those in its regions; negative:
/// it cannot be part of a graph, and `*out` says what in it cannot.
int64_t agpu__graph_work(MlirSymbolTable symbols, MlirOperation op,
                         agpu__graph_obstacle *out);
int64_t agpu__graph_work_in(MlirSymbolTable symbols, MlirOperation op,
                            agpu__graph_obstacle *out);

/// `root`, the ops in it, and those in all that they call or spawn.
agpu__ops agpu__graph_ops(MlirSymbolTable symbols, MlirOperation root);

/// Rounds of an scf.for; -1: they are not known.
int64_t agpu__graph_rounds(MlirOperation loop);
bool agpu__graph_is_loop(MlirOperation op);

/// Whether the function is that of a region which only enqueues.
bool agpu__graph_is_region(MlirOperation function);

#endif // ASYNC_GPU_GPU_GRAPH_WORK_H
