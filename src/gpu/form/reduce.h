//===- reduce.h - Orders that others imply -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_REDUCE_H
#define ASYNC_GPU_GPU_FORM_REDUCE_H

#include "gpu/form/task_graph.h"

/// Takes away each order on a region that another one of the same task is
/// after anyway.
void agpu__reduce_orders(agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_REDUCE_H
