//===- chains.h - Maximal paths of tasks ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_CHAINS_H
#define ASYNC_GPU_GPU_FORM_CHAINS_H

#include "gpu/form/task_graph.h"

/// Fills in `weight` and `is_heavy` of all tasks. The orders have to be those
/// of all tasks (agpu__order_tasks).
void agpu__weigh_tasks(agpu__task_graph *graph);

/// Merges regions that are one after the other, where nothing could run beside
/// or wait for one of them alone, and light ones into what they are for. The
/// orders have to be those of regions.
void agpu__merge_chains(agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_CHAINS_H
