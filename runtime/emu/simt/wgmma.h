//===- wgmma.h - Matrix products of a warp group ---------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_WGMMA_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_WGMMA_H

#include "async_gpu/compiled/native_async.h"
#include "emu/simt/phase.h"

/// One instruction, of one thread.
typedef struct agpu__emu_wgmma {
  uint64_t descriptor_a, descriptor_b;
  uint32_t n, k;
  agpu_native_wgmma_type type_a, type_b;
  uint32_t flags; ///< agpu_native_wgmma_flag
} agpu__emu_wgmma;

/// Sums of a thread.
typedef struct agpu__emu_sums {
  void *data;
  uint32_t bytes;
  uint32_t pending;     ///< products that are still to be added
  const char *location; ///< of the last product
} agpu__emu_sums;

/// A product that has begun.
typedef struct agpu__emu_begun {
  agpu__emu_wgmma op;
  const char *location;
  uint32_t group, to; ///< `to`: number of the sums
} agpu__emu_begun;

/// What a thread has of both (wgmma_groups.c).
typedef struct agpu__emu_products {
  agpu__emu_sums *sums;
  agpu__emu_begun *begun;
  uint32_t sum_count, count;
  size_t sum_capacity, capacity;
  uint32_t closed; ///< groups
  bool is_fenced;  ///< since the last wait
} agpu__emu_products;

/// Bytes of the thread's sums.
static inline uint32_t agpu__emu_wgmma_bytes(const agpu__emu_wgmma *op) {
  return op->n / 2 * (op->flags & AGPU_NATIVE_WGMMA_F16_SUMS ? 2 : 4);
}

/// Adds the thread's elements of the product to its sums.
void agpu__emu_wgmma_multiply(const agpu__emu_runner *runner,
                              const agpu__emu_actor *actor,
                              const agpu__emu_wgmma *op, void *sums);

/// Closes the thread's open group; makes the products of all but the last
/// `pending` closed ones.
void agpu__emu_wgmma_commit(agpu__emu_runner *runner, uint32_t thread);
void agpu__emu_wgmma_wait(agpu__emu_runner *runner, uint32_t thread,
                          uint32_t pending);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_WGMMA_H
