//===- flights.h - Asynchronous copies that are under way ------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races, of work asynchronous to a block's threads: a
// thread that reads or writes shared memory which an asynchronous copy is about
// to write, or writes what one is about to read, has not waited for it. It is
// the process's unobserved error, with both places.
//
// One launch at a time, whose blocks run one after the other on one thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_FLIGHTS_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_FLIGHTS_H

#include "emu/base/hooks.h"
#include "emu/simt/block.h"

/// The hooks of these names (emu/base/hooks.h). `thread`: who begins it, by its
/// number in the cluster.
uint32_t agpu__emu_flight_begins(const agpu__emu_flight *flight,
                                 uint16_t thread);
void agpu__emu_flight_ends(uint32_t number, agpu__emu_phase_record *record);
void agpu__emu_phase_arrived(agpu__emu_phase_record *record, uint32_t thread);
void agpu__emu_phase_completed(agpu__emu_phase_record *record);
void agpu__emu_phase_observed(const agpu__emu_phase_record *record,
                              uint32_t thread);
void agpu__emu_phase_dropped(agpu__emu_phase_record *record);

void agpu__emu_tensor_loaded(const void *to, uint32_t bytes, unsigned swizzle,
                             const char *location);
void agpu__emu_matrix_read(const agpu__emu_runner *runner, uintptr_t address,
                           uint32_t bytes, unsigned swizzle,
                           const char *location, uint32_t thread);

/// A thread of the block that `runner` runs accesses `size` bytes; `flags` of
/// agpu_native_access.
void agpu__emu_flights_access(const agpu__emu_runner *runner, uintptr_t address,
                              uint64_t size, uint32_t flags,
                              const char *location, uint32_t thread);

/// The next block begins: nothing is under way.
void agpu__emu_flights_begin_block(void);
void agpu__emu_flights_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_FLIGHTS_H
