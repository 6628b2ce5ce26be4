//===- pageable.h - Memory of the host in kernels -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most devices reach no memory of the host but what was allocated or registered
// through the driver. A kernel that is given the address of other memory gets
// one in its place where there is nothing (a stand-in), so that it runs until
// it touches that, as on hardware, and fails then; so does one that is given an
// address of the wrong alignment. Nothing is looked at for each access.
// A device that reaches all memory (agpu__emu_is_unified) has none to hide.
//
// Other addresses that a launch is given are moved to where the memory is
// (memory/guard.h), unless accesses are checked, which are moved one by one.
//
// Addresses that a kernel finds in memory are as they are: those are for
// ASYNC_GPU_EMU_CHECK=memory.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_PAGEABLE_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_PAGEABLE_H

#include "emu/simt/launch.h"

#include <stdbool.h>

/// Before a launch: puts stand-ins into its parameters, and moves the others.
/// False where there are no addresses for stand-ins; the thread's note says
/// which parameter it is.
bool agpu__emu_pageable_prepare(const agpu__emu_launch *launch);

/// What a kernel of `launch` does wrong that touches `address`, and a text that
/// describes the address: MISALIGNED_ADDRESS or ILLEGAL_ADDRESS for a stand-in,
/// ILLEGAL_ADDRESS for memory that no device reaches, CUDA_SUCCESS for all
/// else. `is_loaded`: the kernel found the address in memory. Any thread.
CUresult agpu__emu_pageable_describe(const agpu__emu_launch *launch,
                                     uintptr_t address, bool is_loaded,
                                     char *out, size_t size);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_PAGEABLE_H
