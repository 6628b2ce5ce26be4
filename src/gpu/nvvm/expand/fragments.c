//===- fragments.c - Elements of matrices that a warp holds ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on the elements that a lane has of a gpu.mma_matrix, for which upstream's
// conversion has nothing, or ends the process: element by element on the
// registers that the conversion makes of the type, between casts that it folds.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARP_SIZE = 32, MOST_ELEMENTS = 32 };

/// What a lane has of a matrix.
typedef struct fragment {
  MlirType type;            ///< of the registers together, as upstream makes it
  MlirType reg;             ///< of one
  MlirType packed;          ///< what a register is for its elements
  MlirType element;         ///< of the dialect: i8, f16, ...
  int registers, each;      ///< elements of a register
  bool is_signed, is_alone; ///< not in a structure
  bool repeats;             ///< elements may be there more than once
} fragment;

static bool find_fragment(MlirType matrix, fragment *out) {
  AGPU__OWNED char *text = agpu__type_text(matrix);
  char element[8] = "", operand = 0;
  int rows = 0, columns = 0;
  bool parsed = sscanf(text, "!gpu.mma_matrix<%dx%dx%7[a-z0-9], \"%c", &rows,
                       &columns, element, &operand) == 4;
  if (!parsed)
    return false;
  MlirContext context = mlirTypeGetContext(matrix);
  bool is_sum = operand == 'C', small = strstr(element, "i8") != NULL;
  bool is_half = !strcmp(element, "f16"), is_f32 = !strcmp(element, "f32");
  int count = rows * columns / WARP_SIZE;
  *out =
      (fragment){.each = is_half ? 2
                         : small ? 4
                                 : 1,
                 .is_signed = element[0] == 's',
                 .element = agpu__parse_type(context, small ? "i8" : element),
                 .repeats = is_half && !is_sum};
  out->reg = is_half ? agpu__parse_type(context, "vector<2xf16>")
             : small || (is_f32 && !is_sum) ? agpu__i32_type(context)
                                            : out->element;
  out->packed = is_half ? out->reg
                : small ? agpu__parse_type(context, "vector<4xi8>")
                        : out->element;
  out->registers = out->repeats ? 8 : count / out->each;
  out->is_alone = !is_sum && !strcmp(element, "f64");
  MlirType members[MOST_ELEMENTS];
  for (int i = 0; i < out->registers; ++i)
    members[i] = out->reg;
  out->type = out->is_alone ? out->reg
                            : mlirLLVMStructTypeLiteralGet(
                                  context, out->registers, members, false);
  return true;
}

static MlirValue cast(agpu__builder *at, MlirValue value, MlirType type) {
  return agpu__build_unary(at, "builtin.unrealized_conversion_cast", value,
                           type);
}

/// Register i, as its elements.
static MlirValue take(agpu__builder *at, const fragment *self, MlirValue all,
                      int i) {
  MlirValue value =
      self->is_alone ? all : agpu__llvm_extract(at, all, self->reg, i);
  return mlirTypeEqual(self->reg, self->packed)
             ? value
             : agpu__build_unary(at, "llvm.bitcast", value, self->packed);
}

