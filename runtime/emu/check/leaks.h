//===- leaks.h - Device memory that was not freed --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_LEAKS_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_LEAKS_H

/// Before memory is given back: writes a warning to stderr for each place whose
/// allocations the program has not freed.
void agpu__emu_leaks_list(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_LEAKS_H
