//===- calls.h - The calls of the emulated driver --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// agpu__emu_cuNAME for each cuNAME of the driver's table
// (driver_api/functions.h), and agpu__emu_SYMBOL for each symbol of the table
// of what only programs call (program_functions.h); entry.c exports them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_CALLS_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_CALLS_H

#include "emu/base/program_functions.h"

#define AGPU__EMU_DECLARE(need, name, symbol, parameters, arguments)           \
  CUresult agpu__emu_##name parameters;
AGPU__DRIVER_FUNCTIONS(AGPU__EMU_DECLARE)
#undef AGPU__EMU_DECLARE

#define AGPU__EMU_DECLARE(name, symbol, since, parameters, arguments)          \
  CUresult agpu__emu_##symbol parameters;
AGPU__EMU_PROGRAM_FUNCTIONS(AGPU__EMU_DECLARE)
#undef AGPU__EMU_DECLARE

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_CALLS_H
