//===- warp.h - Operations of a warp ---------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_WARP_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_WARP_H

#include "async_gpu/compiled/native_thread.h"
#include "emu/simt/block.h"

/// Whether threads that wait at `waiting` (lanes of `warp`, as bits) have met
/// the threads that they wait for: gives those their results, and lets them go
/// on (their site becomes NULL). `live`: lanes that have not ended. Returns the
/// lanes that may go on. Fails the block where a thread is not in its own mask.
uint32_t agpu__emu_warp_release(agpu_native_thread *warp, uint32_t live,
                                uint32_t waiting);

/// Runs the threads of the runner's block until none can go on by itself, nor
/// by a barrier of the block (threads.c). Returns how many have not ended.
uint32_t agpu__emu_threads_run(agpu__emu_runner *runner);

/// What threads do there: "a shuffle".
const char *agpu__emu_describe_wait(const agpu_native_site *site);

/// The threads of the runner's block that have not ended, some, wait in vain:
/// fails the block.
_Noreturn void agpu__emu_fail_waiting(const agpu__emu_runner *runner);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_WARP_H
