//===- graph_part.h - Parts in the IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_GRAPH_PART_H
#define ASYNC_GPU_GPU_GRAPH_PART_H

#include "lower/ir/ir.h"

/// What the user wants of a part, by the attribute AGPU__GRAPHS_ATTR of a loop
/// or function around it, or by the pass's option.
typedef enum agpu__graph_choice {
  AGPU__GRAPH_CHOICE_OFF,
  AGPU__GRAPH_CHOICE_AUTO,
  AGPU__GRAPH_CHOICE_ON,
} agpu__graph_choice;

/// False where `word` is none.
bool agpu__graph_choice_read(const char *word, agpu__graph_choice *out);

/// Replaces `*choice` by that of `op`, if it has one. False where it is none.
bool agpu__graph_choice_of(MlirOperation op, agpu__graph_choice *choice);

/// An error at each op of the module whose attribute is no choice.
MlirLogicalResult agpu__graph_check_choices(MlirOperation module);

/// Takes the attributes away.
void agpu__graph_forget_choices(MlirOperation module);

typedef struct agpu__graph_part {
  MlirOperation first, last; ///< of one block
  MlirValue stream;          ///< of the function; null: it has none
  MlirAttribute kernel;      ///< one of those that it launches, or null
  agpu__graph_choice choice;
  size_t number;
  int64_t rounds; ///< of a loop, which `first` is: that a graph has; else 0
  bool is_fixed;  ///< these do the same
} agpu__graph_part;

/// Builds `agpu.graph_NAME` for the part, with `operand` or, where that is
/// null, the part's stream. `result` may be null.
MlirOperation agpu__graph_part_op(agpu__builder *at,
                                  const agpu__graph_part *part,
                                  const char *name, MlirValue operand,
                                  MlirType result);

/// Puts `agpu.graph_begin` and `agpu.graph_end` around it.
void agpu__graph_part_build(const agpu__graph_part *part);

/// Turns such an op into a call of the runtime. False: it is none.
bool agpu__graph_part_lower(MlirOperation module, MlirSymbolTable symbols,
                            MlirOperation op);

#endif // ASYNC_GPU_GPU_GRAPH_PART_H
