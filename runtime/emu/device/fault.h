//===- fault.h - Calls that fail on request --------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_FAULT_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_FAULT_H

#include "driver_api/functions.h"

#include <stdbool.h>

/// Whether calls are looked at: one is to fail, or they take modelled time.
/// Constant while the driver is used.
extern bool agpu__emu_looks_at_calls;

/// The settings have been read; calls are counted from now on.
void agpu__emu_faults_start(void);

/// What the call of the function of this name is to return; CUDA_SUCCESS: what
/// it comes to. `*out_is_done`: it is made all the same. Any thread.
CUresult agpu__emu_fault_of(const char *name, bool *out_is_done);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_FAULT_H
