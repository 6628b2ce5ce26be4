//===- fused.c - Ops of linalg in the kernels of others -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words of IR of what find_fused.c has found, where a kernel begins with
// elements of its result and where it has them.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "mlir-c/AffineExpr.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void agpu__linalg_print_type(const char *element, int count, agpu__text *out) {
  if (count)
    agpu__text_printf(out, "vector<%dx%s>", count, element);
  else
    agpu__text_puts(out, element);
}

char *agpu__linalg_type_text(const char *element, int count) {
  agpu__text text = {0};
  agpu__linalg_print_type(element, count, &text);
  return agpu__text_take(&text);
}

void agpu__linalg_print_element_types(const agpu__linalg_op *op, intptr_t first,
                                      intptr_t end, int count,
                                      agpu__text *out) {
  for (intptr_t i = first; i < end; ++i) {
    AGPU__OWNED char *type = agpu__linalg_element(&op->operands[i]);
    agpu__text_puts(out, i > first ? ", " : "");
    agpu__linalg_print_type(type, count, out);
  }
}

void agpu__linalg_print_elements(const agpu__linalg_op *op, intptr_t operand,
                                 intptr_t loop, const char *to, int count,
                                 agpu__text *out) {
  const agpu__linalg_operand *from = &op->operands[operand];
  AGPU__OWNED char *type = agpu__linalg_element(from);
  bool differ = count && agpu__linalg_is_indexed_by(from, loop);
  if (from->is_memref && (differ || !count)) {
    agpu__linalg_print_wide_access(op, operand, to, count, false, out);
  } else if (!count) {
    // Another name of the same.
    agpu__text_printf(out,
                      "%%%s = builtin.unrealized_conversion_cast %%m%d : %s to "
                      "%s\n",
                      to, (int)operand, type, type);
  } else {
    char *one = agpu__format("m%d", (int)operand);
    if (from->is_memref) {
      free(one);
      one = agpu__format("one_%s", to);
      agpu__linalg_print_wide_access(op, operand, one, 0, false, out);
    }
    agpu__text_printf(out, "%%%s = vector.broadcast %%%s : %s to ", to, one,
                      type);
    agpu__linalg_print_type(type, count, out);
    agpu__text_puts(out, "\n");
    free(one);
  }
}

void agpu__linalg_print_start(const agpu__linalg_op *op, intptr_t index,
                              const char *to, int count, agpu__text *out) {
  if (op->starts[index] < 0)
    agpu__linalg_print_wide_access(op, index, to, count, false, out);
  else
    agpu__linalg_print_elements(op, op->starts[index],
                                agpu__linalg_last_loop(&op->operands[index]),
                                to, count, out);
}

/// Appends the types of the operands of the last op's body, and its result's.
static void print_finish_types(const agpu__linalg_op *op, int count,
                               agpu__text *out) {
  intptr_t first = op->finish_first;
  intptr_t result = first + mlirOperationGetNumOperands(op->finish) - 1;
  agpu__text_puts(out, "(");
  agpu__linalg_print_element_types(op, first, result, count, out);
  agpu__text_puts(out, ") -> ");
  agpu__linalg_print_element_types(op, result, result + 1, count, out);
  agpu__text_puts(out, "\n");
}

void agpu__linalg_print_finish(const agpu__linalg_op *op, intptr_t index,
                               const char *from, int count, agpu__text *out) {
  if (mlirOperationIsNull(op->finish)) {
    agpu__linalg_print_wide_access(op, index, from, count, true, out);
    return;
  }
  intptr_t inputs = mlirOperationGetNumOperands(op->finish) - 1;
  AGPU__SCOPED(text) call = {0};
  for (intptr_t i = 0; i < inputs; ++i) {
    intptr_t operand = op->finish_first + i;
    bool is_own =
        mlirValueEqual(op->operands[operand].value, op->operands[index].value);
    AGPU__OWNED char *name =
        is_own ? agpu__format("%s", from) : agpu__format("beside%d", (int)i);
    if (!is_own)
      agpu__linalg_print_elements(op, operand,
                                  agpu__linalg_last_loop(&op->operands[index]),
                                  name, count, out);
    agpu__text_printf(&call, "%s%%%s", i ? ", " : "", name);
  }
  agpu__text_printf(out,
                    "%%done = func.call @finish(%s) : ", agpu__text_get(&call));
  print_finish_types(op, count, out);
  agpu__linalg_print_wide_access(op, op->finish_first + inputs, "done", count,
                                 true, out);
}

void agpu__linalg_declare_finish(const agpu__linalg_op *op, int count,
                                 agpu__text *out) {
  if (mlirOperationIsNull(op->finish))
    return;
  agpu__text_puts(out, "func.func private @finish");
  print_finish_types(op, count, out);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// `type`, or vectors of it as wide as `like`.
static MlirType widen(MlirType type, MlirType like) {
  int64_t count =
      mlirTypeIsAVector(like) ? mlirShapedTypeGetDimSize(like, 0) : 0;
  return count && !mlirTypeIsAVector(type) ? mlirVectorTypeGet(1, &count, type)
                                           : type;
}

/// What `value` of the body is at `at`: one of `to` where it is one of `from`.
static MlirValue find_made(agpu__builder *at, const agpu__values *from,
                           const agpu__values *to, MlirValue value,
                           MlirType like) {
  for (size_t i = 0; i < from->count; ++i)
    if (mlirValueEqual(from->data[i], value))
      return to->data[i];
  MlirType type = widen(mlirValueGetType(value), like);
  return mlirTypeEqual(type, mlirValueGetType(value))
             ? value
             : agpu__build_unary(at, "vector.broadcast", value, type);
}

MlirValue agpu__linalg_build_body(agpu__builder *at, MlirOperation op,
                                  MlirOperation call) {
  MlirBlock body = agpu__entry_block(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirType like = mlirValueGetType(agpu__result(call, 0));
  AGPU__SCOPED(values) from = {0}, to = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    agpu__values_push(&from, mlirBlockGetArgument(body, i));
    agpu__values_push(&to, mlirOperationGetOperand(call, i));
  }
  for (MlirOperation next = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(next, yield);
       next = mlirOperationGetNextInBlock(next)) {
    MlirOperation own = mlirOperationClone(next);
    MlirValue result = agpu__result(own, 0);
    intptr_t operands = mlirOperationGetNumOperands(own);
    for (intptr_t i = 0; i < operands; ++i)
      mlirOperationSetOperand(
          own, i,
          find_made(at, &from, &to, mlirOperationGetOperand(next, i), like));
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(at->before),
                                        at->before, own);
    if (operands)
      mlirValueSetType(result, widen(mlirValueGetType(result), like));
    else
      result = find_made(at, &from, &to, result, like);
    agpu__values_push(&from, agpu__result(next, 0));
    agpu__values_push(&to, result);
  }
  return find_made(at, &from, &to, mlirOperationGetOperand(yield, 0), like);
}
