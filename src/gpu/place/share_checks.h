//===- share_checks.h - Whether memory can be one for host and device -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_SHARE_CHECKS_H
#define ASYNC_GPU_GPU_PLACE_SHARE_CHECKS_H

#include "gpu/place/share.h"

const agpu__object *agpu__sharing_object(const agpu__sharing *self,
                                         size_t member);

/// True if `value` is a memref of the object.
bool agpu__sharing_has(const agpu__sharing *self, MlirValue value);

/// True if the member is on the host, and so is to get another place.
bool agpu__sharing_places(const agpu__sharing *self, size_t member);

/// Memory from memref.alloc, and from memref.alloca.
bool agpu__is_host_allocation(const agpu__object *it);
bool agpu__is_frame_allocation(const agpu__object *it);

/// True if an op of that name, outside of launches, has an operand of it.
bool agpu__sharing_is_used_by(const agpu__sharing *self, const char *name);

/// True if no memref of it leaves the block of `op`.
bool agpu__sharing_ends_with_block(const agpu__sharing *self, MlirOperation op);

/// True for an op that only reads the object, and runs once at most: the host
/// can do that to a copy.
bool agpu__sharing_reads_once(const agpu__sharing *self, MlirOperation op);

/// True if the program may write to the member.
bool agpu__sharing_writes(const agpu__sharing *self, size_t member);

/// True for a memref.copy that the device can do.
bool agpu__sharing_copies_on_device(const agpu__sharing *self,
                                    MlirOperation op);

#endif // ASYNC_GPU_GPU_PLACE_SHARE_CHECKS_H
