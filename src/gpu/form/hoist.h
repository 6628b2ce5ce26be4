//===- hoist.h - Regions begin early -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_HOIST_H
#define ASYNC_GPU_GPU_FORM_HOIST_H

#include "gpu/form/task_graph.h"

/// Moves ops that become regions in front of tasks that stay where they are and
/// have no order with them, so that those do not hold them up. The orders have
/// to be those of all tasks (agpu__order_tasks).
void agpu__hoist_tasks(agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_HOIST_H
