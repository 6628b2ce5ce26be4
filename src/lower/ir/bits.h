//===- bits.h - Sets of small numbers -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set of numbers below a bound is an array of agpu__bits_words(bound) words.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_BITS_H
#define ASYNC_GPU_LOWER_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// For numbers below `bound`, and at least one word.
static inline size_t agpu__bits_words(size_t bound) { return bound / 64 + 1; }

static inline bool agpu__bits_has(const uint64_t *set, size_t n) {
  return set[n / 64] >> n % 64 & 1;
}

static inline void agpu__bits_add(uint64_t *set, size_t n) {
  set[n / 64] |= (uint64_t)1 << n % 64;
}

static inline void agpu__bits_add_all(uint64_t *set, const uint64_t *other,
                                      size_t words) {
  for (size_t w = 0; w < words; ++w)
    set[w] |= other[w];
}

static inline size_t agpu__bits_count(const uint64_t *set, size_t words) {
  size_t count = 0;
  for (size_t w = 0; w < words; ++w)
    count += (size_t)__builtin_popcountll(set[w]);
  return count;
}

/// The first number of the set from `n` on; SIZE_MAX: there is none.
static inline size_t agpu__bits_next(const uint64_t *set, size_t words,
                                     size_t n) {
  for (size_t w = n / 64; w < words; ++w) {
    uint64_t word = set[w];
    if (w == n / 64)
      word &= ~(uint64_t)0 << n % 64;
    if (word)
      return w * 64 + (size_t)__builtin_ctzll(word);
  }
  return SIZE_MAX;
}

#endif // ASYNC_GPU_LOWER_BITS_H
