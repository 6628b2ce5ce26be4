//===- products.h - Matrices that products are about to read ---- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races, of products of warp groups (wgmma): between the
// beginning of a product and the first wait for it, nothing may write to its
// matrices. What does is the process's unobserved error, with both places.
//
// One launch at a time, whose blocks run one after the other on one thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_PRODUCTS_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_PRODUCTS_H

#include "emu/base/hooks.h"
#include "emu/simt/block.h"

/// The hooks of these names (emu/base/hooks.h).
void agpu__emu_matrix_held(uintptr_t place, const char *location);
void agpu__emu_product_ending(const agpu__emu_phase_record *record);
void agpu__emu_matrix_released(const agpu__emu_runner *runner, uintptr_t place,
                               uint32_t bytes, const char *location);
void agpu__emu_product_ended(agpu__emu_phase_record *record);

/// A thread of the block that `runner` runs writes `size` bytes, or begins a
/// copy to them.
void agpu__emu_products_write(const agpu__emu_runner *runner, uintptr_t address,
                              uint64_t size, const char *location,
                              uint32_t thread);

/// The next block (or cluster) begins, in `runner`: no product is under way.
void agpu__emu_products_begin_block(const agpu__emu_runner *runner);
void agpu__emu_products_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_PRODUCTS_H
