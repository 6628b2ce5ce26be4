//===- work_clock.h - The emulated device's own clock -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_WORK_CLOCK_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_WORK_CLOCK_H

#include "gpu/trace/work_clock.h"

/// From now on `ran` is told of all work that gets a number. Behind the
/// installation of the checks, before the device is used.
const agpu__work_clock *agpu__emu_work_clock_start(agpu__work_ran *ran);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_WORK_CLOCK_H
