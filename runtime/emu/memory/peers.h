//===- peers.h - Which device may use whose memory -------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_PEERS_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_PEERS_H

#include "driver_api/functions.h"

#include <stdbool.h>

/// Whether kernels of `context` may use memory of `owner`, of its device's pool
/// (stream-ordered) or not.
bool agpu__emu_may_access(CUcontext context, CUcontext owner, bool pool);

/// The context ends: no other may use its memory, and it no other's. Behind the
/// last one, pools are closed.
void agpu__emu_peers_end(CUcontext context, bool is_last);

/// The host has synchronized with the current device: its pool gives back what
/// is above its threshold, and managed memory is the host's if no kernel is
/// left (guard.h).
void agpu__emu_memory_synchronized(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_PEERS_H
