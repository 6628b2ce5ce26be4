//===- picture_parts.h - Graphs in pictures of the plan -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLAN_PICTURE_PARTS_H
#define ASYNC_GPU_GPU_PLAN_PICTURE_PARTS_H

#include "lower/ir/location.h"
#include "lower/ir/text.h"

#include <stdbool.h>
#include <stdint.h>

/// A part of the program that may become graphs when it runs, as a pass after
/// the plan finds it.
typedef struct agpu__picture_part {
  size_t number;
  int64_t work;    ///< pieces of it a round
  int64_t rounds;  ///< a graph
  bool is_fixed;   ///< all rounds are the same
  bool is_certain; ///< a graph is asked for: the run does not decide
  agpu__place place;
  int64_t region; ///< the plan's number of what it stands in; -1: not known
} agpu__picture_part;

/// "2 pieces of work a round, always the same, 14 rounds a graph"; the caller
/// frees it.
char *agpu__picture_part_text(const agpu__picture_part *part);

/// Calls `found` for each part that passes of this thread find from now on;
/// NULL: nothing any more.
void agpu__picture_on_part(void (*found)(const agpu__picture_part *part,
                                         void *data),
                           void *data);
void agpu__picture_tell_part(const agpu__picture_part *part);

/// Append the part in the language of Graphviz, and as JSON.
void agpu__picture_print_part_dot(const agpu__picture_part *part,
                                  agpu__text *out);
void agpu__picture_print_part_json(const agpu__picture_part *part,
                                   agpu__text *out);

#endif // ASYNC_GPU_GPU_PLAN_PICTURE_PARTS_H
