//===- ops.c - Asking and collecting ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all passes ask of MLIR's C API, which knows ops by their names. A walk
// leaves the IR alone; a caller that changes it collects first.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ops.h"

#include "lower/ir/ir.h"
#include "lower/ir/text.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool agpu__op_is_any(MlirOperation op, const char *names) {
  return !mlirOperationIsNull(op) && agpu__has_word(names, agpu__op_name(op));
}

MlirType agpu__result_type(MlirOperation op) {
  return mlirOperationGetNumResults(op) ? mlirValueGetType(agpu__result(op, 0))
                                        : (MlirType){NULL};
}

void agpu__replace_op_by_value(MlirOperation op, MlirValue value) {
  if (mlirOperationGetNumResults(op))
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), value);
  mlirOperationDestroy(op);
}

bool agpu__has_used_results(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(agpu__result(op, i))))
      return true;
  return false;
}

MlirType agpu__element_of(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

unsigned agpu__number_bits(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

MlirOperation agpu__parent_of(MlirOperation op, const char *name) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && !agpu__op_is(op, name));
  return op;
}

MlirOperation agpu__maker_of(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

bool agpu__is_inside(MlirOperation op, MlirOperation of) {
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, of))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

bool agpu__defined_inside(MlirValue value, MlirOperation of) {
  return agpu__is_inside(
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOperationGetParentOperation(mlirOpResultGetOwner(value)),
      of);
}

MlirOperation agpu__find_in_block(MlirOperation op, MlirBlock block) {
  while (!mlirOperationIsNull(op) &&
         !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

char *agpu__type_text(MlirType type) {
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  return agpu__text_take(&text);
}

bool agpu__type_has_prefix(MlirType type, const char *prefix) {
  AGPU__OWNED char *text = agpu__type_text(type);
  return !strncmp(text, prefix, strlen(prefix));
}

MlirStringRef agpu__get_string(MlirOperation op, const char *name) {
  MlirAttribute attribute = agpu__attr(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringAttrGetValue(attribute);
}

int64_t agpu__get_int(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute attribute = agpu__attr(op, name);
  return mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute)
             ? otherwise
             : mlirIntegerAttrGetValueInt(attribute);
}

//===----------------------------------------------------------------------===//
// Collections
//===----------------------------------------------------------------------===//

void agpu__ops_push(agpu__ops *ops, MlirOperation op) {
  AGPU__GROW(ops->data, ops->count, ops->capacity);
  ops->data[ops->count++] = op;
}

void agpu__ops_free(agpu__ops *ops) {
  free(ops->data);
  memset(ops, 0, sizeof(*ops));
}

void agpu__values_push(agpu__values *values, MlirValue value) {
  AGPU__GROW(values->data, values->count, values->capacity);
  values->data[values->count++] = value;
}

void agpu__values_push_all(agpu__values *values, const agpu__values *others) {
  for (size_t i = 0; i < others->count; ++i)
    agpu__values_push(values, others->data[i]);
}

void agpu__values_push_operands(agpu__values *values, MlirOperation op,
                                intptr_t first) {
  for (intptr_t i = first; i < mlirOperationGetNumOperands(op); ++i)
    agpu__values_push(values, mlirOperationGetOperand(op, i));
}

agpu__values agpu__operands(MlirOperation op, intptr_t first) {
  agpu__values values = {0};
  agpu__values_push_operands(&values, op, first);
  return values;
}

agpu__values agpu__results(MlirOperation op, intptr_t first) {
  agpu__values values = {0};
  for (intptr_t i = first; i < mlirOperationGetNumResults(op); ++i)
    agpu__values_push(&values, agpu__result(op, i));
  return values;
}

agpu__values agpu__arguments(MlirBlock block, intptr_t first) {
  agpu__values values = {0};
  for (intptr_t i = first; i < mlirBlockGetNumArguments(block); ++i)
    agpu__values_push(&values, mlirBlockGetArgument(block, i));
  return values;
}

MlirType *agpu__types_of(const MlirValue *values, size_t count) {
  MlirType *types = agpu__allocate(count + 1, sizeof(*types));
  for (size_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(values[i]);
  return types;
}

void agpu__replace_op(MlirOperation op, const MlirValue *values) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(op, i), values[i]);
  mlirOperationDestroy(op);
}

void agpu__replace_op_by(MlirOperation op, MlirOperation other) {
  AGPU__SCOPED(values) results = agpu__results(other, 0);
  agpu__replace_op(op, results.data);
}

intptr_t agpu__values_find(const agpu__values *values, MlirValue value) {
  for (size_t i = 0; i < values->count; ++i)
    if (mlirValueEqual(values->data[i], value))
      return (intptr_t)i;
  return -1;
}

void agpu__values_free(agpu__values *values) {
  free(values->data);
  memset(values, 0, sizeof(*values));
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

typedef struct {
  MlirOperation root;
  const char *name;
  agpu__ops *ops;
} collect_state;

static MlirWalkResult collect_one(MlirOperation op, void *user_data) {
  collect_state *state = user_data;
  if (!mlirOperationEqual(op, state->root) &&
      (!state->name || agpu__op_is(op, state->name)))
    agpu__ops_push(state->ops, op);
  return MlirWalkResultAdvance;
}

void agpu__collect(MlirOperation root, const char *name, agpu__ops *out_ops) {
  collect_state state = {root, name, out_ops};
  mlirOperationWalk(root, collect_one, &state, MlirWalkPreOrder);
}

agpu__ops agpu__ops_in(MlirOperation root, const char *name) {
  agpu__ops ops = {0};
  agpu__collect(root, name, &ops);
  return ops;
}

typedef struct {
  void (*visit)(MlirOperation op, MlirValue value, void *data);
  void *data;
} value_state;

static MlirWalkResult visit_values(MlirOperation op, void *user_data) {
  const value_state *state = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    state->visit(op, agpu__result(op, i), state->data);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, r))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        state->visit(op, mlirBlockGetArgument(block, i), state->data);
  return MlirWalkResultAdvance;
}

void agpu__each_value(MlirOperation root,
                      void (*visit)(MlirOperation op, MlirValue value,
                                    void *data),
                      void *data) {
  value_state state = {visit, data};
  mlirOperationWalk(root, visit_values, &state, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// Numbers that are known when compiling
//
// Looks at the op that makes a value, and at no other: what can be folded has
// been.
//===----------------------------------------------------------------------===//

bool agpu__known_number(MlirValue value, int64_t *out_number) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirAttribute number = agpu__op_is(op, "arith.constant")
                             ? agpu__attr(op, "value")
                             : mlirAttributeGetNull();
  if (mlirAttributeIsNull(number) || !mlirAttributeIsAInteger(number))
    return false;
  *out_number = mlirIntegerAttrGetValueInt(number);
  return true;
}

bool agpu__known_trip_count(MlirValue lower, MlirValue upper, MlirValue step,
                            int64_t *out_trips) {
  int64_t first, end, by, length;
  if (!agpu__known_number(lower, &first) || !agpu__known_number(upper, &end) ||
      !agpu__known_number(step, &by) || by <= 0 ||
      __builtin_sub_overflow(end, first, &length))
    return false;
  *out_trips = length <= 0 ? 0 : (length - 1) / by + 1;
  return true;
}
