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
#include "emu/device/marker.h"

/// The context that the event is of; NULL: there is no such event.
CUcontext agpu__emu_event_context(CUevent handle);

/// What an op that records it reaches: NULL where it is gone, or memory is out.
/// Once that op is in the queue of a stream, the event is told, which takes the
/// reference.
agpu__emu_marker *agpu__emu_event_begin_record(CUevent handle);
void agpu__emu_event_end_record(CUevent handle, CUstream stream,
                                agpu__emu_marker *marker);

/// Destroys the events of the context that are left.
void agpu__emu_events_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_EVENT_H
