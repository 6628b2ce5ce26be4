//===- device_loop.h - Loops that the device ends -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_DEVICE_LOOP_H
#define ASYNC_GPU_GPU_DEVICE_LOOP_H

#include "async_gpu/compiled/graph.h"
#include "gpu/streams/graph.h"
#include "lower/ir/ir.h"

/// An scf.if or scf.while in a loop on the device whose condition differs from
/// round to round: of what the loop carries, or of what the host reads before.
typedef struct agpu__device_branch {
  MlirOperation op;
  // Before the scf.if, or in front of the scf.condition, in this order. Null:
  // the host reaches the memory; it reads none.
  MlirOperation copy, record, await;
  MlirOperation user; ///< of the condition: the scf.if or scf.condition
} agpu__device_branch;

/// Their conditions are two each, and one is the loop's.
#define AGPU__DEVICE_MOST_BRANCHES ((AGPU_GRAPH_MOST_CONDITIONS - 1) / 2)

/// An scf.while whose condition the host computes of what work on `stream` has
/// left in memory; or an scf.for, each round of which branches by that.
typedef struct agpu__device_loop {
  MlirOperation loop;
  MlirValue stream;
  /// Of an scf.for: null, and its body.
  MlirBlock before, after;
  bool is_round; ///< it is an scf.for
  /// Of its body: what only computes, and not of what the host looks at.
  agpu__ops ahead;
  // Of `before`, in this order, behind all work:
  MlirOperation copy; ///< to the host; null: the host reaches the memory
  MlirOperation record, await;
  MlirAttribute kernel; ///< of a launch in it
  /// What stays in device memory from round to round: the arguments of `after`,
  /// and then what launches are given that is computed of these.
  agpu__values slots;
  /// Each one behind those in it.
  agpu__device_branch branches[AGPU__DEVICE_MOST_BRANCHES];
  size_t branch_count;
  const char *why; ///< what it cannot be on the device for
} agpu__device_loop;

/// Whether the device can end the loop, an scf.while. False, with `out->why`
/// (NULL: it is no such loop). Free `out` with agpu__device_loop_free in any
/// case.
bool agpu__device_loop_match(MlirOperation module, MlirSymbolTable symbols,
                             MlirOperation loop, MlirValue stream,
                             agpu__device_loop *out);
void agpu__device_loop_free(agpu__device_loop *of);

/// Whether each round of the loop, an scf.for, may have branches that the
/// device takes. As above.
bool agpu__device_round_match(MlirOperation module, MlirSymbolTable symbols,
                              MlirOperation loop, MlirValue stream,
                              agpu__device_loop *out);
bool agpu__device_round_is_ahead(const agpu__device_loop *of, MlirOperation op);

/// Whether an op allocates it as memory of the host.
bool agpu__device_loop_allocates_host(MlirValue memref);

/// Whether, where the device keeps copies of memory of the host, no name of
/// this is another one's, and its size is known.
bool agpu__device_loop_may_keep(const agpu__device_loop *of);

/// Whether work of the loop may be given memory that the host copies to, to
/// look at it: the device has not, or not yet, what was copied there.
bool agpu__device_loop_is_host_given(MlirOperation module,
                                     const agpu__device_loop *of);

/// The end of the work that each round enqueues in `before`.
MlirOperation agpu__device_loop_end_of_work(const agpu__device_loop *of);

/// The branch that the op is, or belongs to; NULL: none.
const agpu__device_branch *agpu__device_branch_of(const agpu__device_loop *of,
                                                  MlirOperation op);

/// One more. False, with `of->why`: there are too many.
bool agpu__device_branch_add(agpu__device_loop *of,
                             const agpu__device_branch *branch);

/// The kernels of a loop, each in a module of its own.
typedef struct agpu__loop_kernels {
  /// Computes the condition, and sets it by the handle that is its first
  /// argument. Where the loop has slots, their memory is the second, and it
  /// writes what they hold in the next round. The rest is `condition_inputs`.
  MlirAttribute condition;
  agpu__values condition_inputs;
  /// Writes the slots, of the memory, the arguments of `after` and
  /// `start_inputs`; null where there are none.
  MlirAttribute start;
  agpu__values start_inputs;
  /// Of each branch: the handle, what to invert its condition with (i32: 0 or
  /// 1), the memory of slots, and the inputs, where the host's memory stands
  /// for the copy that the device has of it.
  MlirAttribute branches[AGPU__DEVICE_MOST_BRANCHES];
  agpu__values branch_inputs[AGPU__DEVICE_MOST_BRANCHES];
} agpu__loop_kernels;

/// False, with `of->why`: there can be none. Free with agpu__loop_kernels_free
/// in any case.
bool agpu__loop_kernels_build(MlirOperation module, agpu__device_loop *of,
                              size_t number, agpu__loop_kernels *out);
void agpu__loop_kernels_free(agpu__loop_kernels *of);

/// Has the device run the loop, as part `part`, from its second round on, where
/// the runtime agrees. False, and nothing done but `of->why`: it cannot.
bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part);

/// Has each round be a graph with branches, where the runtime agrees. As above.
bool agpu__device_round_build(MlirOperation module, agpu__device_loop *of,
                              const agpu__graph_part *part);

#endif // ASYNC_GPU_GPU_DEVICE_LOOP_H
