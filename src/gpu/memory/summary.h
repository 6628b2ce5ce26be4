//===- summary.h - What functions and ops read and write -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op of host code reads and writes with all that is in it: loops,
// launches, and functions and kernels that it calls, each of which is looked at
// once.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_SUMMARY_H
#define ASYNC_GPU_GPU_MEMORY_SUMMARY_H

#include "gpu/memory/objects.h"
#include "gpu/memory/origins.h"

/// A function or kernel.
typedef struct agpu__summary {
  MlirOperation function;
  agpu__objects objects;
  agpu__accesses accesses;   ///< of those objects
  int64_t cost, device_cost; ///< as of an op
  bool uses_device; ///< holds ops of the gpu dialect, or calls a function that
                    ///< does
  agpu__origins origins; ///< of the results
  bool is_known;         ///< false: it may do anything
  bool in_progress;
} agpu__summary;

typedef struct agpu__summaries {
  MlirOperation module;
  MlirSymbolTable symbols;
  bool all_noalias;  ///< arguments of functions are taken not to alias
  bool follow;       ///< control flow that hands memrefs on is followed
  agpu__map numbers; ///< by the function's address
  agpu__summary **data;
  size_t count, capacity;
  agpu__map modules; ///< numbers of symbol tables of gpu.modules
  MlirSymbolTable *tables;
  size_t table_count;
} agpu__summaries;

/// Free with agpu__summaries_free. It is of the module as it is: a pass that
/// changes a function asks no more about that one.
void agpu__summaries_create(MlirOperation module, bool all_noalias, bool follow,
                            agpu__summaries *out_summaries);
void agpu__summaries_free(agpu__summaries *summaries);

/// Of a func.func or gpu.func with a body.
const agpu__summary *agpu__summary_of(agpu__summaries *summaries,
                                      MlirOperation function);

/// The function that a func.call calls, or the kernel that a gpu.launch_func
/// launches, as far as its code is there; a null op otherwise.
MlirOperation agpu__callee_of(agpu__summaries *summaries, MlirOperation call);

/// True if `call`, a func.call or gpu.launch_func, may write to the memref that
/// it is given as operand `number`.
bool agpu__call_writes(agpu__summaries *summaries, MlirOperation call,
                       intptr_t number);

/// What an op does, with all that is in it.
typedef struct agpu__op_effects {
  agpu__accesses accesses; ///< of the objects of the function it stands in
  int64_t cost;            ///< of the host or, in a kernel, a thread, in ops
  int64_t device_cost;     ///< of what it puts on the device, in all threads
  bool uses_device;        ///< it puts work on the device
} agpu__op_effects;

/// Adds to `out_effects` what `op`, in a function with these objects, does.
void agpu__add_op_effects(agpu__summaries *summaries,
                          const agpu__objects *objects, MlirOperation op,
                          agpu__op_effects *out_effects);

/// True for a func.call of a function without a body that only prints, as its
/// name says.
bool agpu__call_prints(agpu__summaries *summaries, MlirOperation call);

#endif // ASYNC_GPU_GPU_MEMORY_SUMMARY_H
