//===- exchange_parts.c - What each rank has and needs --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that each rank knows of all others: which part of a dimension they
// have, and which they need. The compiler has the same as ops
// (src/host/shard/shard_blocks.c).
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

agpu__mpi_range agpu__mpi_block(int64_t size, int ranks, int rank) {
  int64_t each = size / ranks, larger = size % ranks;
  return (agpu__mpi_range){rank * each + (rank < larger ? rank : larger),
                           each + (rank < larger)};
}

agpu__mpi_range agpu__mpi_needed(const agpu__mpi_split *split, int ranks,
                                 int rank) {
  if (split->stride == 0)
    return (agpu__mpi_range){0, split->size};
  agpu__mpi_range block = agpu__mpi_block(split->parts, ranks, rank);
  if (!block.size)
    return (agpu__mpi_range){0, 0};
  int64_t begin = block.begin * split->stride - split->before;
  int64_t end =
      (block.begin + block.size - 1) * split->stride + split->after + 1;
  if (begin < 0)
    begin = 0;
  if (begin > split->size)
    begin = split->size;
  if (end > split->size)
    end = split->size;
  return (agpu__mpi_range){begin, end > begin ? end - begin : 0};
}
