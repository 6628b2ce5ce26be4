//===- op_memory.h - What ops do -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table (ops.def) says what each op of host code and of kernels is. All
// analyses ask it, and have no lists of their own. An op without a row is
// AGPU__OP_UNKNOWN and may do anything: an order too many is slow, one too few
// is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_OP_MEMORY_H
#define ASYNC_GPU_LOWER_OP_MEMORY_H

#include "lower/ir/ops.h"

/// What an op does to memory.
typedef enum agpu__op_class {
  AGPU__OP_UNKNOWN,   ///< may do anything; traits may say more
  AGPU__OP_PURE,      ///< computes from its operands, or from a descriptor
  AGPU__OP_VIEW,      ///< results name the memory of an operand
  AGPU__OP_ALLOCATES, ///< its result is memory that nobody else knows
  AGPU__OP_GLOBAL,    ///< its result is the memory of a symbol
  AGPU__OP_ACCESSES,  ///< reads and writes through operands, and no more
  AGPU__OP_LINALG,    ///< the same, by `ins` and `outs`, in each element
  AGPU__OP_STRUCTURE, ///< control flow: what counts are the ops inside
  AGPU__OP_CALL,      ///< func.call
  AGPU__OP_LAUNCH,    ///< gpu.launch_func
  AGPU__OP_OUTSIDE,   ///< is seen from outside of the program: prints, asserts
} agpu__op_class;

/// What else is known of an op, as bits AGPU__OP_COVERS and so on.
#define AGPU__OP_TRAITS(TRAIT)                                                 \
  /* Of views: of result i it is operand i, elsewhere operand 0; all of that,  \
     index by index; or it leads back to all of the allocation. */             \
  TRAIT(EACH)                                                                  \
  TRAIT(SAME)                                                                  \
  TRAIT(WHOLE)                                                                 \
  /* Of pure ops: a result is an operand, or holds it; is its address as a     \
     number; is not defined for all operands. */                               \
  TRAIT(GIVES)                                                                 \
  TRAIT(POINTER)                                                               \
  TRAIT(TRAPS)                                                                 \
  /* It writes all of what it writes; ends what an op before it began. */      \
  TRAIT(COVERS)                                                                \
  TRAIT(RELEASES)                                                              \
  /* Its regions run any number of times; once at most; memory from the stack  \
     is freed at its end (upstream's AutomaticAllocationScope). */             \
  TRAIT(LOOP)                                                                  \
  TRAIT(ONCE)                                                                  \
  TRAIT(SCOPE)                                                                 \
  /* Stands in kernels alone. */                                               \
  TRAIT(KERNEL)                                                                \
  /* Of host code: is put on the region's stream; is work of the device on     \
     what it is given; takes and gives tokens (upstream's AsyncOpInterface);   \
     may be part of a graph; is about the region's stream itself. */           \
  TRAIT(ENQUEUES)                                                              \
  TRAIT(DEVICE)                                                                \
  TRAIT(TOKENS)                                                                \
  TRAIT(RECORDS)                                                               \
  TRAIT(STREAM)                                                                \
  /* The region's stream waits; work of its own starts; the host cannot tell   \
     by it whether device work has completed, though its kind is unknown. */   \
  TRAIT(AWAITS)                                                                \
  TRAIT(SPAWNS)                                                                \
  TRAIT(UNSEEN)                                                                \
  /* It may fail, which is its region's error; others may learn by it how far  \
     its thread is; it neither blocks, suspends nor spawns, though its kind is \
     unknown; the same where it is of the coroutine itself. */                 \
  TRAIT(FAILS)                                                                 \
  /* It waits for other ranks, which takes long. */                            \
  TRAIT(MESSAGES)                                                              \
  TRAIT(TELLS)                                                                 \
  TRAIT(BRIEF)                                                                 \
  TRAIT(COROUTINE)

#define AGPU__OP_NUMBER(name) AGPU__OP_NUMBER_##name,
enum agpu__op_number { AGPU__OP_TRAITS(AGPU__OP_NUMBER) };
#define AGPU__OP_BIT(name) AGPU__OP_##name = 1u << AGPU__OP_NUMBER_##name,
enum agpu__op_bit { AGPU__OP_TRAITS(AGPU__OP_BIT) };

/// A cost of which no more is known.
#define AGPU__OP_LONG 255

/// What one op is. Operands as bits.
typedef struct agpu__op_row {
  const char *name;
  agpu__op_class class;
  unsigned reads, writes;
  unsigned cost; ///< about how many instructions it takes
  unsigned traits;
} agpu__op_row;

/// All rows, in the order of their names.
const agpu__op_row *agpu__op_rows(size_t *out_count);

/// The row of `op`, or one that says that nothing is known.
const agpu__op_row *agpu__row_of(MlirOperation op);

/// True if `op` has any of these traits.
static inline bool agpu__op_has(MlirOperation op, unsigned traits) {
  return (agpu__row_of(op)->traits & traits) != 0;
}

/// True if `op` computes, names memory, allocates or accesses it, or ends its
/// block, and does no more: it neither waits nor starts anything.
bool agpu__computes(MlirOperation op);

/// What an op does to memory: its row, with the operands that it really has.
typedef struct agpu__op_memory {
  agpu__op_class class;
  unsigned reads, writes;
  /// What it writes it writes all of (not of linalg, which has maps).
  bool covers;
} agpu__op_memory;

agpu__op_memory agpu__memory_of_op(MlirOperation op);

/// Makes a number of an address.
#define AGPU__POINTER_OP "memref.extract_aligned_pointer_as_index"

/// True if the op's results are other names of the memory of operands.
static inline bool agpu__is_view(MlirOperation op) {
  return agpu__row_of(op)->class == AGPU__OP_VIEW;
}

/// What `memref` is a view of, by one op; a null value if it is none.
MlirValue agpu__viewed(MlirValue memref);

/// What `memref` is a view of, by any number of ops: it itself where it is
/// none.
MlirValue agpu__view_source(MlirValue memref);

/// Appends the memrefs that are views, by `op`, of its operand `number`. False
/// if it is no view of that.
bool agpu__push_views(agpu__values *values, MlirOperation op, intptr_t number);

/// True if the op does no more with operand `number`, a memref, than to access
/// its memory or to look at its descriptor: its address goes nowhere.
bool agpu__only_accesses(MlirOperation op, intptr_t number);

/// True if the op itself may write memory through operand `number`: not of
/// calls, and not of ops of which nothing is known.
bool agpu__writes_operand(MlirOperation op, intptr_t number);

/// True for ranked and unranked memrefs.
bool agpu__is_memref(MlirValue value);

/// True for types that an address cannot be of or in: numbers, and vectors of
/// them.
bool agpu__is_plain_type(MlirType type);

/// How a linalg op on memrefs uses operand `number`.
void agpu__linalg_use(MlirOperation op, intptr_t number, bool *out_reads,
                      bool *out_writes, bool *out_covers);

#endif // ASYNC_GPU_LOWER_OP_MEMORY_H