static MlirValue put(agpu__builder *at, const fragment *self, MlirValue all,
                     int i, MlirValue value) {
  if (!mlirTypeEqual(self->reg, self->packed))
    value = agpu__build_unary(at, "llvm.bitcast", value, self->reg);
  return self->is_alone ? value : agpu__llvm_insert(at, all, value, i);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Upstream has the others: addf, mulf, divf.
static const struct kind {
  const char *name, *op;
  int operands;
} kinds[] = {
    {" subf>", "llvm.fsub", 2},         {" negatef>", "llvm.fneg", 1},
    {" addi>", "llvm.add", 2},          {" subi>", "llvm.sub", 2},
    {" muli>", "llvm.mul", 2},          {" divs>", "llvm.sdiv", 2},
    {" divu>", "llvm.udiv", 2},         {" negates>", "llvm.sub", 1},
    {" maxf>", "llvm.intr.maximum", 2}, {" minf>", "llvm.intr.minimum", 2},
};

static MlirLogicalResult expand_elementwise(MlirOperation op) {
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(agpu__attr(op, "opType"), agpu__text_callback, &text);
  const struct kind *kind = NULL;
  for (size_t i = 0; i < AGPU__COUNT(kinds); ++i)
    if (strstr(agpu__text_get(&text), kinds[i].name))
      kind = &kinds[i];
  bool extends = strstr(agpu__text_get(&text), " extf>") != NULL;
  if (extends)
    return agpu__error(mlirOperationGetLocation(op),
                       "'extf' of a matrix cannot be expressed: PTX does not "
                       "say that a lane has the same elements of matrices of "
                       "f16 and of f32; store it, and load it as f32");
  fragment self;
  MlirValue result = agpu__result(op, 0);
  if (!kind || !find_fragment(mlirValueGetType(result), &self))
    return mlirLogicalResultSuccess();
  agpu__builder at = agpu__builder_before(op);
  MlirValue operands[2], all = agpu__llvm_undef(&at, self.type);
  for (int o = 0; o < kind->operands; ++o)
    operands[o] = cast(&at, mlirOperationGetOperand(op, o), self.type);
  for (int i = 0; i < self.registers; ++i) {
    MlirValue values[2];
    for (int o = 0; o < kind->operands; ++o)
      values[o] = take(&at, &self, operands[o], i);
    size_t count = (size_t)kind->operands;
    if (!strcmp(kind->name, " negates>")) {
      values[1] = values[0];
      values[0] =
          agpu__build_value(&at, "llvm.mlir.zero", NULL, 0, self.packed);
      count = 2;
    }
    all = put(&at, &self, all, i,
              agpu__build_value(&at, kind->op, values, count, self.packed));
  }
  mlirValueReplaceAllUsesOfWith(result,
                                cast(&at, all, mlirValueGetType(result)));
  mlirOperationDestroy(op);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// Element e of the lane's.
static MlirValue get_element(agpu__builder *at, const fragment *self,
                             MlirValue all, int e) {
  MlirValue reg = take(at, self, all, e / self->each);
  if (self->each == 1)
    return reg;
  MlirValue operands[] = {reg, agpu__llvm_i32(at, e % self->each)};
  return agpu__build_value(at, "llvm.extractelement", operands, 2,
                           self->element);
}

static MlirValue set_element(agpu__builder *at, const fragment *self,
                             MlirValue all, int e, MlirValue value) {
  if (self->each > 1) {
    MlirValue operands[] = {take(at, self, all, e / self->each), value,
                            agpu__llvm_i32(at, e % self->each)};
    value =
        agpu__build_value(at, "llvm.insertelement", operands, 3, self->packed);
  }
  return put(at, self, all, e / self->each, value);
}

static MlirValue is_index(agpu__builder *at, MlirValue index, int e) {
  return agpu__build_compare(at, "arith.cmpi", AGPU__EQUAL, index,
                             agpu__index_constant(at, e));
}

/// gpu.subgroup_mma_extract_thread_local MATRIX[INDEX], and ..._insert_...
/// VALUE, MATRIX[INDEX]: an index may be any, so all elements are looked at.
static MlirLogicalResult expand_element(MlirOperation op, bool inserts) {
  MlirValue matrix = mlirOperationGetOperand(op, inserts ? 1 : 0);
  intptr_t first = inserts ? 2 : 1;
  fragment self;
  if (!find_fragment(mlirValueGetType(matrix), &self))
    return mlirLogicalResultSuccess();
  if (self.repeats)
    return agpu__error(
        mlirOperationGetLocation(op),
        "elements of A and B of f16 cannot be told apart: PTX lets lanes have "
        "them more than once; store the matrix instead");
  if (mlirOperationGetNumOperands(op) != first + 1)
    return agpu__error(mlirOperationGetLocation(op),
                       "an element of a lane has one index");
  agpu__builder at = agpu__builder_before(op);
  MlirValue index = mlirOperationGetOperand(op, first);
  MlirValue all = cast(&at, matrix, self.type), result = agpu__result(op, 0);
  MlirType outer =
      mlirValueGetType(inserts ? mlirOperationGetOperand(op, 0) : result);
  int count = self.registers * self.each;
  MlirValue value = {NULL};
  if (inserts) {
    value = mlirOperationGetOperand(op, 0);
    if (!mlirTypeEqual(outer, self.element))
      value = cast(&at, value, self.element);
  }
  for (int e = 0; e < count; ++e) {
    MlirValue old = get_element(&at, &self, all, e);
    MlirValue here = is_index(&at, index, e);
    if (inserts)
      all = set_element(&at, &self, all, e,
                        agpu__llvm_select(&at, here, value, old));
    else
      value = e ? agpu__llvm_select(&at, here, old, value) : old;
  }
  if (inserts)
    value = cast(&at, all, mlirValueGetType(result));
  else if (!mlirTypeEqual(outer, self.element))
    value = cast(&at, value, outer);
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__expand_fragments(MlirOperation gpu_module) {
  static const char *const names[] = {"gpu.subgroup_mma_elementwise",
                                      "gpu.subgroup_mma_extract_thread_local",
                                      "gpu.subgroup_mma_insert_thread_local"};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (int n = 0; n < 3; ++n) {
    AGPU__OPS_IN_FOREACH (op, gpu_module, names[n])
      if (mlirLogicalResultIsFailure(n == 0 ? expand_elementwise(op)
                                            : expand_element(op, n == 2)))
        result = mlirLogicalResultFailure();
  }
  return result;
}
