//===- checks.h - The checks of ASYNC_GPU_EMU_CHECK ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_CHECKS_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_CHECKS_H

#include "emu/base/settings.h"

/// Notifies (hooks.h) the checks that the settings ask for, and no others.
void agpu__emu_checks_install(const agpu__emu_settings *settings);

/// Before memory is given back: writes a warning to stderr for each place whose
/// allocations the program has not freed.
void agpu__emu_leaks_list(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_CHECKS_H
