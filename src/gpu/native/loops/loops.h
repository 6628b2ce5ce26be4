//===- loops.h - Threads of a block as loops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control-flow graph of a kernel in the LLVM dialect, for the passes that
// turn it into loops over threads. Blocks are called by their numbers, in
// reverse post-order: each before those that it dominates. uniform.c finds
// which values are the same in all threads, and parts.c where loops begin and
// end.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NATIVE_LOOPS_H
#define ASYNC_GPU_GPU_NATIVE_LOOPS_H

#include "gpu/native/base/simt.h"

typedef struct agpu__simt_graph {
  MlirBlock *blocks;
  size_t count;
  /// Of block b: succs[succ_first[b]] to before succs[succ_first[b + 1]], in
  /// the order of the terminator; likewise its predecessors.
  size_t *succs, *succ_first;
  size_t *preds, *pred_first;
  agpu__map numbers; ///< of the blocks
} agpu__simt_graph;

/// Takes down the blocks that are reached from `entry`. False (and nothing to
/// be freed) where the part holds others, or a terminator that is none of
/// llvm.br, cond_br, switch, return, unreachable.
bool agpu__simt_graph_create(MlirBlock entry, agpu__simt_graph *out_graph);
void agpu__simt_graph_free(agpu__simt_graph *graph);

static inline size_t agpu__simt_successors(const agpu__simt_graph *graph,
                                           size_t block) {
  return graph->succ_first[block + 1] - graph->succ_first[block];
}

/// The block that `op` is in.
size_t agpu__simt_block_of(const agpu__simt_graph *graph, MlirOperation op);
/// The block that defines `value`, AGPU__MAP_NONE for one of no block of the
/// graph.
size_t agpu__simt_definition(const agpu__simt_graph *graph, MlirValue value);

/// A set of blocks.
typedef struct agpu__simt_set {
  bool *has;    ///< for each block
  size_t *list; ///< the blocks that are in it, in the order they came
  size_t count;
} agpu__simt_set;

/// An empty one. Free with agpu__simt_set_free.
agpu__simt_set agpu__simt_set_create(const agpu__simt_graph *graph);
void agpu__simt_set_free(agpu__simt_set *set);
/// Adds the block, if it is not in the set.
void agpu__simt_set_add(agpu__simt_set *set, size_t block);
/// Takes all out, in time that grows with their number.
void agpu__simt_set_clear(agpu__simt_set *set);

/// Makes `set` the blocks that can run after `block`, but for what comes after
/// `stop`, which is in it itself.
void agpu__simt_reach_from(const agpu__simt_graph *graph, size_t block,
                           size_t stop, agpu__simt_set *set);

/// For each block a number that those have that it is in a cycle with;
/// AGPU__MAP_NONE: it is in none. The caller frees the array.
size_t *agpu__simt_cycles(const agpu__simt_graph *graph);

/// For each block the first one that all ways from it to a return lead through,
/// AGPU__MAP_NONE where there is none. The caller frees the array.
size_t *agpu__simt_postdominators(const agpu__simt_graph *graph);

//===----------------------------------------------------------------------===//
// Values that all threads of a block share
//===----------------------------------------------------------------------===//

/// How an op computes its results.
typedef enum agpu__simt_purity {
  AGPU__SIMT_IMPURE,   ///< it reads or writes memory, or is not known
  AGPU__SIMT_PURE,     ///< from its operands alone
  AGPU__SIMT_ANYWHERE, ///< so, and it can run where it would not have
} agpu__simt_purity;
agpu__simt_purity agpu__simt_purity_of(MlirOperation op);

typedef struct agpu__simt_uniform {
  agpu__map varying; ///< values that may differ between threads
  /// [block] Whether it stands after a branch that threads take differently,
  /// and before the place where they meet again.
  bool *divergent;
} agpu__simt_uniform;

/// `varying`: values that differ from thread to thread to begin with. Errs to
/// the side of varying.
void agpu__simt_uniform_create(const agpu__simt_graph *graph,
                               const MlirValue *varying, size_t varying_count,
                               agpu__simt_uniform *out_uniform);
void agpu__simt_uniform_free(agpu__simt_uniform *uniform);

static inline bool agpu__simt_is_uniform(const agpu__simt_uniform *uniform,
                                         MlirValue value) {
  return agpu__map_get(&uniform->varying, value.ptr) == AGPU__MAP_NONE;
}

//===----------------------------------------------------------------------===//
// Rows of threads
//===----------------------------------------------------------------------===//

/// Threads side by side, at some place in the code.
typedef struct agpu__simt_row {
  MlirValue id;   ///< of a thread in the row, an i32 from 0
  MlirValue size; ///< an i32 from 1 to 1024
  /// Whether a value is known there, and the same in all threads of the row.
  bool (*is_same)(const void *data, MlirValue value);
  const void *data;
} agpu__simt_row;

