//===- work_clock.h - The emulated device's own clock -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_WORK_CLOCK_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_WORK_CLOCK_H

#include "emu/device/op.h"

#include <stdint.h>

/// From now on `ran` is called for all work that has a number: when it began
/// and when it was over. Behind the installation of the checks, before the
/// device is used.
void agpu__emu_work_clock_start(agpu__emu_ran *ran);

/// Runs an op that is made of several, and whose number is that of all.
void agpu__emu_work_clock_run_whole(const agpu__emu_op *op,
                                    agpu__emu_random *random,
                                    void (*run_it)(const agpu__emu_op *op,
                                                   agpu__emu_random *random));

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_WORK_CLOCK_H
