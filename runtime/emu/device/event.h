//===- event.h - Events ----------------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H

#include "driver_api/functions.h"

/// Destroys the events of the context that are left.
void agpu__emu_events_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H
