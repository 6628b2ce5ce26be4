//===- share.h - Memory that is one for host and device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For memory that control flow hands on: which buffer a memref is of is known
// only when the program runs. All that it may be of becomes memory that the
// device reaches, so that every memref is right as it is.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_SHARE_H
#define ASYNC_GPU_GPU_PLACE_SHARE_H

#include "gpu/place/events.h"
#include "gpu/place/spaces.h"

/// An object, whose members all get a place of one kind.
typedef struct agpu__sharing {
  const agpu__spaces *spaces;
  const agpu__touches *touches;
  size_t object;
  agpu__ops *dead; ///< ops that are to go when the function is done
} agpu__sharing;

/// True if the host does nothing to the object but free it, hand it on, return
/// it, and copy it as the device can.
bool agpu__share_is_for_device(const agpu__sharing *sharing);

/// Why that cannot be done, or NULL; the caller frees it.
char *agpu__share_obstacle(const agpu__sharing *sharing);

/// Allocations are the device's, or both's; what the function does not allocate
/// itself has a buffer as long as the function, or the block that has got it.
/// Results become memory of the host.
void agpu__share(const agpu__sharing *sharing, bool host_shared);

/// Why it cannot be registered, or NULL; the caller frees it.
char *agpu__share_registration_obstacle(const agpu__sharing *sharing);

/// Registers each allocation from there to where it is freed, returned, or
/// where its block ends.
void agpu__share_register(const agpu__sharing *sharing);

#endif // ASYNC_GPU_GPU_PLACE_SHARE_H
