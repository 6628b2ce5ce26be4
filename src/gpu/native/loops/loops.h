//===- loops.h - Kernels as loops over threads --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What loops.c, which builds the loops, and slots.c, which takes
// values from one loop to the next, share.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_LOOPS_H
#define ASYNC_GPU_GPU_SIMT_LOOPS_H

#include "gpu/native/loops/graph.h"
#include "gpu/native/simt.h"

/// One region: its loop over threads, and the code around it that runs once.
typedef struct agpu__simt_part {
  MlirBlock before;  ///< uniform arguments and ops
  MlirBlock after;   ///< to the next region; ^before if there is no loop
  MlirBlock threads; ///< start of a thread's way, which takes over values
  MlirBlock latch;   ///< its end
  MlirValue ids[3];  ///< the thread's
  MlirValue number;  ///< the thread's in its block, x fastest, an i64
  /// Null, or what makes the loop parallel, and its loads and stores its own.
  MlirAttribute annotation, access_groups;
  agpu__simt_map locals;  ///< values from elsewhere: numbers in `local_values`
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
  MlirOperation host_module;
  MlirRegion body;
  MlirBlock setup; ///< the parameters, and what is done once
  MlirValue *ids;  ///< the context of the body
  agpu__simt_graph graph;
  agpu__simt_uniform uniform;
  agpu__simt_regions regions;
  agpu__simt_map not_in_skeleton; ///< of the uniform values
  agpu__simt_part *parts;         ///< [first block of a region]
  agpu__values local_values;
  agpu__simt_map slot_of; ///< values: numbers of slots
  agpu__simt_slot *slots;
  size_t slot_count, slot_capacity;
  agpu__simt_map privates; ///< memory of a thread's own: numbers of slots
} agpu__simt_loops;

/// True if the value is computed once for all threads.
bool agpu__simt_in_skeleton(const agpu__simt_loops *self, MlirValue value);

//===----------------------------------------------------------------------===//
// slots.c
//===----------------------------------------------------------------------===//

/// Gives memory of a thread's own that more than one region uses, or one that
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

#endif // ASYNC_GPU_GPU_SIMT_LOOPS_H
