//===- linalg_op.c - What an op of linalg says ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads indexing maps and shapes, and writes what several kinds of kernels have
// in common: the sizes of loops, iterations from numbers, subscripts.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

#include <inttypes.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool read_operands(agpu__linalg_op *self, MlirAttribute maps) {
  MlirAttribute segments = agpu__attr(self->op, "operandSegmentSizes");
  if (mlirAttributeIsNull(maps) || mlirAttributeIsNull(segments))
    return false;
  self->operand_count = mlirOperationGetNumOperands(self->op);
  self->input_count = mlirDenseI32ArrayGetElement(segments, 0);
  if (!self->operand_count || self->operand_count > AGPU_LINALG_OPERANDS ||
      self->operand_count != mlirArrayAttrGetNumElements(maps) ||
      mlirOperationGetNumResults(self->op))
    return false;
  for (intptr_t i = 0; i < self->operand_count; ++i) {
    agpu__linalg_operand *operand = &self->operands[i];
    operand->value = mlirOperationGetOperand(self->op, i);
    operand->map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    MlirType type = mlirValueGetType(operand->value);
    operand->is_memref = mlirTypeIsAMemRef(type);
    if (operand->is_memref
            ? !mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type))
            : mlirTypeIsAShaped(type))
      return false;
  }
  return true;
}

/// Notes what the operand's shape says of loops.
static void read_sizes(agpu__linalg_op *self, intptr_t index) {
  const agpu__linalg_operand *operand = &self->operands[index];
  if (!operand->is_memref)
    return;
  MlirType type = mlirValueGetType(operand->value);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(operand->map); ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(operand->map, i);
    if (!mlirAffineExprIsADim(expr))
      continue;
    intptr_t loop = mlirAffineDimExprGetPosition(expr);
    if (self->size_operand[loop] >= 0 && self->sizes[loop] >= 0)
      continue;
    self->size_operand[loop] = index;
    self->size_dimension[loop] = i;
    self->sizes[loop] = mlirShapedTypeIsDynamicDim(type, i)
                            ? -1
                            : mlirShapedTypeGetDimSize(type, i);
  }
}

bool agpu__linalg_is_indexed_by(const agpu__linalg_operand *operand,
                                intptr_t loop) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(operand->map); ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(operand->map, i),
                                      loop))
      return true;
  return false;
}

intptr_t agpu__linalg_last_loop(const agpu__linalg_operand *operand) {
  intptr_t rank = mlirAffineMapGetNumResults(operand->map);
  MlirAffineExpr last = {NULL};
  if (rank)
    last = mlirAffineMapGetResult(operand->map, rank - 1);
  return rank && mlirAffineExprIsADim(last) ? mlirAffineDimExprGetPosition(last)
                                            : -1;
}

int agpu__linalg_element_bits(const agpu__linalg_operand *operand) {
  MlirType type =
      mlirShapedTypeGetElementType(mlirValueGetType(operand->value));
  return mlirTypeIsAInteger(type) ? (int)mlirIntegerTypeGetWidth(type)
         : mlirTypeIsAFloat(type) ? (int)mlirFloatTypeGetWidth(type)
                                  : 64;
}

bool agpu__linalg_has_neighbours(const agpu__linalg_operand *operand,
                                 intptr_t loop) {
  intptr_t rank = mlirAffineMapGetNumResults(operand->map);
  if (!operand->is_memref || !rank ||
      !mlirAffineMapIsIdentity(
          mlirMemRefTypeGetAffineMap(mlirValueGetType(operand->value))))
    return false;
  // Elements of less than a byte are neighbours with gaps.
  if (agpu__linalg_element_bits(operand) % 8)
    return false;
  for (intptr_t i = 0; i + 1 < rank; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(operand->map, i),
                                      loop))
      return false;
  // d + what does not depend on it.
  MlirAffineExpr expr = mlirAffineMapGetResult(operand->map, rank - 1);
  while (mlirAffineExprIsAAdd(expr)) {
    MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expr);
    MlirAffineExpr right = mlirAffineBinaryOpExprGetRHS(expr);
    bool in_left = mlirAffineExprIsFunctionOfDim(left, loop);
    if (in_left && mlirAffineExprIsFunctionOfDim(right, loop))
      return false;
    expr = in_left ? left : right;
  }
  return mlirAffineExprIsADim(expr) &&
         mlirAffineDimExprGetPosition(expr) == loop;
}

