//===- op_memory.c - What ops do to memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table. Every op that it does not name is taken to read, write and keep
// whatever it can reach: an order too many is slow, one too few is wrong.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/op_memory.h"

#include <string.h>

typedef struct op_row {
  const char *name; ///< an op, or "dialect." for all ops of a dialect
  agpu__op_memory memory;
} op_row;

#define PURE {AGPU__OP_PURE, 0, 0, false}
#define VIEW {AGPU__OP_VIEW, 0, 0, false}
#define STRUCTURE {AGPU__OP_STRUCTURE, 0, 0, false}
#define OUTSIDE {AGPU__OP_OUTSIDE, 0, 0, false}
#define READS(operand) {AGPU__OP_ACCESSES, 1u << (operand), 0, false}
#define WRITES(operand) {AGPU__OP_ACCESSES, 0, 1u << (operand), false}
#define UPDATES(operand)                                                       \
  {AGPU__OP_ACCESSES, 1u << (operand), 1u << (operand), false}

// The first row that matches counts.
static const op_row rows[] = {
    {"arith.", PURE},
    {"math.", PURE},
    {"index.", PURE},
    {"complex.", PURE},
    {"ub.", PURE},
    {"func.constant", PURE},

    {"memref.load", READS(0)},
    {"memref.store", WRITES(1)},
    {"memref.copy", {AGPU__OP_ACCESSES, 1u << 0, 1u << 1, true}},
    {"memref.dealloc", {AGPU__OP_ACCESSES, 0, 1u << 0, true}},
    {"memref.atomic_rmw", UPDATES(1)},
    {"memref.generic_atomic_rmw", UPDATES(0)},
    {"memref.atomic_yield", STRUCTURE},
    {"memref.prefetch", PURE},
    {"memref.dim", PURE},
    {"memref.rank", PURE},
    {"memref.alloc", {AGPU__OP_ALLOCATES, 0, 0, false}},
    {"memref.alloca", {AGPU__OP_ALLOCATES, 0, 0, false}},
    {"memref.get_global", {AGPU__OP_GLOBAL, 0, 0, false}},
    {"memref.assume_alignment", VIEW},
    {"memref.cast", VIEW},
    {"memref.collapse_shape", VIEW},
    {"memref.expand_shape", VIEW},
    {AGPU__POINTER_OP, PURE},
    {"memref.extract_strided_metadata", VIEW},
    {"memref.memory_space_cast", VIEW},
    {"memref.reinterpret_cast", VIEW},
    {"memref.reshape", {AGPU__OP_VIEW, 1u << 1, 0, false}},
    {"memref.subview", VIEW},
    {"memref.transpose", VIEW},
    {"memref.view", VIEW},
    {"memref.alloca_scope", STRUCTURE},
    {"memref.alloca_scope.return", STRUCTURE},

    {"affine.load", READS(0)},
    {"affine.store", WRITES(1)},
    {"affine.vector_load", READS(0)},
    {"affine.vector_store", WRITES(1)},
    {"affine.prefetch", PURE},
    {"affine.for", STRUCTURE},
    {"affine.if", STRUCTURE},
    {"affine.parallel", STRUCTURE},
    {"affine.yield", STRUCTURE},
    {"affine.apply", PURE},
    {"affine.min", PURE},
    {"affine.max", PURE},
    {"affine.delinearize_index", PURE},
    {"affine.linearize_index", PURE},

    {"vector.load", READS(0)},
    {"vector.store", WRITES(1)},
    {"vector.maskedload", READS(0)},
    {"vector.maskedstore", WRITES(0)},
    {"vector.gather", READS(0)},
    {"vector.scatter", WRITES(0)},
    {"vector.expandload", READS(0)},
    {"vector.compressstore", WRITES(0)},
    {"vector.transfer_read", READS(0)},
    {"vector.transfer_write", WRITES(1)},
    {"vector.print", OUTSIDE},
    {"vector.mask", STRUCTURE},
    {"vector.yield", STRUCTURE},
    {"vector.type_cast", VIEW},
    {"vector.", PURE},

    {"linalg.yield", STRUCTURE},
    {"linalg.index", PURE},
    {"linalg.", {AGPU__OP_LINALG, 0, 0, false}},

    {"scf.", STRUCTURE},
    {"cf.br", STRUCTURE},
    {"cf.cond_br", STRUCTURE},
    {"cf.switch", STRUCTURE},
    {"cf.assert", OUTSIDE},
    {"func.return", STRUCTURE},
    {"func.call", {AGPU__OP_CALL, 0, 0, false}},

    {"gpu.launch_func", {AGPU__OP_LAUNCH, 0, 0, false}},
    {"gpu.launch", STRUCTURE},
    {"gpu.memcpy", {AGPU__OP_ACCESSES, 1u << 1, 1u << 0, true}},
    {"gpu.memset", {AGPU__OP_ACCESSES, 0, 1u << 0, true}},
    {"gpu.alloc", {AGPU__OP_ALLOCATES, 0, 0, false}},
    {"gpu.dealloc", {AGPU__OP_ACCESSES, 0, 1u << 0, true}},
    {"gpu.host_register", UPDATES(0)},
    {"gpu.host_unregister", UPDATES(0)},
    {"gpu.wait", PURE},
    {"gpu.printf", OUTSIDE},
    {"gpu.thread_id", PURE},
    {"gpu.block_id", PURE},
    {"gpu.block_dim", PURE},
    {"gpu.grid_dim", PURE},
    {"gpu.global_id", PURE},
    {"gpu.lane_id", PURE},
    {"gpu.subgroup_id", PURE},
    {"gpu.subgroup_size", PURE},
    {"gpu.num_subgroups", PURE},
    {"gpu.cluster_id", PURE},
    {"gpu.cluster_dim", PURE},
    {"gpu.cluster_block_id", PURE},
    {"gpu.cluster_dim_blocks", PURE},
    {"gpu.dynamic_shared_memory", {AGPU__OP_ALLOCATES, 0, 0, false}},
    {"gpu.barrier", PURE},
    {"gpu.shuffle", PURE},
    {"gpu.rotate", PURE},
    {"gpu.ballot", PURE},
    {"gpu.subgroup_broadcast", PURE},
    {"gpu.subgroup_reduce", PURE},
    {"gpu.all_reduce", STRUCTURE},
    {"gpu.subgroup_mma_load_matrix", READS(0)},
    {"gpu.subgroup_mma_store_matrix", WRITES(1)},
    {"gpu.subgroup_mma_compute", PURE},
    {"gpu.subgroup_mma_constant_matrix", PURE},
    {"gpu.subgroup_mma_elementwise", PURE},
    {"gpu.subgroup_mma_extract_thread_local", PURE},
    {"gpu.subgroup_mma_insert_thread_local", PURE},
    {"gpu.terminator", STRUCTURE},
    {"gpu.return", STRUCTURE},
    {"gpu.yield", STRUCTURE},
};

