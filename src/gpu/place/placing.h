//===- placing.h - A function whose data is placed -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_PLACING_H
#define ASYNC_GPU_GPU_PLACE_PLACING_H

#include "gpu/place/events.h"
#include "gpu/place/spaces.h"

#include "mlir-c/Support.h"

#define AGPU__PLACING_FIX                                                      \
  "copy it to the device (gpu.memcpy), register it (gpu.host_register), or "   \
  "allocate it for both (gpu.alloc host_shared)"

/// A function that is looked at.
typedef struct agpu__placing {
  const agpu__spaces *spaces;
  const agpu__touches *touches;
  const agpu__summary *function;
  agpu__ops *dead; ///< ops that go when the function is done
  bool remarks;
  bool is_unified; ///< the device reaches the host's memory
  MlirLogicalResult result;
} agpu__placing;

/// "the memref.alloc in line 3"; the caller frees it.
char *agpu__placing_name(const agpu__placing *self, size_t member);

/// The first launch that is given the object; a null op: there is none.
MlirOperation agpu__placing_launch(const agpu__placing *self, size_t object);

/// Where remarks are asked for, one that begins with the member's name.
void agpu__placing_remark(const agpu__placing *self, size_t member,
                          const char *text);

/// An error at the launch; the pass fails.
void agpu__placing_fail(agpu__placing *self, size_t object, const char *reason,
                        const char *fix);

/// Gives the object a place, if it has to have one.
void agpu__place_object(agpu__placing *self, size_t object);

#endif // ASYNC_GPU_GPU_PLACE_PLACING_H