/// What a value is along a row, as far as can be seen.
typedef enum agpu__simt_form {
  AGPU__SIMT_VARIES,
  AGPU__SIMT_SAME,   ///< the same in all threads, or computed from such values
  AGPU__SIMT_ID,     ///< the id of the thread, of 32 or 64 bits
  AGPU__SIMT_COUNTS, ///< that and what is the same; it may wrap in the row
} agpu__simt_form;
agpu__simt_form agpu__simt_form_of(const agpu__simt_row *row, MlirValue value);

/// What `value`, which does not vary, is in the thread with the id `id`.
MlirValue agpu__simt_evaluate(const agpu__simt_row *row, agpu__builder *at,
                              MlirValue value, MlirValue id);

/// What a value that counts is at the ends of the row, and whether it goes up
/// by one from each thread to the next.
typedef struct agpu__simt_ends {
  MlirValue first, last, in_order;
} agpu__simt_ends;
agpu__simt_ends agpu__simt_row_ends(const agpu__simt_row *row,
                                    agpu__builder *at, MlirValue value,
                                    bool is_signed);

/// The id as an integer of 32 or 64 bits.
MlirValue agpu__simt_row_id(const agpu__simt_row *row, agpu__builder *at,
                            MlirType type);

/// True for an llvm.icmp by order, whose predicate is stored.
bool agpu__simt_is_ordered(MlirOperation compare, agpu__predicate *out);

//===----------------------------------------------------------------------===//
// Blocks as loops over threads need them -----
//===----------------------------------------------------------------------===//

/// True if the function's waits are barriers for all threads, and its memory of
/// its own has a constant size.
bool agpu__simt_can_be_loops(MlirOperation function);

/// Makes only llvm.br hand on values, and barriers stand last before one.
void agpu__simt_normalize(MlirOperation function);

/// Splits loops that go on in strides of many threads, so that all threads take
/// part in most of their iterations. True if there was one: `graph` is then
/// that of before. `context` is that of the function.
bool agpu__simt_split_strides(const agpu__simt_graph *graph,
                              const agpu__simt_uniform *uniform,
                              const MlirValue *context);

//===----------------------------------------------------------------------===//
// Where loops over threads begin and end
//===----------------------------------------------------------------------===//

/// A part is a set of blocks that all threads of a block enter together, at
/// its first block, and leave together, by its one exit.
typedef struct agpu__simt_division {
  size_t *part; ///< [block] the first block of its part
  bool *cut;    ///< [block] its terminator is the exit of its part
} agpu__simt_division;

/// Divides the blocks so that barriers, which stand last before a branch, are
/// exits, and so are, with `loops`, the ends of loops whose trip count is the
/// same for all threads. False where threads may come to different exits.
bool agpu__simt_division_create(const agpu__simt_graph *graph,
                                const agpu__simt_uniform *uniform, bool loops,
                                agpu__simt_division *out_division);
void agpu__simt_division_free(agpu__simt_division *division);

//===----------------------------------------------------------------------===//
// Thread loops that depend on nothing ---------
//===----------------------------------------------------------------------===//

/// Marks the loads and stores in `blocks` of `graph`, one way through which is
/// an iteration, as those of a parallel loop if that is safe, and returns the
/// llvm.loop_annotation that the loop needs, and the access groups of all its
/// loads and stores; null if it is not. One that `is_kept` is not unrolled,
/// which the annotation says, too.
MlirAttribute agpu__simt_mark_parallel(const agpu__simt_graph *graph,
                                       const MlirBlock *blocks, size_t count,
                                       bool is_kept,
                                       MlirAttribute *out_access_groups);

//===----------------------------------------------------------------------===//
// Kernels as loops over threads
//
// What the steps share that make loops of a kernel once it is divided into
// parts: skeleton.c, nest.c, slots.c, operands.c, exits.c, in this order, and
// loops.c, which takes them.
//===----------------------------------------------------------------------===//

/// One part: its loop over threads, and the code around it that runs once.
typedef struct agpu__simt_part {
  MlirBlock before;  ///< uniform arguments and ops
  MlirBlock after;   ///< to the next part; ^before if there is no loop
  MlirBlock threads; ///< start of a thread's way, which takes over values
  MlirBlock latch;   ///< its end
  MlirValue ids[3];  ///< the thread's
  MlirValue number;  ///< the thread's in its block, x fastest, an i64
  /// Null, or what makes the loop parallel, and its loads and stores its own.
  MlirAttribute annotation, access_groups;
  agpu__map locals;       ///< values from elsewhere: numbers in `local_values`
  bool empty;             ///< there is no loop
  bool has_exit;          ///< ^after is complete
  bool checks_assertions; ///< ^after begins with that
} agpu__simt_part;

/// Memory with room for one element of each thread.
typedef struct agpu__simt_slot {
  MlirValue base;
  MlirType element;
} agpu__simt_slot;

