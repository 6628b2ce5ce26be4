//===- frame_addresses.h - Stack memory that a coroutine hands on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_FRAME_ADDRESSES_H
#define ASYNC_GPU_LOWER_FRAME_ADDRESSES_H

#include "llvm-c/Core.h"

/// Keeps stack memory whose address LLVM loses sight of in the frames of the
/// coroutines of `ir`, which are not split yet.
void agpu__keep_in_frames(LLVMModuleRef ir);

#endif // ASYNC_GPU_LOWER_FRAME_ADDRESSES_H
