//===- interleave_gate.h - Threads at the gate, in tests -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gpu/driver/gate.c needs of the runtime where a test of interleavings
// includes it: the block of each of THREADS threads, and a clock. Behind
// gate.c, once in a test.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_INTERLEAVE_GATE_H
#define ASYNC_GPU_TESTS_INTERLEAVE_GATE_H

#include "interleave_memory.h"
#include "interleave_self.h"

int64_t agpu__clock_now_ns(void) { return 0; }

bool agpu__self_at_end(agpu__thread_part part, void (*at_end)(void)) {
  (void)part;
  return at_end == free_slot;
}

#endif // ASYNC_GPU_TESTS_INTERLEAVE_GATE_H
