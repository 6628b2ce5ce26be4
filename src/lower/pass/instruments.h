//===- instruments.h - What is watched while passes run -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times, statistics, the IR around passes: what a tool's user asks for holds
// for all pass managers of the thread, those inside of our passes too.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_INSTRUMENTS_H
#define ASYNC_GPU_LOWER_INSTRUMENTS_H

#include "lower/ir/llvm_compat.h"

#include "mlir-c/Pass.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct agpu__name_list {
  char **names;
  size_t count;
} agpu__name_list;

typedef struct agpu__instruments {
  bool timing;
  bool statistics;
  bool statistics_as_list; ///< not as passes are nested
  agpu__ir_printing printing;
  agpu__name_list before, after; ///< passes around which the IR is printed
  /// Told before each pass of ours and of upstream's, outside and inside: the
  /// op that it is about to run on, and a pipeline of it alone, for a module.
  /// NULL: nobody is.
  void (*on_pass)(MlirOperation op, const char *pipeline, void *data);
  void *data;
} agpu__instruments;

/// From now on this thread's pass managers follow `instruments`, which the
/// caller keeps; NULL: none.
void agpu__instruments_use(const agpu__instruments *instruments);

/// What this thread's follow; never NULL.
const agpu__instruments *agpu__instruments_get(void);

/// Sets a new pass manager up. `inside`: it is one of a pass of ours.
void agpu__instruments_set_up(MlirPassManager manager, bool inside);

/// True if one of the names, separated by anything but letters, digits and
/// dashes, in `text` is in the list: `text` is an element of a pipeline.
bool agpu__name_list_has(const agpu__name_list *list, const char *text);

#endif // ASYNC_GPU_LOWER_INSTRUMENTS_H
