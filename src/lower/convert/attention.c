//===- attention.c - torch-mlir's attention -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tm_tensor.attention`: the softmax of what queries and keys have in common,
// by the root of their length, times the values. Ops of linalg like those of a
// front end, which are fused and mapped like theirs. A row whose mask leaves
// nothing is zeros, as in torch-mlir's own lowering.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct attention {
  MlirOperation op;
  intptr_t batches;
  bool masked;
  char *element;
  char *scores, *rows; ///< types: a number for each key, and for all of them
  agpu__text *out;
} attention;

/// Appends "b0, b1, ..." of the batches, and after them `rest`.
static void print_map(const attention *self, const char *rest) {
  for (int i = 0; i < self->batches; ++i)
    agpu__text_printf(self->out, "b%d, ", i);
  agpu__text_puts(self->out, rest);
}

/// Begins a generic over the batches and `loops`, of which the last is a
/// reduction where `reduces`. `maps` end with NULL; the last is the output's.
static void print_generic(const attention *self, const char *result,
                          const char *loops, int loop_count, bool reduces,
                          const char *const *maps) {
  agpu__text_printf(self->out, "%%%s = linalg.generic {indexing_maps = [",
                    result);
  for (int i = 0; maps[i]; ++i) {
    agpu__text_puts(self->out, i ? ", affine_map<(" : "affine_map<(");
    print_map(self, loops);
    agpu__text_puts(self->out, ") -> (");
    print_map(self, maps[i]);
    agpu__text_puts(self->out, ")>");
  }
  agpu__text_puts(self->out, "], iterator_types = [");
  for (intptr_t i = 0; i < self->batches + loop_count; ++i)
    agpu__text_printf(self->out, "%s\"%s\"", i ? ", " : "",
                      reduces && i + 1 == self->batches + loop_count
                          ? "reduction"
                          : "parallel");
  agpu__text_puts(self->out, "]} ");
}

/// The type of a tensor with the batches, the queries, and the keys if
/// `has_keys`, and %NAME, an empty one.
static char *print_empty(const attention *self, const char *name,
                         bool has_keys) {
  MlirType queries = mlirValueGetType(mlirOperationGetOperand(self->op, 0));
  MlirType keys = mlirValueGetType(mlirOperationGetOperand(self->op, 1));
  agpu__text type = {0}, sizes = {0};
  agpu__text_puts(&type, "tensor<");
  for (int i = 0; i < self->batches + 1 + has_keys; ++i) {
    bool is_keys = i > self->batches;
    int dimension = is_keys ? i - 1 : i;
    MlirType from = is_keys ? keys : queries;
    if (!mlirShapedTypeIsDynamicDim(from, dimension)) {
      agpu__text_printf(&type, "%" PRId64 "x",
                        mlirShapedTypeGetDimSize(from, dimension));
      continue;
    }
    agpu__text_puts(&type, "?x");
    AGPU__OWNED char *text = agpu__type_text(from);
    agpu__text_printf(self->out,
                      "%%%s_c%d = arith.constant %d : index\n"
                      "%%%s_n%d = tensor.dim %%x%d, %%%s_c%d : %s\n",
                      name, i, dimension, name, i, is_keys, name, i, text);
    agpu__text_printf(&sizes, "%s%%%s_n%d", sizes.size ? ", " : "", name, i);
  }
  agpu__text_printf(&type, "%s>", self->element);
  agpu__text_printf(self->out, "%%%s = tensor.empty(%s) : %s\n", name,
                    agpu__text_get(&sizes), agpu__text_get(&type));
  agpu__text_free(&sizes);
  return agpu__text_take(&type);
}

/// The number below all others, as a constant's text; NULL: not for this type.
static const char *lowest(const char *element) {
  static const char *const known[][2] = {{"f16", "0xFBFF"},
                                         {"bf16", "0xFF7F"},
                                         {"f32", "0xFF7FFFFF"},
                                         {"f64", "0xFFEFFFFFFFFFFFFF"}};
  for (size_t i = 0; i < AGPU__COUNT(known); ++i)
    if (strcmp(known[i][0], element) == 0)
      return known[i][1];
  return NULL;
}

