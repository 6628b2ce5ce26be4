//===- op_memory.c - What ops do -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, and the questions to it that look at an op's operands. Every op
// that has no row is taken to read, write and keep whatever it can reach.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/op_memory.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>

#define NAME(name) name = AGPU__OP_##name,
enum names { AGPU__OP_TRAITS(NAME) LONG = AGPU__OP_LONG };
#undef NAME

#define OP(name, class, reads, writes, cost, traits)                           \
  {name, AGPU__OP_##class, reads, writes, cost, traits},
static const agpu__op_row rows[] = {
#include "lower/ir/ops.def"
};
#undef OP

static const agpu__op_row unknown = {"", AGPU__OP_UNKNOWN, 0, 0, 1, 0};

const agpu__op_row *agpu__op_rows(size_t *out_count) {
  *out_count = AGPU__COUNT(rows);
  return rows;
}

/// Compares a name, an MlirStringRef, with that of a row.
static int compare(const void *key, const void *element) {
  const MlirStringRef *name = key;
  const agpu__op_row *row = element;
  int order = strncmp(name->data, row->name, name->length);
  return order || !row->name[name->length] ? order : -1;
}

const agpu__op_row *agpu__row_of(MlirOperation op) {
  if (mlirOperationIsNull(op))
    return &unknown;
  MlirStringRef name = agpu__op_name(op);
  const agpu__op_row *row =
      bsearch(&name, rows, AGPU__COUNT(rows), sizeof(*rows), compare);
  return row ? row : &unknown;
}

bool agpu__computes(MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  if (row->traits & (AGPU__OP_DEVICE | AGPU__OP_ENQUEUES | AGPU__OP_KERNEL))
    return false;
  switch (row->class) {
  case AGPU__OP_PURE:
  case AGPU__OP_VIEW:
  case AGPU__OP_ALLOCATES:
  case AGPU__OP_GLOBAL:
  case AGPU__OP_ACCESSES: return true;
  case AGPU__OP_STRUCTURE: return mlirOperationGetNumRegions(op) == 0;
  default: return false;
  }
}

/// How many tokens `op` depends on: its first operands.
static unsigned count_tokens(MlirOperation op) {
  intptr_t count = 0;
  while (count < mlirOperationGetNumOperands(op) &&
         mlirTypeIsAGPUAsyncTokenType(
             mlirValueGetType(mlirOperationGetOperand(op, count))))
    ++count;
  return count < 32 ? (unsigned)count : 31;
}

agpu__op_memory agpu__memory_of_op(MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  agpu__op_memory memory = {row->class, row->reads, row->writes,
                            (row->traits & AGPU__OP_COVERS) &&
                                row->class == AGPU__OP_ACCESSES};
  if (row->traits & AGPU__OP_TOKENS && (row->reads | row->writes)) {
    unsigned tokens = count_tokens(op);
    memory.reads <<= tokens;
    memory.writes <<= tokens;
  }
  return memory;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The operand that result `number` of a view is a name of.
static intptr_t viewed_operand(MlirOperation op, intptr_t number) {
  return agpu__op_has(op, AGPU__OP_EACH) ? number : 0;
}

MlirValue agpu__viewed(MlirValue memref) {
  MlirOperation op = agpu__maker_of(memref);
  if (!agpu__is_view(op))
    return (MlirValue){NULL};
  return mlirOperationGetOperand(
      op, viewed_operand(op, mlirOpResultGetResultNumber(memref)));
}

MlirValue agpu__view_source(MlirValue memref) {
  MlirValue source = memref;
  while (!mlirValueIsNull(source)) {
    memref = source;
    source = agpu__viewed(memref);
  }
  return memref;
}

bool agpu__push_views(agpu__values *values, MlirOperation op, intptr_t number) {
  bool is_view = false;
  for (intptr_t i = 0; agpu__is_view(op) && i < mlirOperationGetNumResults(op);
       ++i) {
    if (viewed_operand(op, i) != number)
      continue;
    is_view = true;
    if (agpu__is_memref(agpu__result(op, i)))
      agpu__values_push(values, agpu__result(op, i));
  }
  return is_view;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool agpu__only_accesses(MlirOperation op, intptr_t number) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  switch (memory.class) {
  case AGPU__OP_VIEW: // a shape, say
  case AGPU__OP_ACCESSES:
    return number < 32 && (memory.reads | memory.writes) >> number & 1;
  // A number made of an address may become an address again.
  case AGPU__OP_PURE:
    return !agpu__op_has(op, AGPU__OP_GIVES | AGPU__OP_POINTER);
  case AGPU__OP_LINALG:
  case AGPU__OP_OUTSIDE: return true;
  default: return false;
  }
}

bool agpu__writes_operand(MlirOperation op, intptr_t number) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  bool reads, writes = false, covers;
  if (memory.class == AGPU__OP_ACCESSES)
    writes = number < 32 && memory.writes >> number & 1;
  else if (memory.class == AGPU__OP_LINALG)
    agpu__linalg_use(op, number, &reads, &writes, &covers);
  return writes;
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
  if (agpu__op_has(op, AGPU__OP_COVERS))
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
