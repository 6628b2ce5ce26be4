//===- start.h - The beginning of modelled time -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_START_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_START_H

#include "async_gpu/status.h"

/// Reads the model that is asked for, if one is, the first time. Any thread.
agpu_status agpu__emu_model_begin(void);

/// Whose time it is, and how far it may be off, in words that stay; NULL where
/// none is modelled. Behind the begin.
const char *agpu__emu_model_describe(void);

/// From now on what streams are given is work of the timeline's, where there is
/// a model. Behind the installation of the checks.
void agpu__emu_model_install(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_START_H
