//===- dependencies.h - What regions depend on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_DEPENDENCIES_H
#define ASYNC_GPU_GPU_DEPENDENCIES_H

#include "gpu/plan/plan.h"

/// Fills in what `body`, whose kind is known, depends on, and leaves out what
/// is implied, as far as plan->steps allow. All bodies before it have been
/// done.
void agpu__plan_dependencies(agpu__plan *plan, agpu__body *body);

/// Lets `body` reuse the stream of the one that it depends on where it is the
/// only successor of its only predecessor. All bodies have their
/// dependencies, those before it have streams, and the one that it stands in
/// its spawns.
void agpu__plan_continue(const agpu__plan *plan, agpu__body *body);

#endif // ASYNC_GPU_GPU_DEPENDENCIES_H
