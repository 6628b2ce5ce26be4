//===- graph.h - Work that becomes graphs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_GRAPH_H
#define ASYNC_GPU_GPU_GRAPH_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// What the user wants of a part, by the attribute AGPU__GRAPHS_ATTR of a loop
/// or function around it, or by the pass's option.
typedef enum agpu__graph_choice {
  AGPU__GRAPH_CHOICE_OFF,
  AGPU__GRAPH_CHOICE_AUTO,
  AGPU__GRAPH_CHOICE_ON,
} agpu__graph_choice;

/// False where `word` is none.
bool agpu__graph_choice_read(const char *word, agpu__graph_choice *out);

/// Replaces `*choice` by that of `op`, if it has one.
void agpu__graph_choice_of(MlirOperation op, agpu__graph_choice *choice);

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
  bool is_independent; ///< each may run beside the one before it
  bool is_loop;        ///< one on the device
  bool is_branches;    ///< a round with branches
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

//===----------------------------------------------------------------------===//
// What a part may hold
//===----------------------------------------------------------------------===//

/// Pieces of work of a part, at most.
#define AGPU__GRAPH_MOST_WORK 16384

/// What stands in the way of a part.
typedef struct agpu__graph_obstacle {
  MlirOperation op;
  const char *why;
} agpu__graph_obstacle;

/// Whether the op asks for the number of the default device, or sets it, as it
/// does around regions that have one (async-gpu-devices): work goes there, and
/// a graph may have work of several.
static inline bool agpu__graph_names_device(MlirOperation op) {
  return agpu__op_is(op, "agpu.default_device") ||
         agpu__op_is(op, "agpu.enter_device");
}

/// How many pieces of work the op enqueues, or those in its regions; negative:
/// it cannot be part of a graph, and `*out` says what in it cannot.
int64_t agpu__graph_work(MlirSymbolTable symbols, MlirOperation op,
                         agpu__graph_obstacle *out);
int64_t agpu__graph_work_in(MlirSymbolTable symbols, MlirOperation op,
                            agpu__graph_obstacle *out);

/// `root`, the ops in it, and those in all that they call or spawn.
agpu__ops agpu__graph_ops(MlirSymbolTable symbols, MlirOperation root);

/// Rounds of an scf.for; -1: they are not known.
int64_t agpu__graph_rounds(MlirOperation loop);
bool agpu__graph_is_loop(MlirOperation op);

/// Whether the function is that of a region which only enqueues.
bool agpu__graph_is_region(MlirOperation function);

//===----------------------------------------------------------------------===//
// Regions of the host
//===----------------------------------------------------------------------===//

/// Whether an async.call spawns a region of the host, between work of the
/// device, that may be a node. False: `*out_why` says why not.
bool agpu__graph_is_host_region(MlirSymbolTable symbols, MlirOperation call,
                                const char **out_why);

/// Makes the regions of that kind that `root` spawns itself, which is in a
/// part, regions that enqueue.
void agpu__graph_take_host_regions(MlirSymbolTable symbols, MlirOperation root);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Rounds that a graph has, at most, of a loop of `trips` rounds (negative: it
/// is not known), `work` pieces of work each.
int64_t agpu__graph_loop_rounds(int64_t work, int64_t trips);

/// Whether all rounds of the loop enqueue the same, and do nothing else: so
/// that who has seen one has seen all. Its body may be part of a graph.
bool agpu__graph_loop_is_fixed(MlirSymbolTable symbols, MlirOperation loop);

/// Whether no round of the scf.for (null: false) comes behind the one before
/// it.
bool agpu__graph_loop_is_independent(MlirOperation loop);

/// Puts the part's ops around the loop and into it.
void agpu__graph_loop_build(const agpu__graph_part *part);

#endif // ASYNC_GPU_GPU_GRAPH_H
