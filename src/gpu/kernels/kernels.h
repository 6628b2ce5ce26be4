//===- kernels.h - Kernels as the user wrote them -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their names, their parameters, and what launches say of them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNELS_KERNELS_H
#define ASYNC_GPU_GPU_KERNELS_KERNELS_H

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

//===----------------------------------------------------------------------===//
// Kernels that are alike but for constants
//
// The layers of a model are alike but for their weights, which are constants of
// the module that the kernels name. In native code such kernels have one body:
// it is lowered once.
//===----------------------------------------------------------------------===//

/// Sets the attributes on kernels of `gpu_module`, gpu.func or llvm.func, that
/// are alike but for constants, and empties those that are like one before.
void agpu__alike_bodies(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// How kernels are called
//
// The calling convention of kernels, on which the code that compiles a kernel
// and the code that launches it have to agree. Parameters are those of the
// lowered llvm.func, one pointer each in a launch:
//   - a memref of rank r: allocated pointer, aligned pointer, i64 offset, r i64
//     sizes, r i64 strides (3 + 2r parameters; rank 0 has 3); as a bare
//     pointer, the aligned one alone: a static offset is part of the type, and
//     the kernel adds it;
//   - a memref without rank: i64 rank, pointer to its descriptor;
//   - index: i64; iN, f16, bf16, f32, f64 and pointers: themselves (i1 is one
//     byte, 0 or 1); eight-bit floats: i8;
//   - vector<NxT>: itself; a vector of more dimensions: an LLVM array of
//     vectors; complex<T>: an LLVM structure of two T.
// The values may lie at any address, aligned or not.
//
// Whether memrefs are bare pointers stands on the program's module, as
// agpu.convention. The first pass that has the option writes it, and who
// launches reads it.
//===----------------------------------------------------------------------===//

#define AGPU__BARE_POINTERS "bare-pointers"

/// The option of the passes that lower kernels.
#define AGPU__BARE_POINTERS_OPTION                                             \
  {AGPU__BARE_POINTERS, AGPU_OPTION_BOOL, "false",                             \
   "Pass memrefs to kernels as one pointer each instead of as descriptors; "   \
   "their sizes, strides and offset must be static."}

/// Reads the option and records it on `module`, the program's. Fails with a
/// diagnostic there where a pass before has recorded another convention.
MlirLogicalResult agpu__convention_set(MlirOperation module,
                                       const agpu_pass_values *values,
                                       bool *out_bare);

/// What is recorded; descriptors where nothing is.
bool agpu__convention_is_bare(MlirOperation module);

/// Once no launch is left.
void agpu__convention_forget(MlirOperation module);

/// What a parameter is of its argument.
typedef enum agpu__part {
  AGPU__PART_VALUE,      ///< all of it
  AGPU__PART_ALLOCATED,  ///< of a memref's descriptor
  AGPU__PART_ALIGNED,    ///< likewise, and a bare pointer
  AGPU__PART_OFFSET,     //
  AGPU__PART_SIZE,       ///< of a dimension
  AGPU__PART_STRIDE,     //
  AGPU__PART_RANK,       ///< of a memref without one in its type
  AGPU__PART_DESCRIPTOR, ///< its address, likewise
} agpu__part;

/// How an argument is passed: the rank of a memref that is its descriptor, part
/// by part, or one of these.
enum {
  AGPU__PASSED_PLAIN = -1,        ///< as it is
  AGPU__PASSED_BARE_POINTER = -2, ///< a memref
  AGPU__PASSED_UNRANKED = -3,     ///< a memref without a rank in its type
};
int agpu__passed_as(MlirType type, bool bare);

/// How many parameters an argument makes that is passed so.
size_t agpu__parameter_count(int passed);

/// What number `index` of them is. `out_dimension` receives that of a size or a
/// stride, else -1.
agpu__part agpu__parameter_part(int passed, size_t index,
                                int32_t *out_dimension);

/// The number of the one by which a kernel gets at the memory of a memref: the
/// aligned pointer, or the address of the descriptor. 0 for other arguments.
size_t agpu__parameter_address(int passed);

/// Fails with an error at `location` that names `what` ("kernel argument") and
/// its number where `type` is a memref whose pointer does not say all about it.
MlirLogicalResult agpu__check_bare_pointer(MlirLocation location,
                                           const char *what, size_t number,
                                           MlirType type);

//===----------------------------------------------------------------------===//
// What launches say of kernels
//
// What the pass async-gpu-kernel-facts has found out travels on the kernel in
// discardable attributes, from its gpu.func to the parameters in the PTX.
//===----------------------------------------------------------------------===//

/// Before conversion to the LLVM dialect: makes the numbers of arguments in
/// `gpu_module`, which the pass has left, numbers of parameters. A memref is
/// one parameter with `bare_pointers`, else the members of its descriptor.
void agpu__kernel_facts_renumber(MlirOperation gpu_module, bool bare_pointers);

/// Gives the parameters of `kernel`, an llvm.func, the attributes that say what
/// is known of them. For PTX: native code takes more parameters, and shares
/// memory with the host. Fails with a diagnostic where the lists that say so do
/// not fit each other.
MlirLogicalResult agpu__kernel_facts_apply(MlirOperation kernel);

//===----------------------------------------------------------------------===//
// What launches pass, what kernels take
//===----------------------------------------------------------------------===//

/// Reports each `agpu.launch` and `agpu.launch_with` in `host_module` whose
/// arguments are not what a kernel of `gpu_module`, which holds llvm.func by
/// now, takes. MLIR's verifier has compared them where the kernel was a
/// gpu.func; one that was an llvm.func from the beginning it takes as it is.
/// `bare_pointers`: see "How kernels are called".
MlirLogicalResult agpu__check_launches(MlirOperation host_module,
                                       MlirOperation gpu_module,
                                       bool bare_pointers);

//===----------------------------------------------------------------------===//
// The memory that a launch gives its kernel
//===----------------------------------------------------------------------===//

/// What a memref that a launch is given is of.
typedef struct agpu__given_memory {
  /// The op or argument that the memory is from; NULL: not known, or the host
  /// may write to it while the kernel runs. Of two that differ, the memory
  /// does, too, unless both come from outside of the function.
  const void *origin;
  bool is_from_outside;
  /// The gpu.alloc whose elements begin where the memref's memory does; or
  /// null.
  MlirOperation fresh;
} agpu__given_memory;

/// Of `value`, which `launch` has as an operand. Memory of the host counts in
/// functions with AGPU__UNIFIED_ATTR alone, where host and kernels take turns.
agpu__given_memory agpu__given_memory_of(MlirOperation launch, MlirValue value);

/// True if the kernel, a gpu.func, does no more with its argument than to read
/// its memory.
bool agpu__kernel_only_reads(MlirOperation kernel, intptr_t argument);

//===----------------------------------------------------------------------===//
// Names of kernels in a program
//
// What a program carries of a kernel is found by its symbol. Nothing else makes
// up such names.
//===----------------------------------------------------------------------===//

/// "PREFIX.MODULE.NAME" as a new string that the caller frees. Different pairs
/// of module and name give different symbols. `name` may be empty: then
/// "PREFIX.MODULE".
char *agpu__embed_symbol(const char *prefix, MlirStringRef module,
                         MlirStringRef name);

/// The symbol of the agpu_kernel_desc that launches of `kernel_ref`
/// (`@module::@kernel`) take the address of, as a new string that the caller
/// frees; NULL if the attribute is no such reference.
char *agpu__kernel_symbol(MlirAttribute kernel_ref);

//===----------------------------------------------------------------------===//
// Which target a gpu.module is for
//
// async-gpu-kernel-targets makes a gpu.module for each target of one that the
// program has, and leaves attributes on it and on its kernels for later passes
// (AGPU__TARGET and behind it in lower/dialect/attributes.h).
//===----------------------------------------------------------------------===//

/// The gpu.modules of `module`. Fails with a diagnostic where one cannot be
/// handled: inside something other than the module itself.
MlirLogicalResult agpu__collect_gpu_modules(MlirOperation module,
                                            agpu__ops *out_modules);

/// Whether `gpu_module` is for the target, one of the two above.
bool agpu__is_for_target(MlirOperation gpu_module, const char *target);

/// Its name in the program. One that no pass has said it of has its own.
MlirStringRef agpu__source_module(MlirOperation gpu_module);

/// The same of a kernel.
MlirStringRef agpu__source_kernel(MlirOperation kernel);

/// Fails with an error at `op` that lacks attribute `name`, which the pass
/// `from` leaves there.
MlirLogicalResult agpu__missing_attribute(MlirOperation op, const char *name,
                                          const char *from);

#endif // ASYNC_GPU_GPU_KERNELS_KERNELS_H
