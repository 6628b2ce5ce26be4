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
#include "lower/ir/ir.h"

/// True if a buffer for all of the memref can be allocated on the device: its
/// layout is the identity, or strides.
bool agpu__can_mirror(MlirType memref);

/// Gives the object, or one of its members, a buffer on the device, which takes
/// its place in launches, copies and fills, and the copies between the two.
void agpu__place_mirror(const agpu__touches *touches, size_t member,
                        const agpu__events *events,
                        const agpu__transfers *transfers);

/// A memref of the whole of an argument, a global or what an op has made, that
/// all of its uses can see, and where what is made beside it goes.
MlirValue agpu__place_base(const agpu__touches *touches, size_t object,
                           agpu__builder *out_at);

MlirValue agpu__place_build_alloc(agpu__builder *at, MlirType type,
                                  const agpu__values *sizes, bool host_shared);

/// A buffer for the device, or for both, of the size of `base`, and of its
/// type.
MlirValue agpu__place_build_buffer(agpu__builder *at, MlirValue base,
                                   bool host_shared);

/// Memory of the host of the size and type of `base`, which has no layout.
MlirValue agpu__place_build_host(agpu__builder *at, MlirValue base);

#endif // ASYNC_GPU_GPU_PLACE_APPLY_H
