//===- clocks.h - Clocks of ranks, aligned ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks of several machines have clocks that began at other times and run at
// other speeds. What they tell each other bounds how far apart these are: what
// arrives cannot arrive before it began. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_CLOCKS_H
#define ASYNC_GPU_TOOLS_TRACE_CLOCKS_H

#include "trace/array.h"

/// Something began on one rank, at `begin` of its clock, and was over on
/// another, at `end` of that one's: it cannot be over before it began.
typedef struct agpu__clock_bound {
  uint32_t from, to; ///< ranks, from 0
  int64_t begin, end;
} agpu__clock_bound;

/// A rank's clock: its time t is t - offset - drift * (t - reference) of the
/// first rank's clock.
typedef struct agpu__clock {
  const char *name;  ///< the same for ranks of one clock; NULL: nobody knows
  int64_t reference; ///< a time of the rank, by it
  // Results of agpu__clocks_align.
  int64_t offset;
  double drift;
  int64_t error; ///< the offset is wrong by that much at most; -1: unknown
} agpu__clock;

/// What aligning has found besides.
typedef struct agpu__clocks_found {
  size_t contradictions; ///< bounds that do not hold after it
  int64_t worst;         ///< by how many ns, at most
} agpu__clocks_found;

/// Works out the clocks of `count` ranks from `bounds`, agpu__clock_bound, as
/// seen by the first rank's. `name` and `reference` are given. Ranks of one
/// name have one clock, unless a bound contradicts that.
///
/// Between two clocks, the least end - begin in either direction bounds the
/// offset from both sides, and shortest paths over all ranks narrow that; the
/// offset is in the middle, and the error half of the width. So all bounds
/// hold, if any constant offsets satisfy them. The drift is the slope of a line
/// through offsets of parts of the run, weighted by their errors, if it is more
/// than these errors explain. False where memory is out.
bool agpu__clocks_align(agpu__clock *clocks, size_t count,
                        const agpu__trace_array *bounds,
                        agpu__clocks_found *out_found);

/// The time of the first rank's clock.
int64_t agpu__clock_correct(const agpu__clock *clock, int64_t time);

#endif // ASYNC_GPU_TOOLS_TRACE_CLOCKS_H