/// A kernel on its way to loops.
typedef struct agpu__simt_loops {
  MlirContext context;
  MlirLocation location;
  MlirOperation gpu_module, function;
  MlirRegion body;
  MlirBlock setup; ///< the parameters, and what is done once
  MlirValue *ids;  ///< the context of the body
  agpu__simt_graph graph;
  agpu__simt_uniform uniform;
  agpu__simt_division division;
  agpu__map not_in_skeleton; ///< of the uniform values
  agpu__simt_part *parts;    ///< [first block of a part]
  agpu__values local_values;
  agpu__map slot_of; ///< values: numbers of slots
  agpu__simt_slot *slots;
  size_t slot_count, slot_capacity;
  agpu__map privates; ///< memory of a thread's own: numbers of slots
} agpu__simt_loops;

/// True if a part begins at `block`.
static inline bool agpu__simt_begins_part(const agpu__simt_loops *self,
                                          size_t block) {
  return self->division.part[block] == block;
}

//===----------------------------------------------------------------------===//
// skeleton.c
//===----------------------------------------------------------------------===//

/// Finds the uniform values that the skeleton can compute.
void agpu__simt_find_skeleton(agpu__simt_loops *self);

/// True if the value is computed once for all threads.
bool agpu__simt_in_skeleton(const agpu__simt_loops *self, MlirValue value);

/// Creates ^before of the part at `block`: its arguments take the place of
/// those of the block that are in the skeleton.
void agpu__simt_begin_part(agpu__simt_loops *self, size_t block);

/// Moves the ops of the skeleton in `block` to its part's ^before.
void agpu__simt_hoist(agpu__simt_loops *self, size_t block);

//===----------------------------------------------------------------------===//
// nest.c
//===----------------------------------------------------------------------===//

/// Creates the loops of a part, but for the end of ^threads, which is left
/// open, and of ^after.
void agpu__simt_build_nest(agpu__simt_loops *self, agpu__simt_part *part);

//===----------------------------------------------------------------------===//
// slots.c
//===----------------------------------------------------------------------===//

/// Gives memory of a thread's own that more than one part uses, or one that
/// runs several times, a slot; other such memory is that of all threads in
/// turn.
void agpu__simt_place_allocas(agpu__simt_loops *self);

/// Once all uses are replaced: removes the allocas whose memory is a slot.
void agpu__simt_drop_allocas(agpu__simt_loops *self);

/// What `value` is in the loop of `part`: itself, one that is computed again,
/// or loaded from its slot, in ^threads.
MlirValue agpu__simt_local(agpu__simt_loops *self, agpu__simt_part *part,
                           MlirValue value);

/// Stores `value` of a thread of `part` as what `slot_value` is for it.
void agpu__simt_store_slot(agpu__simt_loops *self, const agpu__simt_part *part,
                           agpu__builder *at, MlirValue value,
                           MlirValue slot_value);

/// What `value` is for the first thread.
MlirValue agpu__simt_load_first(agpu__simt_loops *self, agpu__builder *at,
                                MlirValue value);

void agpu__simt_slots_free(agpu__simt_loops *self);

//===----------------------------------------------------------------------===//
// operands.c
//===----------------------------------------------------------------------===//

/// Gives the ops in parts the operands that they have there.
void agpu__simt_rewrite_operands(agpu__simt_loops *self);

//===----------------------------------------------------------------------===//
// exits.c
//===----------------------------------------------------------------------===//

/// Appends the exit of a part to ^after: `end` is one of the terminators
/// that lead to it, and is destroyed or moved.
void agpu__simt_leave(agpu__simt_loops *self, size_t block,
                      agpu__simt_part *part, MlirOperation end);

/// Rewrites the end of a block. What leaves the part goes to the latch.
void agpu__simt_rewrite_end(agpu__simt_loops *self, size_t block);

//===----------------------------------------------------------------------===//
// Threads side by side as vectors
//===----------------------------------------------------------------------===//

/// Whether LLVM could make a vector of what a thread does in the part that
/// begins with block `first`; counts the ops. `size` is that of a block of
/// threads, null where it is not known.
bool agpu__simt_may_be_vectors(const agpu__simt_loops *self, size_t first,
                               MlirAttribute size, size_t *out_ops);

/// Prepares the part that begins with block `first` for its loop over the
/// threads of a row to become vectors: marks the loops inside that are to be
/// unrolled first. True if the loop over the row must not be unrolled itself.
bool agpu__simt_prepare_row(const agpu__simt_loops *self, size_t first,
                            MlirAttribute size);

//===----------------------------------------------------------------------===//
// guards.c
//===----------------------------------------------------------------------===//

/// Gives the part that begins with block `first`, which is complete, a second
/// loop over the threads of a row: for rows all of whose threads take part.
void agpu__simt_split_guarded(agpu__simt_loops *self, size_t first);

#endif // ASYNC_GPU_GPU_NATIVE_LOOPS_H
