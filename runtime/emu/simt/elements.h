//===- elements.h - Elements of tensors ------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What copies in bulk do to the elements of a tensor besides copying them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_ELEMENTS_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_ELEMENTS_H

#include "async_gpu/compiled/native_async.h"
#include "driver_api/functions.h"

#include <stdbool.h>

/// Whether elements of the type can be so combined.
bool agpu__emu_elements_can(CUtensorMapDataType type,
                            agpu_native_bulk_reduction reduction);

/// Combines each element at `to` with that at `from`, one at a time as an
/// atomic operation does.
void agpu__emu_elements_combine(CUtensorMapDataType type,
                                agpu_native_bulk_reduction reduction, char *to,
                                const char *from, uint32_t bytes);

/// Writes NaNs of a float type.
void agpu__emu_elements_fill_nan(CUtensorMapDataType type, char *to,
                                 uint32_t bytes);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_ELEMENTS_H
