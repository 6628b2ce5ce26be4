//===- host_waits.h - Where the host waits for the device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_HOST_WAITS_H
#define ASYNC_GPU_GPU_HOST_WAITS_H

#include "gpu/plan/plan.h"

/// Fills in the ops of `body` before which the host waits, and the regions that
/// it spawns after device work. `dirty`: what it depends on may be device
/// work.
void agpu__plan_host_waits(const agpu__effects *known, agpu__body *body,
                           bool dirty);

#endif // ASYNC_GPU_GPU_HOST_WAITS_H
