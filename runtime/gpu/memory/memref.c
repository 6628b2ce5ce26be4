//===- memref.c - The memory of a memref ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements that a descriptor names begin and end, and whether there
// is anything else between them.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/memory.h"

/// A ranked memref's descriptor in memory: two pointers, the offset, then
/// `rank` sizes and as many strides, all 64 bits wide.
typedef struct memref_descriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizes_and_strides[];
} memref_descriptor;

bool agpu__memref_is_dense(const void *descriptor, int64_t rank,
                           int64_t element_bytes, char **out_pointer,
                           int64_t *out_bytes) {
  const memref_descriptor *memref = descriptor;
  // Dense: as many elements as there are places from the first to the last.
  int64_t count = 1, first = 0, last = 0, begin, reach;
  bool fits = true;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = memref->sizes_and_strides[i];
    fits &=
        size >= 0 && !__builtin_mul_overflow(
                         size - 1, memref->sizes_and_strides[rank + i], &reach);
    if (!fits)
      return false;
    int64_t *end = reach < 0 ? &first : &last;
    fits &= !__builtin_add_overflow(*end, reach, end) &&
            !__builtin_mul_overflow(count, size, &count);
  }
  if (count == 0)
    first = last = 0;
  if (!fits || __builtin_add_overflow(memref->offset, first, &begin) ||
      __builtin_mul_overflow(begin, element_bytes, &begin) ||
      __builtin_mul_overflow(count, element_bytes, out_bytes) ||
      __builtin_sub_overflow(last, first, &reach))
    return false;
  *out_pointer = memref->aligned + begin;
  return count == 0 || reach == count - 1;
}
