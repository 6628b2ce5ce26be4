//===- rename.h - Memory of each round -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_RENAME_H
#define ASYNC_GPU_GPU_FORM_RENAME_H

#include "gpu/form/task_graph.h"

/// Moves allocations that a loop fills anew in each round into that loop, so
/// that rounds may overlap. True if the function changed: the graph and all
/// that is known of the function are out of date then. `remarks`: says so of
/// each.
bool agpu__rename_buffers(agpu__task_graph *graph, bool remarks);

#endif // ASYNC_GPU_GPU_FORM_RENAME_H
