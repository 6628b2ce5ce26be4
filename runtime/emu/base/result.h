//===- result.h - Names and texts of results -------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_RESULT_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_RESULT_H

#include "gpu/driver/driver.h"

#include <stdbool.h>

/// Whether work that ends so leaves its context in error.
bool agpu__emu_error_is_sticky(CUresult error);

/// The result of that name; CUDA_SUCCESS where there is none.
CUresult agpu__emu_find_error(const char *name);

/// Its text; NULL where there is no such result.
const char *agpu__emu_get_error_text(CUresult error);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_RESULT_H
