//===- decide.h - Which tasks become regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_DECIDE_H
#define ASYNC_GPU_GPU_FORM_DECIDE_H

#include "gpu/form/task_graph.h"

/// Decides which tasks become regions, merges chains of them, and leaves all
/// tasks with the orders that hold then.
void agpu__decide_tasks(agpu__task_graph *graph);

/// How many pairs of tasks of the LOOP `loop` may overlap from one round to the
/// next. Leaves the orders of all tasks, as if all were regions.
size_t agpu__count_overlaps(agpu__task_graph *graph, size_t loop);

#endif // ASYNC_GPU_GPU_FORM_DECIDE_H