/// %scores: what each query and key have in common, by the root of how many
/// numbers they have, and the mask.
static void print_scores(const attention *self, char *const *types) {
  agpu__text *out = self->out;
  const char *e = self->element, *s = self->scores;
  agpu__text_printf(out,
                    "%%zeros = linalg.fill ins(%%zero : %s) outs(%%e : %s) -> "
                    "%s\n",
                    e, s, s);
  static const char *const common[] = {"m, d", "n, d", "m, n", NULL};
  print_generic(self, "common", "m, n, d", 3, true, common);
  agpu__text_printf(
      out,
      "ins(%%x0, %%x1 : %s, %s) outs(%%zeros : %s) {\n"
      "^bb0(%%a: %s, %%b: %s, %%o: %s):\n%%p = arith.mulf %%a, %%b : %s\n"
      "%%t = arith.addf %%o, %%p : %s\nlinalg.yield %%t : %s\n} -> %s\n"
      "%%last = arith.constant %d : index\n"
      "%%length = tensor.dim %%x0, %%last : %s\n"
      "%%length_i = arith.index_cast %%length : index to i64\n"
      "%%length_f = arith.sitofp %%length_i : i64 to %s\n"
      "%%root = math.sqrt %%length_f : %s\n",
      types[0], types[1], s, e, e, e, e, e, e, s, (int)self->batches + 1,
      types[0], e, e);
  static const char *const same[] = {"m, n", "m, n", NULL, NULL};
  static const char *const with_mask[] = {"m, n", "m, n", "m, n", NULL};
  print_generic(self, "scores", "m, n", 2, false,
                self->masked ? with_mask : same);
  if (self->masked)
    agpu__text_printf(out,
                      "ins(%%common, %%x3 : %s, %s) outs(%%e : %s) {\n"
                      "^bb0(%%a: %s, %%b: %s, %%o: %s):\n"
                      "%%q = arith.divf %%a, %%root : %s\n"
                      "%%t = arith.addf %%q, %%b : %s\n",
                      s, types[3], s, e, e, e, e, e);
  else
    agpu__text_printf(out,
                      "ins(%%common : %s) outs(%%e : %s) {\n"
                      "^bb0(%%a: %s, %%o: %s):\n"
                      "%%t = arith.divf %%a, %%root : %s\n",
                      s, s, e, e, e);
  agpu__text_printf(out, "linalg.yield %%t : %s\n} -> %s\n", e, s);
}

/// %TO: of each row of %FROM, begun with %BEGIN.
static void print_reduction(const attention *self, const char *to,
                            const char *from, const char *begin,
                            const char *how) {
  const char *e = self->element;
  agpu__text_printf(self->out,
                    "%%%s_begin = linalg.fill ins(%%%s : %s) outs(%%r : %s) -> "
                    "%s\n",
                    to, begin, e, self->rows, self->rows);
  static const char *const maps[] = {"m, n", "m", NULL};
  print_generic(self, to, "m, n", 2, true, maps);
  agpu__text_printf(self->out,
                    "ins(%%%s : %s) outs(%%%s_begin : %s) {\n"
                    "^bb0(%%a: %s, %%o: %s):\n%%t = %s %%a, %%o : %s\n"
                    "linalg.yield %%t : %s\n} -> %s\n",
                    from, self->scores, to, self->rows, e, e, how, e, e,
                    self->rows);
}

/// %TO: `body` makes %t of each %a of %FROM, and of %b of its row of %ROW.
static void print_by_row(const attention *self, const char *to,
                         const char *from, const char *row, const char *body) {
  const char *e = self->element;
  static const char *const maps[] = {"m, n", "m", "m, n", NULL};
  print_generic(self, to, "m, n", 2, false, maps);
  agpu__text_printf(self->out,
                    "ins(%%%s, %%%s : %s, %s) outs(%%e : %s) {\n"
                    "^bb0(%%a: %s, %%b: %s, %%o: %s):\n%s"
                    "linalg.yield %%t : %s\n} -> %s\n",
                    from, row, self->scores, self->rows, self->scores, e, e, e,
                    body, e, self->scores);
}

