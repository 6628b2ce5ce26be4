//===- find_fused.c - Which ops of linalg go into the kernels of others ---===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction goes on from what its output has, which mostly a fill or a copy
// has put there, and mostly one elementwise op reads what it gives. Where they
// are neighbours, and no other op sees the memory in between, its kernel begins
// with what the fill would store, and stores what that op would make of it. The
// operands of both become operands of the reduction, by its own loops.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

bool agpu__linalg_is_fused(const agpu__map *fused, MlirOperation op) {
  return agpu__map_get(fused, op.ptr) != AGPU__MAP_NONE;
}

bool agpu__linalg_is_allocated(MlirValue memref) {
  return agpu__op_is(agpu__maker_of(memref), "memref.alloc");
}

bool agpu__linalg_touches_nothing(MlirOperation op) {
  agpu__op_class class = agpu__row_of(op)->class;
  return class == AGPU__OP_PURE || class == AGPU__OP_VIEW ||
         class == AGPU__OP_ALLOCATES || class == AGPU__OP_GLOBAL;
}

/// Adds to `changed` the sources of what `op` writes or frees. False if that
/// may be more than memory that the function allocates.
static bool pass_over(agpu__values *changed, MlirOperation op) {
  agpu__op_class class = agpu__row_of(op)->class;
  if (agpu__linalg_touches_nothing(op))
    return true;
  if ((class != AGPU__OP_ACCESSES && class != AGPU__OP_LINALG) ||
      mlirOperationGetNumResults(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(operand) || !agpu__writes_operand(op, i))
      continue;
    MlirValue source = agpu__view_source(operand);
    if (!agpu__linalg_is_allocated(source))
      return false;
    agpu__values_push(changed, source);
  }
  return true;
}

bool agpu__linalg_is_known(MlirValue source) {
  if (mlirValueIsABlockArgument(source))
    return agpu__op_is(
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(source)),
        "func.func");
  agpu__op_class class = agpu__row_of(mlirOpResultGetOwner(source))->class;
  return class == AGPU__OP_ALLOCATES || class == AGPU__OP_GLOBAL;
}

/// True if no operand of `op` but `but` may be the memory that `alloc` is.
static bool is_apart(MlirOperation op, MlirValue but, MlirValue alloc) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(value) || mlirValueEqual(value, but))
      continue;
    MlirValue source = agpu__view_source(value);
    if (!agpu__linalg_is_known(source) || mlirValueEqual(source, alloc))
      return false;
  }
  return true;
}

/// True if no output of `self` may be the memory that `source` is.
static bool is_no_output(const agpu__linalg_op *self, MlirValue source) {
  for (intptr_t i = self->input_count; i < self->operand_count; ++i)
    if (!agpu__linalg_is_known(agpu__view_source(self->operands[i].value)) ||
        mlirValueEqual(agpu__view_source(self->operands[i].value), source))
      return false;
  return agpu__linalg_is_known(source);
}

static MlirAffineMap map_of(MlirOperation op, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(op), operand));
}

bool agpu__linalg_is_pointwise(MlirOperation op) {
  agpu__linalg_op read;
  return agpu__op_is(op, "linalg.generic") && agpu__linalg_read(op, &read) &&
         read.operand_count == read.input_count + 1 &&
         mlirAffineMapIsIdentity(read.operands[read.input_count].map) &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(
             mlirBlockGetArgument(read.body, read.input_count)));
}

/// The map of an op that goes over the elements of output `index`, by the loops
/// of `self`.
static MlirAffineMap by_loops_of(const agpu__linalg_op *self, intptr_t index,
                                 MlirAffineMap map) {
  MlirAffineMap outer = self->operands[index].map;
  intptr_t count = mlirAffineMapGetNumResults(map);
  AGPU__OWNED MlirAffineExpr *exprs =
      agpu__allocate((size_t)count, sizeof(*exprs));
  for (intptr_t i = 0; i < count; ++i)
    exprs[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), outer);
  return mlirAffineMapGet(mlirAffineMapGetContext(map), self->loop_count, 0,
                          count, exprs);
}

