//===- start.h - The beginning of the emulated driver -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_START_H
#define ASYNC_GPU_RUNTIME_EMU_START_H

#include "driver_api/extension.h"

/// asyncGpuEmuExtension.
agpu__emu_get_extension agpu__emu_start;

#endif // ASYNC_GPU_RUNTIME_EMU_START_H
