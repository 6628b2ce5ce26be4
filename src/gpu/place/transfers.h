//===- transfers.h - Where an object is copied to and fro -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object of which the device has a copy is valid on the host, on the device,
// or on both. Each event needs it on its side. This finds the copies that see
// to that, as few as it can: in front of loops instead of in them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_TRANSFERS_H
#define ASYNC_GPU_GPU_PLACE_TRANSFERS_H

#include "gpu/place/events.h"

/// Sides on which the contents are valid, as bits.
enum { AGPU__ON_HOST = 1, AGPU__ON_DEVICE = 2, AGPU__ON_BOTH = 3 };

/// One copy, in front of `before`.
typedef struct agpu__transfer {
  MlirOperation before;
  bool to_device;
} agpu__transfer;

typedef struct agpu__transfers {
  agpu__transfer *data;
  size_t count, capacity;
  size_t in_loops; ///< of them
  bool fails;      ///< an event stands in control flow that is not followed
} agpu__transfers;

/// For the events of one object, which all stand in `block` or below, and which
/// is valid where `begin` says at its beginning and has to be where `end` says
/// at its end. Free with agpu__transfers_free.
void agpu__transfers_find(MlirBlock block, const agpu__events *events,
                          unsigned begin, unsigned end,
                          agpu__transfers *out_transfers);
void agpu__transfers_free(agpu__transfers *transfers);

#endif // ASYNC_GPU_GPU_PLACE_TRANSFERS_H
