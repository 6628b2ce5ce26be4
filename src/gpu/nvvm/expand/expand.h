//===- expand.h - What upstream does not lower in kernels ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of kernels that upstream does not lower, or not for all types and blocks,
// become others before its conversions, by the files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_EXPAND_H
#define ASYNC_GPU_GPU_EXPAND_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

//===----------------------------------------------------------------------===//
// copies.c
//===----------------------------------------------------------------------===//

// Upstream's conversion of memref.copy calls a function of the host where one
// side has strides. In kernels each thread copies element by element.

/// Replaces each `memref.copy` in `gpu_module` by loops. Fails with a
/// diagnostic at each copy between memrefs without rank.
MlirLogicalResult agpu__expand_copies(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// fragments.c
//===----------------------------------------------------------------------===//

/// Expands in `gpu_module` gpu.subgroup_mma_elementwise of the kinds, and
/// gpu.subgroup_mma_extract_thread_local and _insert_thread_local, that
/// upstream's conversion lacks. Fails with a diagnostic at what PTX leaves
/// open.
MlirLogicalResult agpu__expand_fragments(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// lane_zero.c
//===----------------------------------------------------------------------===//

/// Replaces each `gpu.warp_execute_on_lane_0` in `gpu_module` by a conditional,
/// and shuffles that give its results to all lanes. Fails with a diagnostic at
/// each one whose values are distributed over the lanes.
MlirLogicalResult agpu__expand_lane_zero(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// printing.c
//===----------------------------------------------------------------------===//

/// Before conversion: extends the integers of each `gpu.printf` as C extends
/// those of printf, and gives their conversions the length that fits (`%d` of
/// an index becomes `%lld`). Fails with a diagnostic at each op whose format
/// does not go with its arguments, or has what CUDA's printf has not.
MlirLogicalResult agpu__expand_printing(MlirOperation gpu_module);

/// After conversion: reports arguments of a call of vprintf, made by hand, that
/// are not as C passes them. True if there is nothing to report.
bool agpu__check_printing(MlirOperation call);

//===----------------------------------------------------------------------===//
// reductions.c
//===----------------------------------------------------------------------===//

// gpu.subgroup_reduce and gpu.all_reduce as shuffles, barriers and workgroup
// memory. Blocks may have any size: the last warp may be partly filled.
//
// Over a warp, in five steps (or the logarithm of a cluster's size), a lane
// joins its value with that of the lane whose number differs in one bit, if
// that lane exists. Lane 0 then has the whole, and, where all lanes exist, all
// lanes have.
//
// Over a block, each warp's first lane stores its warp's result; after a
// barrier the first warp reduces those and stores the whole in a slot of its
// own; after another barrier all threads read it. The slot of its own makes a
// third barrier unnecessary before the memory is used again.
//
// In native code, threads that shuffle are coroutines, and threads that only
// meet at barriers are loops. So there, where a block's size is known, each
// thread stores its value, and between two barriers the first thread reduces
// them all: halves onto halves, which LLVM makes vectors of.

/// Expands the reductions in `gpu_module`. `has_redux` says that all targets
/// have `redux.sync` (sm_80 and later), which reduces 32-bit integers over a
/// warp in one instruction; `is_native` that the only target is native code.
/// Fails with a diagnostic where a reduction's body has several blocks.
MlirLogicalResult agpu__expand_reductions(MlirOperation gpu_module,
                                          bool has_redux, bool is_native);

//===----------------------------------------------------------------------===//
// shuffles.c
//===----------------------------------------------------------------------===//

// Hardware shuffles 32 bits, and upstream's conversion knows i32, f32, i64 and
// f64. The other types, rotations and broadcasts are expressed by those, for
// both targets.

/// Expands `gpu.rotate`, `gpu.subgroup_broadcast`, and each `gpu.shuffle` of a
/// type that is neither 32 nor 64 bits or of a width that is not surely the
/// warp's, in `gpu_module`. Fails with a diagnostic at each op whose type
/// cannot be moved, or whose constant lane or width a warp has not.
MlirLogicalResult agpu__expand_shuffles(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// subgroups.c
//===----------------------------------------------------------------------===//

// Upstream's conversion to NVVM knows the lane of a thread but not its warp.

/// Replaces gpu.subgroup_id, gpu.num_subgroups and gpu.subgroup_size inside
/// `gpu_module` by arithmetic on thread ids and block sizes: a warp is 32
/// threads, counted with x fastest, then y, then z (CUDA C++ Programming
/// Guide, "Thread Hierarchy").
void agpu__expand_subgroups(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_EXPAND_H
