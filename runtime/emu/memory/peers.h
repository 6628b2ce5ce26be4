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

/// Whether kernels of `device` may use memory of `owner`, of its pool
/// (stream-ordered) or not.
bool agpu__emu_may_access(CUdevice device, CUdevice owner, bool pool);

/// No device may use another's memory.
void agpu__emu_peers_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_PEERS_H
