//===- banks.h - Conflicts between banks of workgroup memory ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroup memory has 32 banks, each of which gives one word of four bytes in
// a clock, to all lanes that ask for it. Lanes of a warp that access other
// words of the same bank come one after the other. A load gives a lane one word
// in a clock, so one of several words takes as many requests, each for a part
// of the warp, unless neighbours have the same addresses (an engineer of
// NVIDIA, "Unexpected shared memory bank conflict",
// forums.developer.nvidia.com, 77228).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_BANKS_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_BANKS_H

#include <stdbool.h>
#include <stdint.h>

/// What the threads of a block have accessed; NULL: out of memory. One thread
/// at a time. Freed with free.
typedef struct agpu__emu_banks agpu__emu_banks;
agpu__emu_banks *agpu__emu_banks_create(void);

/// A thread of the block accesses `size` bytes.
void agpu__emu_banks_access(agpu__emu_banks *banks, const char *location,
                            bool writes, uintptr_t place, uint64_t size,
                            uint32_t thread);

/// The words that the banks could have given while they were busy with all that
/// was accessed since the last call.
double agpu__emu_banks_take(agpu__emu_banks *banks);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_BANKS_H
