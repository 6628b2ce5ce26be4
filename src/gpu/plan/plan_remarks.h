//===- plan_remarks.h - The plan in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLAN_REMARKS_H
#define ASYNC_GPU_GPU_PLAN_REMARKS_H

#include "gpu/plan/plan.h"

/// Emits the plan as remarks at the ops that it concerns.
void agpu__plan_remark(const agpu__plan *plan);

#endif // ASYNC_GPU_GPU_PLAN_REMARKS_H
