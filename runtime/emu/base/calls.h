//===- calls.h - The calls of the emulated driver --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// agpu__emu_cuNAME for each cuNAME of the driver's table
// (driver_api/functions.h), which says what it does; entry.c exports them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_CALLS_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_CALLS_H

#include "driver_api/functions.h"

#define AGPU__EMU_DECLARE(need, name, symbol, parameters, arguments)           \
  CUresult agpu__emu_##name parameters;
AGPU__DRIVER_FUNCTIONS(AGPU__EMU_DECLARE)
#undef AGPU__EMU_DECLARE

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_CALLS_H
