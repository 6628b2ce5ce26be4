//===- event.h - Events ----------------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H

/// Destroys the events that are left.
void agpu__emu_events_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H
