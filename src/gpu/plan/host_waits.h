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

/// True if a region of `op` can end with device work that may not have
/// completed although it began without.
bool agpu__leaves_device_work(const agpu__effects *known, MlirOperation op);

#endif // ASYNC_GPU_GPU_HOST_WAITS_H
