//===- loops.h - Kernels as loops over threads --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the steps share that make loops of a kernel once it is divided into
// parts: skeleton.c, nest.c, slots.c, operands.c, exits.c, in this order, and
// loops.c, which takes them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_LOOPS_H
#define ASYNC_GPU_GPU_SIMT_LOOPS_H

#include "gpu/native/base/simt.h"
#include "gpu/native/loops/parts.h"

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

#endif // ASYNC_GPU_GPU_SIMT_LOOPS_H
