//===- range.h - Iterations taken from both ends ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range of numbers that its owner takes from the front of and any thread
// from the back of, half of what is left at a time, at least one. Lock-free.
//
// Invariant: the word holds the part of the range that no one has taken. Every
// change is a compare-and-swap of the whole word that makes this part shorter,
// so each number is taken exactly once; and as the word never has a value again
// that it had before (until it is set anew), a swap cannot succeed on a stale
// one.
//
// The swaps are relaxed: the word says which numbers are whose and nothing
// else. What the iterations read is published by the thread that sets the
// range, and what they wrote by the thread that ends the loop (loop.c).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_LOOP_RANGE_H
#define ASYNC_GPU_RUNTIME_EXEC_LOOP_RANGE_H

#include "base/os/platform.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// The first number in the low half, the one after the last in the high half.
/// Owners write theirs all the time: a cache line each.
typedef struct agpu__range {
  AGPU__CACHE_APART _Atomic(uint64_t) word;
} agpu__range;

/// Numbers that have been taken: from `begin` to below `end`.
typedef struct agpu__piece {
  uint32_t begin, end;
} agpu__piece;

static inline uint64_t agpu__range_pack(agpu__piece piece) {
  return (uint64_t)piece.end << 32 | piece.begin;
}

static inline agpu__piece agpu__range_unpack(uint64_t word) {
  return (agpu__piece){.begin = (uint32_t)word, .end = (uint32_t)(word >> 32)};
}

/// Before other threads know of the range.
static inline void agpu__range_set(agpu__range *range, uint32_t begin,
                                   uint32_t end) {
  atomic_store_explicit(&range->word,
                        agpu__range_pack((agpu__piece){begin, end}),
                        memory_order_relaxed);
}

/// Takes half of what is left, rounded up: from the front or from the back.
/// False if nothing is left. Any thread.
static inline bool agpu__range_take(agpu__range *range, bool front,
                                    agpu__piece *out_piece) {
  uint64_t word = atomic_load_explicit(&range->word, memory_order_relaxed);
  for (;;) {
    agpu__piece left = agpu__range_unpack(word);
    if (left.begin >= left.end)
      return false;
    uint32_t length = left.end - left.begin;
    uint32_t count = length - length / 2;
    agpu__piece taken = left;
    if (front)
      left.begin = taken.end = taken.begin + count;
    else
      left.end = taken.begin = taken.end - count;
    if (atomic_compare_exchange_weak_explicit(
            &range->word, &word, agpu__range_pack(left), memory_order_relaxed,
            memory_order_relaxed)) {
      *out_piece = taken;
      return true;
    }
  }
}

#endif // ASYNC_GPU_RUNTIME_EXEC_LOOP_RANGE_H
