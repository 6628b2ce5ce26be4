//===- access.h - What is read and written -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access is of an object, the memory of one allocation (objects.h), and of a
// part of it where that is known: a box, an interval for each dimension.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_ACCESS_H
#define ASYNC_GPU_GPU_MEMORY_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU__BOX_RANK 4

/// From `low` up to but without `high` in each dimension. Rank -1: all of the
/// object.
typedef struct agpu__box {
  int rank;
  int64_t low[AGPU__BOX_RANK], high[AGPU__BOX_RANK];
} agpu__box;

#define AGPU__WHOLE ((agpu__box){.rank = -1})

/// False only if the boxes, of one object, have no element in common.
bool agpu__boxes_meet(const agpu__box *a, const agpu__box *b);

/// True only if all of `inner` is in `outer`.
bool agpu__box_contains(const agpu__box *outer, const agpu__box *inner);

/// The smallest box that holds both.
agpu__box agpu__box_join(const agpu__box *a, const agpu__box *b);

typedef struct agpu__access {
  size_t object;
  agpu__box box;
  bool reads, writes;
  /// Each element of the box is written, whatever happens. Implies `writes`.
  bool covers;
} agpu__access;

/// A growing list; zero-initialise, free with agpu__accesses_free.
typedef struct agpu__accesses {
  agpu__access *data;
  size_t count, capacity;
} agpu__accesses;

/// Adds an access: to one that is there of the same object and box where it
/// can. A list that gets long keeps one access for each object.
void agpu__accesses_add(agpu__accesses *list, agpu__access access);
void agpu__accesses_add_all(agpu__accesses *list, const agpu__accesses *more);
void agpu__accesses_free(agpu__accesses *list);

#endif // ASYNC_GPU_GPU_MEMORY_ACCESS_H
