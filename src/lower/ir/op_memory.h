//===- op_memory.h - What ops do to memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table says, for each kind of op in host code and in kernels, through
// which of its operands it reads and writes memory. What it does not name may
// do anything.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_OP_MEMORY_H
#define ASYNC_GPU_LOWER_OP_MEMORY_H

#include "lower/ir/ops.h"

typedef enum agpu__op_class {
  AGPU__OP_UNKNOWN,   ///< may do anything
  AGPU__OP_PURE,      ///< computes from its operands, or from a descriptor
  AGPU__OP_VIEW,      ///< results name the memory of operand 0
  AGPU__OP_ALLOCATES, ///< its result is memory that nobody else knows
  AGPU__OP_GLOBAL,    ///< its result is the memory of a symbol
  AGPU__OP_ACCESSES,  ///< reads and writes through operands, and no more
  AGPU__OP_LINALG,    ///< the same, by `ins` and `outs`, in each element
  AGPU__OP_STRUCTURE, ///< control flow: what counts are the ops inside
  AGPU__OP_CALL,      ///< func.call
  AGPU__OP_LAUNCH,    ///< gpu.launch_func
  AGPU__OP_OUTSIDE,   ///< is seen from outside of the program: prints, asserts
} agpu__op_class;

/// What an op does to memory. Operands as bits.
typedef struct agpu__op_memory {
  agpu__op_class class;
  unsigned reads, writes;
  /// What it writes it writes all of (not of linalg, which has maps).
  bool covers;
} agpu__op_memory;

agpu__op_memory agpu__memory_of_op(MlirOperation op);

/// Makes a number of an address.
#define AGPU__POINTER_OP "memref.extract_aligned_pointer_as_index"

/// True if the op's results are other names of the memory of operand 0.
static inline bool agpu__is_view(MlirOperation op) {
  return agpu__memory_of_op(op).class == AGPU__OP_VIEW;
}

/// True if the op does no more with operand `number`, a memref, than to access
/// its memory or to look at its descriptor: its address goes nowhere.
bool agpu__only_accesses(MlirOperation op, intptr_t number);

/// True for ranked and unranked memrefs.
bool agpu__is_memref(MlirValue value);

/// True for types that an address cannot be of or in: numbers, and vectors of
/// them.
bool agpu__is_plain_type(MlirType type);

/// How a linalg op on memrefs uses operand `number`.
void agpu__linalg_use(MlirOperation op, intptr_t number, bool *out_reads,
                      bool *out_writes, bool *out_covers);

#endif // ASYNC_GPU_LOWER_OP_MEMORY_H
