//===- races.h - Unordered accesses to device memory --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races: two accesses to the same bytes of an allocation,
// one of them a write, that nothing orders (order.h) are the process's
// unobserved error, with both ops' names and locations. The first is what the
// process ends with; ASYNC_GPU_LOG=device shows all.
//
// Copies and fills access the range that they name, kernels what they say
// (thread_races.h). What one does that was compiled without is found by
// looking: ops run one after another, and a kernel that has changed an
// allocation whose pointer it got writes the words from the first to the last
// that differ. One that has changed nothing there reads all of it, unless
// another launch of it was seen to write through the same parameter: then it
// has written what was there before, at a place that nobody knows.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_RACES_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_RACES_H

#include "emu/check/history.h"

/// Told of each op that is enqueued and stamped: an allocation counts from here
/// on, as who uses it too early may come before it.
void agpu__emu_races_enqueue(const agpu__emu_op *op);

/// Runs `op` (of kind KERNEL, COPY, FILL, ALLOC or FREE) by calling `run`, and
/// checks what it accesses. On the thread of its stream.
void agpu__emu_races_run(const agpu__emu_op *op, agpu__emu_random *random,
                         void (*run)(const agpu__emu_op *op,
                                     agpu__emu_random *random));

/// Forgets what kernels do, with the context.
void agpu__emu_races_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_RACES_H
