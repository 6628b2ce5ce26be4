//===- exchange_parts.c - Tests of what each rank has and needs -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "check.h"

/// Blocks follow each other, end at the size, and differ by one at most.
static void check_blocks(int64_t size, int ranks) {
  int64_t end = 0, first = agpu__mpi_block(size, ranks, 0).size;
  for (int rank = 0; rank < ranks; ++rank) {
    agpu__mpi_range block = agpu__mpi_block(size, ranks, rank);
    CHECK_EQ(block.begin, end);
    CHECK(block.size == first || block.size == first - 1);
    end += block.size;
  }
  CHECK_EQ(end, size);
}

static void check_needed(agpu__mpi_split split, int ranks, int rank,
                         int64_t begin, int64_t size) {
  agpu__mpi_range needed = agpu__mpi_needed(&split, ranks, rank);
  CHECK_EQ(needed.size, size);
  if (size)
    CHECK_EQ(needed.begin, begin);
}

int main(void) {
  for (int64_t size = 0; size < 20; ++size)
    for (int ranks = 1; ranks < 9; ++ranks)
      check_blocks(size, ranks);
  // All of it, also where a rank has nothing itself.
  check_needed((agpu__mpi_split){2, 2, 0, 0, 0}, 4, 3, 0, 2);
  // Halos of one, which end at the borders.
  agpu__mpi_split halo = {10, 10, 1, 1, 1};
  check_needed(halo, 3, 0, 0, 5);
  check_needed(halo, 3, 1, 3, 5);
  check_needed(halo, 3, 2, 6, 4);
  // Halos that are longer than blocks.
  check_needed((agpu__mpi_split){4, 4, 1, 3, 3}, 4, 1, 0, 4);
  // A window of three in steps of two, over 11: 5 results.
  agpu__mpi_split strided = {11, 5, 2, 0, 2};
  check_needed(strided, 2, 0, 0, 7);
  check_needed(strided, 2, 1, 6, 5);
  // More ranks than results: the last ones need nothing.
  check_needed(strided, 8, 4, 8, 3);
  check_needed(strided, 8, 5, 0, 0);
  // A window that begins behind the block: a shift.
  check_needed((agpu__mpi_split){9, 6, 1, -3, 3}, 2, 0, 3, 3);
  return 0;
}
