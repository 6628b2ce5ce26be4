//===- apply.h - Memory gets its place -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_APPLY_H
#define ASYNC_GPU_GPU_PLACE_APPLY_H

#include "gpu/place/transfers.h"

/// True if a buffer for all of the memref can be allocated on the device: its
/// layout is the identity, or strides.
bool agpu__can_mirror(MlirType memref);

/// Gives the object a buffer on the device, which takes its place in launches,
/// copies and fills, and the copies between the two.
void agpu__place_mirror(const agpu__touches *touches, size_t object,
                        const agpu__transfers *transfers);

/// Allocates the object (a memref.alloc) on the device in place of the host, or
/// for both.
void agpu__place_allocation(const agpu__touches *touches, size_t object,
                            bool host_shared);

/// Registers the object (a memref.alloc) from its allocation to where it is
/// freed.
void agpu__place_registration(const agpu__touches *touches, size_t object);

/// The memref.dealloc of an allocation; a null op: there is none. False in
/// `*out_known` if there are several.
MlirOperation agpu__release_of(const agpu__touches *touches, size_t object,
                               bool *out_known);

#endif // ASYNC_GPU_GPU_PLACE_APPLY_H
