//===- graph_loop.h - Loops whose rounds share graphs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_GRAPH_LOOP_H
#define ASYNC_GPU_GPU_GRAPH_LOOP_H

#include "gpu/streams/graph_part.h"

/// Rounds that a graph has, at most, of a loop of `trips` rounds (negative: it
/// is not known), `work` pieces of work each.
int64_t agpu__graph_loop_rounds(int64_t work, int64_t trips);

/// Whether all rounds of the loop enqueue the same, and do nothing else: so
/// that who has seen one has seen all. Its body may be part of a graph.
bool agpu__graph_loop_is_fixed(MlirSymbolTable symbols, MlirOperation loop);

/// Puts the part's ops around the loop and into it.
void agpu__graph_loop_build(const agpu__graph_part *part);

#endif // ASYNC_GPU_GPU_GRAPH_LOOP_H
