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
#include "emu/simt/async.h"

/// One instruction, of one thread.
typedef struct agpu__emu_wgmma {
  uint64_t descriptor_a, descriptor_b;
  uint32_t n, k;
  agpu_native_wgmma_type type_a, type_b;
  uint32_t flags; ///< agpu_native_wgmma_flag
} agpu__emu_wgmma;

/// Threads that a product is an operation of.
#define AGPU__EMU_WARP_GROUP 128u

/// Rows of A, and bytes along K of a row of A or a column of B.
#define AGPU__EMU_WGMMA_ROWS 64u
#define AGPU__EMU_LINE 32u
typedef struct agpu__emu_line {
  _Alignas(AGPU__EMU_LINE) char bytes[AGPU__EMU_LINE];
} agpu__emu_line;

/// Rows of A, and columns of B after them.
static inline uint32_t agpu__emu_wgmma_lines(const agpu__emu_wgmma *op) {
  return AGPU__EMU_WGMMA_ROWS + op->n;
}

/// Bytes of the thread's sums.
static inline uint32_t agpu__emu_wgmma_bytes(const agpu__emu_wgmma *op) {
  return op->n / 2 * (op->flags & AGPU_NATIVE_WGMMA_F16_SUMS ? 2 : 4);
}

/// Where bytes of a line lie that are together in memory; `swizzle`: as the
/// descriptor has it, of CUtensorMapSwizzle.
typedef void agpu__emu_wgmma_visitor(void *argument, uintptr_t place,
                                     uint32_t bytes, unsigned swizzle);

/// Calls `visit` for the pieces of a line, from its first byte to its last.
void agpu__emu_wgmma_visit(const agpu__emu_runner *runner,
                           const agpu__emu_wgmma *op, uint32_t line,
                           agpu__emu_wgmma_visitor *visit, void *argument);

/// The first of the two rows that the thread of that number multiplies; the
/// other one is 8 below.
uint32_t agpu__emu_wgmma_row(uint32_t thread);

/// Adds the elements of the product that the thread of that number has to its
/// sums.
void agpu__emu_wgmma_multiply(const agpu__emu_wgmma *op, uint32_t thread,
                              const agpu__emu_line *lines, void *sums);

//===----------------------------------------------------------------------===//
// Products of a warp group (wgmma_joint.c)
//===----------------------------------------------------------------------===//

typedef struct agpu__emu_joint {
  agpu__emu_wgmma op;
  const char *location;
  uint32_t warp_group, number; ///< of the group's products
  uint32_t ended;              ///< threads that have waited for it
  agpu__emu_line *lines;
  agpu__emu_phase_record record; ///< the checks'
} agpu__emu_joint;

/// The thread begins its `number`-th product.
void agpu__emu_joint_begin(agpu__emu_runner *runner,
                           const agpu__emu_actor *actor, uint32_t number,
                           const agpu__emu_wgmma *op);

/// The thread has waited for it: adds the product to its sums. Fails the block
/// where something has written to the matrices since it was begun.
void agpu__emu_joint_end(agpu__emu_runner *runner, const agpu__emu_actor *actor,
                         uint32_t number, void *sums);

//===----------------------------------------------------------------------===//
// Sums and groups of each thread (wgmma_groups.c)
//===----------------------------------------------------------------------===//

/// Sums of a thread.
typedef struct agpu__emu_sums {
  void *data;
  uint32_t bytes;
  uint32_t pending;     ///< products that are still to be added
  const char *location; ///< of the last product
} agpu__emu_sums;

/// A product that has begun.
typedef struct agpu__emu_begun {
  const char *location;
  uint32_t group, to; ///< `to`: number of the sums
} agpu__emu_begun;

/// What a thread has of both.
typedef struct agpu__emu_products {
  agpu__emu_sums *sums;
  agpu__emu_begun *begun;
  uint32_t sum_count, count;
  size_t sum_capacity, capacity;
  uint32_t ended;  ///< products
  uint32_t closed; ///< groups
  bool is_fenced;  ///< since the last wait
} agpu__emu_products;

/// Closes the thread's open group; makes the products of all but the last
/// `pending` closed ones.
void agpu__emu_wgmma_commit(agpu__emu_runner *runner, uint32_t thread);
void agpu__emu_wgmma_wait(agpu__emu_runner *runner, uint32_t thread,
                          uint32_t pending);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_WGMMA_H
