//===- memref_copy.c - Copies between memrefs with strides ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memrefCopy: copies between strided memrefs of equal sizes. Dimensions that
// are contiguous in both are one run; the others are walked.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <string.h>

typedef struct copy {
  int64_t rank; ///< of the dimensions that are walked
  int64_t element_bytes;
  int64_t run_bytes; ///< that are contiguous in both, after each position
  const int64_t *sizes, *source_strides, *target_strides;
} copy;

/// Copies dimension `dim` and those inside it.
static void copy_dimension(const copy *c, int64_t dim, const char *source,
                           char *target) {
  if (dim == c->rank) {
    memcpy(target, source, (size_t)c->run_bytes);
    return;
  }
  for (int64_t i = 0; i < c->sizes[dim]; ++i)
    copy_dimension(c, dim + 1,
                   source + i * c->source_strides[dim] * c->element_bytes,
                   target + i * c->target_strides[dim] * c->element_bytes);
}

static char *first_element(const agpu__memref *memref, int64_t element_bytes) {
  return (char *)memref->aligned + memref->offset * element_bytes;
}

void memrefCopy(int64_t element_bytes, agpu__unranked_memref *source,
                agpu__unranked_memref *target) {
  const agpu__memref *from = source->memref, *to = target->memref;
  int64_t rank = source->rank;
  for (int64_t i = 0; i < rank; ++i)
    if (!from->sizes[i])
      return;
  copy c = {.rank = rank,
            .element_bytes = element_bytes,
            .run_bytes = element_bytes,
            .sizes = from->sizes,
            .source_strides = from->sizes + rank,
            .target_strides = to->sizes + rank};
  while (c.rank &&
         c.source_strides[c.rank - 1] * element_bytes == c.run_bytes &&
         c.target_strides[c.rank - 1] * element_bytes == c.run_bytes)
    c.run_bytes *= c.sizes[--c.rank];
  copy_dimension(&c, 0, first_element(from, element_bytes),
                 first_element(to, element_bytes));
}
