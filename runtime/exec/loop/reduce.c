//===- reduce.c - Loops with a result on all threads ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each piece has a slot of its own for its partial result, so that threads need
// no lock and no order among each other; the thread that runs the loop combines
// the slots when it has ended. A sum of floating-point numbers depends on where
// the pieces begin, which is why the number of threads must not decide that.
//
//===----------------------------------------------------------------------===//

#include "exec/loop/parallel.h"

#include "base/memory/memory.h"

/// Iterations whose elements fill lines of the cache.
#define LINE 64

/// The least distance of two slots: any scalar is aligned there.
#define SLOT 16

typedef struct reduction {
  agpu__reduce_body body;
  void *context;
  char *slots;
  int64_t stride; ///< bytes from slot to slot
  int64_t length; ///< iterations of a piece
  int64_t count;  ///< iterations
} reduction;

/// The loop over the pieces, each of which is an iteration to it.
static void run_pieces(void *data, int64_t begin, int64_t end) {
  const reduction *self = data;
  for (int64_t i = begin; i < end; ++i) {
    int64_t first = i * self->length;
    int64_t left = self->count - first;
    self->body(self->context, first,
               left < self->length ? self->count : first + self->length,
               self->slots + i * self->stride);
  }
}

void agpu__exec_parallel_reduce(int64_t count, int64_t grain,
                                agpu__reduce_body body,
                                agpu__reduce_combine combine, void *context,
                                void *result, int64_t size) {
  if (count <= 0)
    return;
  if (grain < 1)
    grain = 1;
  int64_t pieces = count / grain;
  if (pieces > AGPU__REDUCE_PIECES)
    pieces = AGPU__REDUCE_PIECES;
  if (pieces < 1)
    pieces = 1;
  reduction self = {.body = body, .context = context, .count = count};
  self.length = (count - 1) / pieces + 1;
  // Long ones begin at whole lines of the cache, for elements of any size, and
  // have whole vectors.
  if (self.length >= 16 * LINE)
    self.length = (self.length + LINE - 1) / LINE * LINE;
  pieces = (count - 1) / self.length + 1;
  self.stride = (size + SLOT - 1) / SLOT * SLOT;
  // A size is a multiple of its alignment, a power of two: no stricter one than
  // this can be.
  int64_t alignment = self.stride & -self.stride;
  self.slots = agpu__memory_alloc(pieces * self.stride, alignment,
                                  "partial results of a loop");
  agpu__exec_parallel_for(pieces, 1, run_pieces, &self);
  for (int64_t i = 0; i < pieces; ++i)
    combine(context, result, self.slots + i * self.stride);
  agpu__memory_free(self.slots);
}
