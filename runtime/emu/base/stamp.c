//===- stamp.c - When an op comes -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counted references to a clock, and nothing else: check/order.c says what it
// means.
//
//===----------------------------------------------------------------------===//

#include "emu/base/stamp.h"

#include "base/memory/memory.h"

#include <string.h>

agpu__emu_stamp *agpu__emu_stamp_create(unsigned stream, unsigned count) {
  size_t bytes = count * sizeof(uint64_t);
  agpu__emu_stamp *created = agpu__memory_alloc(
      (int64_t)(sizeof *created + bytes), _Alignof(agpu__emu_stamp),
      "the check of the device's order");
  atomic_init(&created->references, 1);
  created->stream = stream;
  created->count = count;
  memset(created->positions, 0, bytes);
  return created;
}

agpu__emu_stamp *agpu__emu_stamp_retain(agpu__emu_stamp *stamp) {
  if (stamp)
    atomic_fetch_add_explicit(&stamp->references, 1, memory_order_relaxed);
  return stamp;
}

void agpu__emu_stamp_release(agpu__emu_stamp *stamp) {
  // Release and acquire: what other holders read comes before the free.
  if (stamp && atomic_fetch_sub_explicit(&stamp->references, 1,
                                         memory_order_acq_rel) == 1)
    agpu__memory_free(stamp);
}
