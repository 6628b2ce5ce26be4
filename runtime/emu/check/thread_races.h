//===- thread_races.h - Unordered accesses of a kernel's threads --*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races, inside a launch: two threads that access the same
// byte, one of them writing and not both in atomic operations, where nothing
// orders the two (thread_order.h), are the process's unobserved error, with
// both threads and both places. Writes of the same value race, too.
//
// What is looked at are the block's shared memory, device memory and registered
// host memory: what else a kernel reaches are its threads' own variables.
//
// One launch at a time, whose blocks run one after the other on one thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_THREAD_RACES_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_THREAD_RACES_H

#include "emu/simt/block.h"

/// A launch begins.
void agpu__emu_thread_races_begin(const agpu__emu_launch *launch);

/// It has run. Calls `visit` for the memory besides its blocks' own that it has
/// accessed (agpu__emu_shadow_visit). False: it has said nothing of its
/// accesses.
bool agpu__emu_thread_races_visit(void (*visit)(uintptr_t from, uintptr_t to,
                                                bool written, void *argument),
                                  void *argument);

/// Nobody asks for that any more.
void agpu__emu_thread_races_end(void);

/// The next block of the launch begins, in `runner`.
void agpu__emu_thread_races_begin_block(const agpu__emu_runner *runner);

/// A thread of the block that `runner` runs accesses `size` bytes. `address`:
/// as the program has it. `flags` of agpu_native_access.
void agpu__emu_thread_races_access(const agpu__emu_runner *runner,
                                   uintptr_t address, uint64_t size,
                                   uint32_t flags, const char *location,
                                   uint16_t thread);

/// The same of one that another will stand for: it is compared, not added.
void agpu__emu_thread_races_look(const agpu__emu_runner *runner,
                                 uintptr_t address, uint64_t size,
                                 uint32_t flags, const char *location,
                                 uint16_t thread);

/// A thread begins a copy or a product that reads `size` bytes of shared
/// memory: what threads have written there has to come after a fence of
/// proxies.
void agpu__emu_thread_races_look_beside(const agpu__emu_runner *runner,
                                        uintptr_t address, uint64_t size,
                                        const char *location, uint16_t thread);

/// Whether no error has named this pair of places; from now on one has.
bool agpu__emu_thread_races_is_new(const char *one, const char *other);

/// Frees what launches have needed.
void agpu__emu_thread_races_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_THREAD_RACES_H