static intptr_t add_operand(agpu__linalg_op *self, MlirValue value,
                            MlirAffineMap map) {
  intptr_t index = self->all_count++;
  self->operands[index] = (agpu__linalg_operand){
      .value = value, .map = map, .is_memref = agpu__is_memref(value)};
  return index;
}

bool agpu__linalg_is_start(MlirOperation op, MlirValue memref,
                           MlirValue *out_value, MlirAffineMap *out_map) {
  if (agpu__op_is(op, "memref.copy") &&
      mlirValueEqual(mlirOperationGetOperand(op, 1), memref)) {
    *out_value = mlirOperationGetOperand(op, 0);
    intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memref));
    *out_map =
        mlirAffineMapMultiDimIdentityGet(mlirOperationGetContext(op), rank);
    return mlirTypeIsAMemRef(mlirValueGetType(*out_value));
  }
  if (!agpu__linalg_is_pointwise(op))
    return false;
  MlirBlock body = agpu__entry_block(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue given = mlirOperationGetOperand(yield, 0);
  if (!mlirValueEqual(mlirOperationGetOperand(op, count - 1), memref) ||
      !mlirOperationEqual(mlirBlockGetFirstOperation(body), yield))
    return false;
  *out_value = given;
  *out_map = map_of(op, count - 1);
  for (intptr_t i = 0; i < count; ++i)
    if (mlirValueEqual(given, mlirBlockGetArgument(body, i))) {
      *out_value = mlirOperationGetOperand(op, i);
      *out_map = map_of(op, i);
    }
  return true;
}

/// True if elements that are neighbours in output `index` are neighbours in the
/// operand, or one.
static bool goes_in_vectors(const agpu__linalg_op *self, intptr_t index,
                            intptr_t operand) {
  intptr_t loop = agpu__linalg_last_loop(&self->operands[index]);
  if (loop < 0)
    return false;
  return !self->operands[operand].is_memref ||
         !agpu__linalg_is_indexed_by(&self->operands[operand], loop) ||
         agpu__linalg_has_neighbours(&self->operands[operand], loop);
}

/// True if `op` has what `start` puts into memory of `alloc`: nothing in
/// between may use that, or change `value`, which is put there.
static bool has_start(const agpu__linalg_op *self, MlirOperation start,
                      MlirValue alloc, MlirValue value) {
  AGPU__SCOPED(values) changed = {0};
  MlirOperation op = mlirOperationGetNextInBlock(start);
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, self->op) &&
         pass_over(&changed, op) && is_apart(op, (MlirValue){NULL}, alloc))
    op = mlirOperationGetNextInBlock(op);
  bool has = mlirOperationEqual(op, self->op);
  if (has && agpu__is_memref(value)) {
    MlirValue source = agpu__view_source(value);
    has = agpu__values_find(&changed, source) < 0 && is_no_output(self, source);
  }
  return has;
}

bool agpu__linalg_find_start(agpu__linalg_op *self, intptr_t index,
                             bool in_vectors, agpu__map *fused) {
  MlirValue memref = self->operands[index].value;
  MlirValue alloc = agpu__view_source(memref);
  if (!agpu__linalg_is_allocated(alloc) || !is_apart(self->op, memref, alloc))
    return false;
  AGPU__USES_FOREACH (use, memref) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    MlirValue value;
    MlirAffineMap map;
    if (agpu__linalg_is_fused(fused, op) ||
        !agpu__linalg_is_start(op, memref, &value, &map) ||
        !has_start(self, op, alloc, value))
      continue;
    intptr_t made = add_operand(self, value, by_loops_of(self, index, map));
    if (in_vectors && !goes_in_vectors(self, index, made)) {
      self->all_count = made;
      return false;
    }
    self->starts[index] = made;
    self->start_ops[index] = op;
    agpu__map_set(fused, op.ptr, 0);
    return true;
  }
  return false;
}

