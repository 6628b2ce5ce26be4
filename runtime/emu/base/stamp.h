//===- stamp.h - When an op comes ------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the check for races knows of an op's place among the others
// (check/order.h). Without it there are none: NULL wherever one may stand.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_STAMP_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_STAMP_H

#include <stdatomic.h>
#include <stdint.h>

/// Reference counted; constant once it is made.
typedef struct agpu__emu_stamp {
  atomic_uint references;
  unsigned stream; ///< the op's, by number
  unsigned count;
  uint64_t
      positions[]; ///< for each stream, how far it is before the op is done
} agpu__emu_stamp;

/// One of `count` positions, all 0.
agpu__emu_stamp *agpu__emu_stamp_create(unsigned stream, unsigned count);
agpu__emu_stamp *agpu__emu_stamp_retain(agpu__emu_stamp *stamp);
void agpu__emu_stamp_release(agpu__emu_stamp *stamp);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_STAMP_H
