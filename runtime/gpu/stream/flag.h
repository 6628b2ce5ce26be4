//===- flag.h - Words of memory that streams write ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream's flag is a word of host memory that the device addresses, too. It
// holds the last position of the stream (its low bits) that was announced and
// reached, so that the host sees with a load how far the stream has come.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_FLAG_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_FLAG_H

#include "gpu/stream/event.h"

/// Has the stream of `event` write the event's position into its flag. `event`
/// is recorded, and at the stream's end: NOT_READY where more has been enqueued
/// since, else the driver's error. Any thread; the device has been entered.
CUresult agpu__stream_flag_announce(agpu__event *event);

/// Whether the stream has come to what was announced for `event`. Any thread.
bool agpu__stream_flag_is_up(const agpu__event *event);

/// Gives the flag's memory back to the driver, if the stream has one, and
/// leaves what other threads may look at. The device has been entered, and is
/// idle.
void agpu__stream_flag_abandon(const agpu__pool_stream *stream);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_FLAG_H
