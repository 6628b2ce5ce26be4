//===- rounds.h - Two buffers for all rounds -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_ROUNDS_H
#define ASYNC_GPU_GPU_FORM_ROUNDS_H

#include "gpu/form/task_graph.h"

/// Of what each round of a loop allocates and frees, and regions of it use, two
/// are allocated in front of the loop. After everything that is decided, in
/// front of agpu__emit_tasks.
void agpu__share_rounds(agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_ROUNDS_H
