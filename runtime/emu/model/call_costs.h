//===- call_costs.h - What calls of the driver take ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_CALL_COSTS_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_CALL_COSTS_H

#include "emu/model/model.h"

/// What a call of the driver takes the host, in nanoseconds, apart from what it
/// waits for. `function` as cuda.h calls it, or as the driver exports it.
double agpu__emu_call_cost(const agpu__emu_model *model, const char *function);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_CALL_COSTS_H
