//===- fault.h - Calls that fail on request --------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_FAULT_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_FAULT_H

#include "gpu/driver/driver.h"

/// Puts functions into the table that call those in it, and of which one call
/// fails as the settings want it.
void agpu__emu_load_faults(agpu__driver *driver);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_FAULT_H
