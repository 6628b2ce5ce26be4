//===- order.h - Dependences of tasks -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_ORDER_H
#define ASYNC_GPU_GPU_FORM_ORDER_H

#include "gpu/form/task_graph.h"

/// Fills in `orders` of all tasks, anew. `all`: of tasks that stay where they
/// are, too, as if they were regions; otherwise those are done when the next
/// task begins.
void agpu__order_tasks(agpu__task_graph *graph, bool all);

#endif // ASYNC_GPU_GPU_FORM_ORDER_H
