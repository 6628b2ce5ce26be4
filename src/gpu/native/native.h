//===- native.h - Kernels of the emulated device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces between the passes of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NATIVE_NATIVE_H
#define ASYNC_GPU_GPU_NATIVE_NATIVE_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// Ops of a body and its context
//
// What async-gpu-native-context makes of the ops of a body that needs to know
// its context, by three files.
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// accesses.c
//===----------------------------------------------------------------------===//

/// Marks the accesses of shared memory, before address spaces go away.
void agpu__simt_mark_shared(MlirOperation gpu_module);

/// If `op`, in a body with the given context, accesses memory, puts a check
/// before it where that is not the thread's own, and returns true.
bool agpu__simt_check_access(MlirOperation op, const MlirValue *context,
                             MlirOperation gpu_module);

/// Puts a check before `op`, a division that may have no result
/// (lower/convert/convert.h), in a body with the given context.
void agpu__simt_check_division(MlirOperation op, const MlirValue *context,
                               MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// count.c
//===----------------------------------------------------------------------===//

/// Has the function say what its blocks execute.
void agpu__simt_count_instructions(MlirOperation function,
                                   MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// registers.c
//===----------------------------------------------------------------------===//

/// True if `op` reads a special register that is computed from a context.
bool agpu__simt_is_register(MlirOperation op);

/// Replaces such an op in a body with the given context; false for others.
bool agpu__simt_replace_register(MlirOperation op, const MlirValue *context);

/// The thread's number in its block, x fastest, as CUDA counts lanes.
MlirValue agpu__simt_linear_thread(agpu__builder *at, const MlirValue *context);

//===----------------------------------------------------------------------===//
// services.c
//===----------------------------------------------------------------------===//

/// True if `op` prints, asserts, traps, arrives at a barrier or reads a
/// register that only the device knows.
bool agpu__simt_is_service(MlirOperation op);

/// True if `op` is where an assertion fails.
bool agpu__simt_is_assertion(MlirOperation op);

/// Replaces assertions and traps in `function`, a body with the given context.
void agpu__simt_replace_failures(MlirOperation function,
                                 const MlirValue *context,
                                 MlirOperation gpu_module);

/// Replaces another such op in a body; false for others.
bool agpu__simt_replace_service(MlirOperation op, const MlirValue *context,
                                MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Functions that a kernel calls
//===----------------------------------------------------------------------===//

/// Adds `function`, and each symbol of its module that it refers to, itself or
/// through functions that it calls: those that are in the set have been added
/// with theirs.
void agpu__simt_reach(MlirSymbolTable symbols, MlirOperation function,
                      agpu__op_set *reached);

/// Inlines functions that wait for other threads, end their own or assert into
/// the kernels. Threads that end return from the kernel. Fails with a
/// diagnostic where a function that waits or ends its thread cannot be inlined.
MlirLogicalResult agpu__simt_inline_waits(MlirOperation gpu_module);

/// Erases the symbols that no kernel refers to.
void agpu__simt_drop_unused(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// What the emulated device cannot run
//===----------------------------------------------------------------------===//

/// Reports each op of `gpu_module`, in the LLVM and NVVM dialects, that the
/// emulated device cannot run. Where the program has images for another target,
/// instructions of the GPU are no errors yet: their functions are marked, and
/// launches of their kernels will fail.
MlirLogicalResult agpu__simt_check(MlirOperation gpu_module, bool other_target);

/// Replaces the body of each kernel that reaches a function that is marked
/// so by a call that fails the launch.
void agpu__simt_replace_unsupported(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Which blocks are in a loop
//
// Loops of a control-flow graph, with what is nested in them: its strongly
// connected components.
//===----------------------------------------------------------------------===//

/// From the blocks of `body` that are in a loop to the number of the outermost
/// one. In time that is linear in blocks and edges. Free with agpu__map_free.
agpu__map agpu__find_loop_blocks(MlirRegion body);

#endif // ASYNC_GPU_GPU_NATIVE_NATIVE_H