static void print_attention(attention *self, char *const *types, int count) {
  agpu__text *out = self->out;
  const char *e = self->element, *result = types[count - 1];
  agpu__text_puts(out, "func.func @attention(");
  for (int i = 0; i < count; ++i)
    agpu__text_printf(out, "%s%%x%d: %s", i ? ", " : "", i, types[i]);
  agpu__text_printf(out,
                    ") -> %s {\n%%zero = arith.constant 0.0 : %s\n"
                    "%%lowest = arith.constant %s : %s\n",
                    result, e, lowest(e), e);
  self->scores = print_empty(self, "e", true);
  self->rows = print_empty(self, "r", false);
  print_scores(self, types);
  print_reduction(self, "most", "scores", "lowest", "arith.maximumf");
  char *body = agpu__format("%%d = arith.subf %%a, %%b : %s\n"
                            "%%t = math.exp %%d : %s\n",
                            e, e);
  print_by_row(self, "powers", "scores", "most", body);
  free(body);
  print_reduction(self, "sum", "powers", "zero", "arith.addf");
  body = agpu__format("%%d = arith.divf %%a, %%b : %s\n"
                      "%%none = arith.cmpf oeq, %%b, %%zero : %s\n"
                      "%%t = arith.select %%none, %%zero, %%d : %s\n",
                      e, e, e);
  print_by_row(self, "weights", "powers", "sum", body);
  free(body);
  agpu__text_printf(out,
                    "%%to = linalg.fill ins(%%zero : %s) outs(%%x%d : %s) -> "
                    "%s\n",
                    e, count - 1, result, result);
  static const char *const maps[] = {"m, n", "n, d", "m, d", NULL};
  print_generic(self, "y", "m, d, n", 3, true, maps);
  agpu__text_printf(out,
                    "ins(%%weights, %%x2 : %s, %s) outs(%%to : %s) {\n"
                    "^bb0(%%a: %s, %%b: %s, %%o: %s):\n"
                    "%%p = arith.mulf %%a, %%b : %s\n"
                    "%%t = arith.addf %%o, %%p : %s\nlinalg.yield %%t : %s\n"
                    "} -> %s\nreturn %%y : %s\n}\n",
                    self->scores, types[2], result, e, e, e, e, e, e, result,
                    result);
  free(self->scores);
  free(self->rows);
}

static MlirLogicalResult expand(MlirOperation op) {
  int count = (int)mlirOperationGetNumOperands(op);
  char *types[5];
  bool fits = count == 4 || count == 5;
  for (int i = 0; fits && i < count; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    fits = mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) >= 2;
  }
  AGPU__OWNED char *element =
      fits ? agpu__type_text(mlirShapedTypeGetElementType(
                 mlirValueGetType(mlirOperationGetOperand(op, 0))))
           : agpu__format("%s", "");
  if (!fits || !lowest(element)) {
    return agpu__error(mlirOperationGetLocation(op),
                       "tm_tensor.attention takes queries, keys, values and a "
                       "mask, tensors of floats: have torch-mlir decompose it");
  }
  for (int i = 0; i < count; ++i)
    types[i] =
        agpu__type_text(mlirValueGetType(mlirOperationGetOperand(op, i)));
  AGPU__SCOPED(text) text = {0};
  attention self = {.op = op,
                    .batches = mlirShapedTypeGetRank(mlirValueGetType(
                                   mlirOperationGetOperand(op, 0))) -
                               2,
                    .masked = count == 5,
                    .element = element,
                    .out = &text};
  print_attention(&self, types, count);
  const agpu__template template = {.file = "attention",
                                   .function = "attention",
                                   .text = agpu__text_get(&text)};
  MlirLogicalResult result = agpu__template_replace(op, &template, NULL, 0);
  for (int i = 0; i < count; ++i)
    free(types[i]);
  return result;
}

MlirLogicalResult agpu__expand_attention(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, "tm_tensor.attention");
  for (size_t i = 0; i < ops.count && mlirLogicalResultIsSuccess(result); ++i)
    result = expand(ops.data[i]);
  return result;
}
