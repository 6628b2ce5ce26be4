//===- emit.h - Tasks become regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_EMIT_H
#define ASYNC_GPU_GPU_FORM_EMIT_H

#include "gpu/form/task_graph.h"

/// Does what was decided (decide.h): regions, awaits, tokens through branches
/// and loops, and a wait for all of them at the end of the block.
void agpu__emit_tasks(agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_EMIT_H
