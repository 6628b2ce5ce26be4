//===- connection.h - The connections of a context -------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context gives its device work by a few connections
// (CUDA_DEVICE_MAX_CONNECTIONS), which its streams share. Work of a connection
// begins in the order in which it was enqueued, whatever its streams are. What
// waits for an event or a host function holds up all that comes after it in its
// connection; a kernel that has begun holds up nothing but its stream.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_CONNECTION_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_CONNECTION_H

#include "driver_api/functions.h"

#include <stdint.h>

typedef struct agpu__emu_connection agpu__emu_connection;

/// The connection of the next stream that the context gets, in turn. NULL: out
/// of memory. One thread at a time.
agpu__emu_connection *agpu__emu_connection_choose(CUcontext context);

/// The place in the connection of what is enqueued now. Any thread; calls for
/// one stream come in the order of its ops.
uint64_t agpu__emu_connection_enqueue(agpu__emu_connection *connection);

/// Waits until all that came before that place has begun. On the stream's
/// thread, for one place after the other.
void agpu__emu_connection_await(agpu__emu_connection *connection,
                                uint64_t place);

/// What is at that place, which has been waited for, holds up the connection no
/// longer.
void agpu__emu_connection_pass(agpu__emu_connection *connection,
                               uint64_t place);

/// Frees the connections of a context, which no stream has any more.
void agpu__emu_connections_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_CONNECTION_H