bool agpu__linalg_read(MlirOperation op, agpu__linalg_op *out) {
  *out = (agpu__linalg_op){.op = op};
  if (mlirOperationGetNumRegions(op) != 1 ||
      !read_operands(out, mlirLinalgGetIndexingMapsAttribute(op)))
    return false;
  out->loop_count = mlirAffineMapGetNumDims(out->operands[0].map);
  if (out->loop_count > AGPU_LINALG_LOOPS)
    return false;
  // Nothing is reduced where nothing is written: iterations assert something.
  bool writes = out->input_count < out->operand_count;
  for (intptr_t i = 0; i < out->loop_count; ++i) {
    out->size_operand[i] = out->sizes[i] = -1;
    out->is_reduction[i] = writes;
  }
  for (intptr_t i = 0; i < out->operand_count; ++i)
    read_sizes(out, i);
  for (intptr_t i = 0; i < out->loop_count; ++i)
    if (out->size_operand[i] < 0)
      return false;
  for (intptr_t i = out->input_count; i < out->operand_count; ++i) {
    const agpu__linalg_operand *output = &out->operands[i];
    if (!output->is_memref)
      return false;
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(output->map); ++k) {
      MlirAffineExpr expr = mlirAffineMapGetResult(output->map, k);
      if (mlirAffineExprIsADim(expr))
        out->is_reduction[mlirAffineDimExprGetPosition(expr)] = false;
      else if (!mlirAffineExprIsAConstant(expr))
        return false;
    }
  }
  // Iterations of a loop that one output lacks and another has meet there.
  for (intptr_t i = out->input_count; i < out->operand_count; ++i)
    for (intptr_t loop = 0; loop < out->loop_count; ++loop)
      if (!out->is_reduction[loop] &&
          !agpu__linalg_is_indexed_by(&out->operands[i], loop) &&
          out->sizes[loop] != 1)
        return false;
  for (intptr_t i = 0; i < out->operand_count; ++i)
    out->starts[i] = -1;
  out->all_count = out->operand_count;
  out->body = agpu__entry_block(op);
  return true;
}

char *agpu__linalg_element(const agpu__linalg_operand *operand) {
  MlirType type = mlirValueGetType(operand->value);
  return agpu__type_text(operand->is_memref ? mlirShapedTypeGetElementType(type)
                                            : type);
}

