//===- shadow.h - Who has accessed a word of memory ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the check of races between a kernel's threads: each 8 bytes of memory
// have a cell that remembers a few accesses to them. More are not needed to
// find a race: of threads that do the same, two stand for all.
//
// For one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_SHADOW_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_SHADOW_H

#include "emu/check/thread_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU__EMU_WORD 8u
#define AGPU__EMU_CELL_ACCESSES 4

/// An access to one word.
typedef struct agpu__emu_access {
  const char *location;  ///< or NULL
  agpu__emu_moment when; ///< and who
  uint8_t mask;          ///< the bytes of the word, as bits
  uint8_t flags;         ///< agpu_native_access
} agpu__emu_access;

typedef struct agpu__emu_cell {
  uint32_t generation; ///< see agpu__emu_cell_open
  uint16_t count;
  uint8_t read, written; ///< bytes that any access did that to, as bits
  agpu__emu_access accesses[AGPU__EMU_CELL_ACCESSES];
} agpu__emu_cell;

/// Forgets what an earlier generation has left in the cell. A launch, or for
/// shared memory a block, is a generation; numbers are from 1.
void agpu__emu_cell_open(agpu__emu_cell *cell, uint32_t generation);

/// Notes an access, if it can matter.
void agpu__emu_cell_add(agpu__emu_cell *cell, const agpu__emu_access *access);

/// The cells of 4096 bytes of memory from `address`, a multiple of that. Made
/// when asked for. `generation` is the one that asks.
agpu__emu_cell *agpu__emu_shadow_page(uintptr_t address, uint32_t generation);

/// Calls `visit` for the runs of bytes that the generation has written, or only
/// read, in the order of their addresses: first the ones, then the others.
void agpu__emu_shadow_visit(uint32_t generation,
                            void (*visit)(uintptr_t from, uintptr_t to,
                                          bool written, void *argument),
                            void *argument);

/// Frees all pages if there are many.
void agpu__emu_shadow_trim(void);
void agpu__emu_shadow_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_SHADOW_H
