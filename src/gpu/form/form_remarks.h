//===- form_remarks.h - What was formed, in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_REMARKS_H
#define ASYNC_GPU_GPU_FORM_REMARKS_H

#include "gpu/form/task_graph.h"

/// Emits a remark for the block, each region, what it depends on and why, and
/// each wait, before they are made.
void agpu__form_remark(const agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_REMARKS_H
