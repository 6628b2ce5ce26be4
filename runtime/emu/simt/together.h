//===- together.h - What a whole warp does together ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_TOGETHER_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_TOGETHER_H

#include "async_gpu/compiled/native_thread.h"

/// Does what the site of a wait of kind AGPU_NATIVE_COLLECTIVE says with the
/// operands of the 32 lanes of the warp whose first thread has that number.
/// Fails the block where they have no meaning.
void agpu__emu_do_together(const agpu_native_site *site, uint32_t first_thread,
                           char *const *lanes);

/// Threads of a warp, the `present` ones (as bits), are at `site`, and others
/// of it have ended or never were: fails the block.
_Noreturn void agpu__emu_fail_incomplete(const agpu_native_site *site,
                                         uint32_t first_thread,
                                         uint32_t present);

/// What threads do there: "a matrix product".
const char *agpu__emu_describe_collective(const agpu_native_site *site);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_TOGETHER_H