int64_t agpu__linalg_product(const agpu__linalg_op *op,
                             const agpu__linalg_loops *loops) {
  int64_t product = 1;
  for (size_t i = 0; i < loops->count; ++i) {
    if (op->sizes[loops->data[i]] < 0)
      return -1;
    product *= op->sizes[loops->data[i]];
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void agpu__linalg_print_constants(const int64_t *numbers, size_t count,
                                  agpu__text *out) {
  for (int64_t number = 0; number < 2; ++number)
    agpu__text_printf(out,
                      "%%c%" PRId64 " = arith.constant %" PRId64 " : index\n",
                      number, number);
  for (size_t i = 0; i < count; ++i) {
    bool is_new = numbers[i] > 1;
    for (size_t k = 0; k < i; ++k)
      is_new &= numbers[k] != numbers[i];
    if (is_new)
      agpu__text_printf(out,
                        "%%c%" PRId64 " = arith.constant %" PRId64 " : index\n",
                        numbers[i], numbers[i]);
  }
}

void agpu__linalg_print_bound(const char *to, const char *of, const char *limit,
                              bool always, agpu__text *out) {
  if (always)
    agpu__text_printf(out, "%%%s = arith.constant true\n", to);
  else
    agpu__text_printf(out, "%%%s = arith.cmpi ult, %%%s, %%%s : index\n", to,
                      of, limit);
}

void agpu__linalg_print_sizes(const agpu__linalg_op *op, agpu__text *out) {
  for (int i = 0; i < op->loop_count; ++i) {
    if (op->sizes[i] >= 0) {
      agpu__text_printf(out, "%%n%d = arith.constant %" PRId64 " : index\n", i,
                        op->sizes[i]);
      continue;
    }
    AGPU__OWNED char *type = agpu__type_text(
        mlirValueGetType(op->operands[op->size_operand[i]].value));
    agpu__text_printf(out,
                      "%%dim%d = arith.constant %d : index\n"
                      "%%n%d = memref.dim %%m%d, %%dim%d : %s\n",
                      i, (int)op->size_dimension[i], i,
                      (int)op->size_operand[i], i, type);
  }
}

void agpu__linalg_print_product(const char *to, const agpu__linalg_loops *loops,
                                agpu__text *out) {
  if (!loops->count)
    agpu__text_printf(out, "%%%s = arith.constant 1 : index\n", to);
  if (loops->count == 1)
    agpu__text_printf(out, "%%%s = arith.maxui %%n%d, %%n%d : index\n", to,
                      (int)loops->data[0], (int)loops->data[0]);
  for (size_t i = 1; i < loops->count; ++i) {
    bool is_last = i + 1 == loops->count;
    agpu__text_printf(out, "%%%s%s", to, "");
    if (!is_last)
      agpu__text_printf(out, "_%zu", i);
    if (i == 1)
      agpu__text_printf(out, " = arith.muli %%n%d", (int)loops->data[0]);
    else
      agpu__text_printf(out, " = arith.muli %%%s_%zu", to, i - 1);
    agpu__text_printf(out, ", %%n%d : index\n", (int)loops->data[i]);
  }
}

void agpu__linalg_print_split(const char *from, const agpu__linalg_loops *loops,
                              agpu__text *out) {
  // Of the slowest loop what is left, without a remainder.
  for (size_t i = loops->count; i-- > 0;) {
    int loop = (int)loops->data[i];
    AGPU__OWNED char *rest = i + 1 == loops->count
                                 ? agpu__format("%s", from)
                                 : agpu__format("%s_%zu", from, i + 1);
    if (i == 0)
      agpu__text_printf(out, "%%d%d = arith.addi %%%s, %%c0 : index\n", loop,
                        rest);
    else
      agpu__text_printf(out,
                        "%%d%d = arith.remui %%%s, %%n%d : index\n"
                        "%%%s_%zu = arith.divui %%%s, %%n%d : index\n",
                        loop, rest, loop, from, i, rest, loop);
  }
}

static void print_loop(const agpu__linalg_op *op, intptr_t loop,
                       agpu__text *out) {
  agpu__text_printf(out, "%%d%d%s", (int)loop,
                    loop + 1 == op->loop_count ? op->tag : "");
}

/// Appends "affine_map<(d0, d1) -> (d0 + d1)>(%d0, %d1)" of one result.
static void print_applied(const agpu__linalg_op *op, MlirAffineMap map,
                          intptr_t result, agpu__text *out) {
  MlirAffineMap one = mlirAffineMapGetSubMap(map, 1, &result);
  agpu__text_puts(out, "affine_map<");
  mlirAffineMapPrint(one, agpu__text_callback, out);
  agpu__text_puts(out, ">(");
  // A loop that it does not depend on may not have begun.
  MlirAffineExpr expr = mlirAffineMapGetResult(map, result);
  for (int i = 0; i < mlirAffineMapGetNumDims(map); ++i) {
    agpu__text_puts(out, i ? ", " : "");
    if (mlirAffineExprIsFunctionOfDim(expr, i))
      print_loop(op, i, out);
    else
      agpu__text_puts(out, "%c0");
  }
  agpu__text_puts(out, ")");
}

void agpu__linalg_print_wide_access(const agpu__linalg_op *op, intptr_t index,
                                    const char *to, int count, bool is_store,
                                    agpu__text *out) {
  const agpu__linalg_operand *operand = &op->operands[index];
  AGPU__SCOPED(text) subscript = {0};
  for (int i = 0; i < mlirAffineMapGetNumResults(operand->map); ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(operand->map, i);
    agpu__text_puts(&subscript, i ? ", " : "");
    if (mlirAffineExprIsADim(expr)) {
      print_loop(op, mlirAffineDimExprGetPosition(expr), &subscript);
      continue;
    }
    AGPU__OWNED char *name = agpu__format("%s%d_%d%s", is_store ? "to" : "at",
                                          (int)index, i, op->tag);
    agpu__text_printf(out, "%%%s = affine.apply ", name);
    print_applied(op, operand->map, i, out);
    agpu__text_puts(out, "\n");
    agpu__text_printf(&subscript, "%%%s", name);
  }
  AGPU__OWNED char *type = agpu__type_text(mlirValueGetType(operand->value));
  AGPU__OWNED char *element = agpu__linalg_element(operand);
  AGPU__OWNED char *wide = count
                               ? agpu__format(", vector<%dx%s>", count, element)
                               : agpu__format("%s", "");
  const char *dialect = count ? "vector" : "memref";
  if (is_store)
    agpu__text_printf(out, "%s.store %%%s, %%m%d[%s] : %s%s\n", dialect, to,
                      (int)index, agpu__text_get(&subscript), type, wide);
  else
    agpu__text_printf(out, "%%%s = %s.load %%m%d[%s] : %s%s\n", to, dialect,
                      (int)index, agpu__text_get(&subscript), type, wide);
}

void agpu__linalg_print_access(const agpu__linalg_op *op, intptr_t index,
                               const char *to, bool is_store, agpu__text *out) {
  agpu__linalg_print_wide_access(op, index, to, 0, is_store, out);
}
