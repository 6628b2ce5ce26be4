//===- replace.c - Kernels in place of ops of linalg ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the text of a kernel where its op stands. What stands in the op's body
// moves into it; of an op that finishes it, it is built as often as it is asked
// for, of numbers or vectors.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "lower/ir/template.h"

#include <stdlib.h>

/// Appends the types of the body's parameters and results.
static void print_payload_types(const agpu__linalg_op *op, agpu__text *out) {
  agpu__text_puts(out, "(");
  agpu__linalg_print_element_types(op, 0, op->operand_count, 0, out);
  for (intptr_t i = 0; i < op->loop_count; ++i)
    agpu__text_puts(out, i || op->operand_count ? ", index" : "index");
  agpu__text_puts(out, ") -> (");
  agpu__linalg_print_element_types(op, op->input_count, op->operand_count, 0,
                                   out);
  agpu__text_puts(out, ")\n");
}

void agpu__linalg_print_term_types(const agpu__linalg_op *op, int count,
                                   agpu__text *out) {
  intptr_t end = op->operand_count;
  agpu__text_puts(out, "(");
  agpu__linalg_print_element_types(op, 0, end, count, out);
  agpu__text_puts(out, ") -> ");
  agpu__linalg_print_element_types(op, end - 1, end, count, out);
  agpu__text_puts(out, "\n");
}

void agpu__linalg_print_payload(const agpu__linalg_op *op, agpu__text *out) {
  int results = (int)(op->operand_count - op->input_count);
  if (results)
    agpu__text_printf(out, "%%r:%d = ", results);
  agpu__text_puts(out, "func.call @payload(");
  for (int i = 0; i < op->operand_count; ++i)
    agpu__text_printf(out, "%s%%v%d", i ? ", " : "", i);
  for (int i = 0; i < op->loop_count; ++i)
    agpu__text_printf(out, ", %%d%d", i);
  agpu__text_puts(out, ") : ");
  print_payload_types(op, out);
}

/// Moves the body of the op in front of `call`, or builds it or that of the op
/// that finishes it there.
static void fill_payload(agpu__builder *at, const char *place,
                         MlirOperation call, MlirValue *out_results,
                         void *data) {
  const agpu__linalg_op *op = data;
  if (strcmp(place, "payload")) {
    bool is_finish = !strcmp(place, "finish");
    out_results[0] =
        agpu__linalg_build_body(at, is_finish ? op->finish : op->op, call);
    return;
  }
  for (intptr_t i = 0; i < op->operand_count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(op->body, i),
                                  mlirOperationGetOperand(call, i));
  AGPU__SCOPED(ops) indices = {0};
  agpu__collect(op->op, "linalg.index", &indices);
  for (size_t i = 0; i < indices.count; ++i) {
    intptr_t loop = (intptr_t)agpu__get_int(indices.data[i], "dim", 0);
    agpu__replace_op_by_value(
        indices.data[i],
        mlirOperationGetOperand(call, op->operand_count + loop));
  }
  MlirOperation yield = mlirBlockGetTerminator(op->body);
  agpu__move_ops(at, mlirBlockGetFirstOperation(op->body), yield);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    out_results[i] = mlirOperationGetOperand(yield, i);
}

/// Declares places for the body, of numbers and of vectors.
static void declare_terms(const agpu__linalg_op *op, agpu__text *out) {
  agpu__text_puts(out, "func.func private @term");
  agpu__linalg_print_term_types(op, 0, out);
  agpu__text_puts(out, "func.func private @terms");
  agpu__linalg_print_term_types(op, op->terms, out);
}

MlirLogicalResult agpu__linalg_replace(const agpu__linalg_op *op,
                                       const char *body, int count) {
  MlirValue extra[AGPU_LINALG_ALL_OPERANDS];
  intptr_t extra_count = op->all_count - op->operand_count;
  for (intptr_t i = 0; i < extra_count; ++i)
    extra[i] = op->operands[op->operand_count + i].value;
  AGPU__SCOPED(text) text = {0};
  agpu__linalg_declare_finish(op, count, &text);
  if (op->terms)
    declare_terms(op, &text);
  agpu__text_puts(&text, "func.func private @payload");
  print_payload_types(op, &text);
  agpu__text_puts(&text, "func.func @kernel(");
  for (int i = 0; i < op->all_count; ++i) {
    AGPU__OWNED char *type =
        agpu__type_text(mlirValueGetType(op->operands[i].value));
    agpu__text_printf(&text, "%s%%m%d: %s", i ? ", " : "", i, type);
  }
  agpu__text_printf(&text, ") {\n%sreturn\n}\n", body);
  agpu__template template = {.file = "linalg",
                             .function = "kernel",
                             .text = agpu__text_get(&text),
                             .fill = fill_payload,
                             .data = (void *)(uintptr_t)op};
  MlirLogicalResult result =
      agpu__template_replace(op->op, &template, extra, (size_t)extra_count);
  if (mlirLogicalResultIsFailure(result))
    return result;
  for (intptr_t i = op->input_count; i < op->operand_count; ++i)
    if (!mlirOperationIsNull(op->start_ops[i]))
      mlirOperationDestroy(op->start_ops[i]);
  if (!mlirOperationIsNull(op->finish))
    mlirOperationDestroy(op->finish);
  return result;
}
