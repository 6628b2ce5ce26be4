//===- device.h - Which device work goes to ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices are numbered from 0. Every thread has a default device, 0 at first;
// a stream is on the one that is the default where it is acquired. Compiled
// code keeps the default with the program's own order: a region starts with
// that of its spawner, and goes on with its own on whatever thread it is
// resumed.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_DEVICE_H
#define ASYNC_GPU_DEVICE_H

#include "async_gpu/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many devices there are, at least 1. Starts the driver; where none
/// answers, ends the process with one message and exit status 1. A program may
/// declare and call it: `func.func private @agpu_device_count() -> i32`.
AGPU_EXPORT int32_t agpu_device_count(void);

/// The calling thread's default device, and its change. Any number is allowed:
/// a stream that is acquired while there is no such device is in error.
AGPU_EXPORT int32_t agpu_default_device(void);
AGPU_EXPORT void agpu_enter_device(int32_t device);

/// What gpu.set_default_device becomes: `device` is the calling thread's
/// default from now on, and later work on `stream` goes there, after the work
/// so far. Where there is no such device the stream is in error.
AGPU_EXPORT void agpu_set_default_device(agpu_stream *stream, int32_t device,
                                         const char *location);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_DEVICE_H