bool agpu__linalg_has_plain_body(MlirOperation op, bool in_vectors) {
  MlirBlock body = agpu__entry_block(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (MlirOperation at = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(at, yield); at = mlirOperationGetNextInBlock(at)) {
    if (mlirOperationGetNumRegions(at) || mlirOperationGetNumResults(at) != 1 ||
        !(agpu__op_in_dialect(at, "arith") ||
          (!in_vectors && agpu__op_in_dialect(at, "math"))))
      return false;
  }
  return true;
}

/// True if the ops that use `memref` are `op`, `start`, `finish`, and those
/// that free it.
static bool is_between(MlirValue memref, MlirOperation op, MlirOperation start,
                       MlirOperation finish) {
  AGPU__USES_FOREACH (use, memref) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, op) && !mlirOperationEqual(user, finish) &&
        (mlirOperationIsNull(start) || !mlirOperationEqual(user, start)) &&
        !agpu__op_is(user, "memref.dealloc"))
      return false;
  }
  return true;
}

/// True if `op` is an elementwise op of what `self` gives that its kernel may
/// end with.
static bool is_finish(const agpu__linalg_op *self, MlirOperation op,
                      bool in_vectors) {
  intptr_t index = self->input_count;
  MlirValue memref = self->operands[index].value;
  // Of a view's memory there are other users.
  if (!agpu__linalg_is_allocated(memref) || !agpu__linalg_is_pointwise(op) ||
      !agpu__linalg_has_plain_body(op, in_vectors) ||
      !is_between(memref, self->op, self->start_ops[index], op) ||
      self->all_count + mlirOperationGetNumOperands(op) >
          AGPU_LINALG_ALL_OPERANDS)
    return false;
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue to = mlirOperationGetOperand(op, count - 1);
  if (!agpu__linalg_is_allocated(to) || mlirValueEqual(to, memref) ||
      !is_apart(self->op, memref, to) || !is_apart(op, to, to))
    return false;
  bool reads = false;
  for (intptr_t i = 0; i + 1 < count; ++i) {
    if (!mlirValueEqual(mlirOperationGetOperand(op, i), memref))
      continue;
    if (!mlirAffineMapIsIdentity(map_of(op, i)))
      return false;
    reads = true;
  }
  intptr_t start = self->starts[index];
  if (reads && start >= 0 && self->operands[start].is_memref)
    reads = is_apart(self->start_ops[index], memref, to);
  return reads;
}

/// Moves what stands between both and is no end of memory in front of `op`.
static void move_between(MlirOperation op, MlirOperation until) {
  MlirOperation at = mlirOperationGetNextInBlock(op);
  while (!mlirOperationEqual(at, until)) {
    MlirOperation next = mlirOperationGetNextInBlock(at);
    if (!agpu__op_is(at, "memref.dealloc"))
      mlirOperationMoveBefore(at, op);
    at = next;
  }
}

static void find_finish(agpu__linalg_op *self, bool in_vectors,
                        agpu__map *fused) {
  MlirOperation op = mlirOperationGetNextInBlock(self->op);
  while (!mlirOperationIsNull(op) && (agpu__linalg_touches_nothing(op) ||
                                      agpu__op_is(op, "memref.dealloc")))
    op = mlirOperationGetNextInBlock(op);
  if (mlirOperationIsNull(op) || agpu__linalg_is_fused(fused, op) ||
      !is_finish(self, op, in_vectors))
    return;
  intptr_t before = self->all_count, index = self->input_count;
  bool fits = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    intptr_t made = add_operand(self, mlirOperationGetOperand(op, i),
                                by_loops_of(self, index, map_of(op, i)));
    fits &= !in_vectors || goes_in_vectors(self, index, made);
  }
  if (!fits) {
    self->all_count = before;
    return;
  }
  self->finish = op;
  self->finish_first = before;
  agpu__map_set(fused, op.ptr, 0);
  move_between(self->op, op);
}

void agpu__linalg_fuse(agpu__linalg_op *op, bool in_vectors, agpu__map *fused) {
  bool reduces = false;
  for (intptr_t i = 0; i < op->loop_count; ++i)
    reduces |= op->is_reduction[i];
  if (!reduces)
    return;
  for (intptr_t i = op->input_count; i < op->operand_count; ++i)
    agpu__linalg_find_start(op, i, in_vectors, fused);
  if (op->operand_count == op->input_count + 1)
    find_finish(op, in_vectors, fused);
}