agpu__op_memory agpu__memory_of_op(MlirOperation op) {
  MlirStringRef name = agpu__op_name(op);
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i) {
    size_t length = strlen(rows[i].name);
    bool whole_dialect = rows[i].name[length - 1] == '.';
    if ((whole_dialect ? name.length > length : name.length == length) &&
        !memcmp(name.data, rows[i].name, length))
      return rows[i].memory;
  }
  return (agpu__op_memory){AGPU__OP_UNKNOWN, 0, 0, false};
}

bool agpu__only_accesses(MlirOperation op, intptr_t number) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  switch (memory.class) {
  case AGPU__OP_ACCESSES:
    return number < 32 && (memory.reads | memory.writes) >> number & 1;
  // A number made of an address may become an address again.
  case AGPU__OP_PURE:
    return number == 0 && !agpu__op_is(op, "arith.select") &&
           !agpu__op_is(op, AGPU__POINTER_OP);
  case AGPU__OP_LINALG:
  case AGPU__OP_OUTSIDE: return true;
  default: return false;
  }
}

bool agpu__is_memref(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type);
}

bool agpu__is_plain_type(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
         mlirTypeIsAIndex(type) || mlirTypeIsAComplex(type);
}

/// True if the op stores to each element of operand `number`: it has a result
/// there for each place, by an identity or a permutation.
static bool covers_output(MlirOperation op, intptr_t number) {
  static const char *const all[] = {"linalg.fill", "linalg.copy",
                                    "linalg.transpose", "linalg.broadcast",
                                    "linalg.map"};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); ++i)
    if (agpu__op_is(op, all[i]))
      return true;
  if (!agpu__op_is(op, "linalg.generic"))
    return false;
  MlirAttribute maps = agpu__attr(op, "indexing_maps");
  if (mlirAttributeIsNull(maps) || !mlirAttributeIsAArray(maps) ||
      number >= mlirArrayAttrGetNumElements(maps))
    return false;
  MlirAttribute map = mlirArrayAttrGetElement(maps, number);
  return mlirAttributeIsAAffineMap(map) &&
         mlirAffineMapIsPermutation(mlirAffineMapAttrGetValue(map));
}

void agpu__linalg_use(MlirOperation op, intptr_t number, bool *out_reads,
                      bool *out_writes, bool *out_covers) {
  MlirAttribute segments = agpu__attr(op, "operandSegmentSizes");
  intptr_t inputs = !mlirAttributeIsNull(segments) &&
                            mlirAttributeIsADenseI32Array(segments) &&
                            mlirDenseArrayGetNumElements(segments) == 2
                        ? mlirDenseI32ArrayGetElement(segments, 0)
                        : 0;
  *out_reads = true;
  *out_writes = number >= inputs || !inputs;
  *out_covers = false;
  if (number < inputs || mlirOperationGetNumRegions(op) != 1)
    return;
  MlirBlock body = agpu__entry_block(op);
  if (mlirBlockIsNull(body))
    return;
  // The body's arguments are the elements: what it does not use is not read.
  if (number >= mlirBlockGetNumArguments(body))
    return;
  MlirValue element = mlirBlockGetArgument(body, number);
  *out_reads = !mlirOpOperandIsNull(mlirValueGetFirstUse(element));
  *out_covers = !*out_reads && covers_output(op, number);
}
