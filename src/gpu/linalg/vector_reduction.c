//===- vector_reduction.c - Reductions of vectors -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the emulated device: a block of one thread goes through the terms of a
// result in vectors, as many at a time as hide how long an addition takes, and
// combines their elements at the end. A block has several results where they
// are of few terms.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <inttypes.h>
#include <stdlib.h>

/// Bytes of terms that are added at a time, those terms at least, and terms
/// that a block is worth it for.
enum { BYTES = 128, LEAST = 8, ENOUGH = 4096 };

/// Elements of the vectors of terms; 0: it is no such reduction.
static int count_terms(const agpu__linalg_op *op,
                       const agpu__linalg_loops *reductions) {
  intptr_t last = reductions->data[reductions->count - 1];
  int bits = agpu__linalg_element_bits(&op->operands[op->input_count]);
  if (bits % 8 || !agpu__linalg_has_plain_body(op->op, true))
    return 0;
  bool any = false;
  for (intptr_t i = 0; i < op->input_count; ++i) {
    if (!agpu__linalg_is_indexed_by(&op->operands[i], last))
      continue;
    if (!agpu__linalg_has_neighbours(&op->operands[i], last))
      return 0;
    any = true;
  }
  int count = BYTES * 8 / bits;
  while (op->sizes[last] >= 0 && op->sizes[last] < count)
    count /= 2;
  return any && count >= LEAST ? count : 0;
}

/// Appends the innermost loop over terms, `count` at a time, or, 0, one by one,
/// from %from to %to: %RESULT of what it has before, %BEFORE.
static void print_terms(const agpu__linalg_op *op, intptr_t last,
                        const char *result, const char *from, const char *to,
                        const char *before, int count, const char *type,
                        agpu__text *out) {
  int state = (int)op->input_count;
  agpu__text_printf(out,
                    "%%%s = scf.for %%d%d = %%%s to %%%s step %%c%d "
                    "iter_args(%%v%d = %%%s) -> (%s) {\n",
                    result, (int)last, from, to, count ? count : 1, state,
                    before, type);
  AGPU__SCOPED(text) call = {0};
  for (int i = 0; i < state; ++i) {
    AGPU__OWNED char *name = agpu__format("v%d", i);
    agpu__linalg_print_elements(op, i, last, name, count, out);
    agpu__text_printf(&call, "%%%s, ", name);
  }
  agpu__text_printf(out, "%%next = func.call @%s(%s%%v%d) : ",
                    count ? "terms" : "term", agpu__text_get(&call), state);
  agpu__linalg_print_term_types(op, count, out);
  agpu__text_printf(out, "scf.yield %%next : %s\n}\n", type);
}

/// Appends the loops over all terms: %wides and %ones.
static void print_loops(const agpu__linalg_op *op,
                        const agpu__linalg_loops *reductions, const char *type,
                        const char *wide, agpu__text *out) {
  size_t outer = reductions->count - 1;
  int last = (int)reductions->data[outer];
  for (size_t level = 0; level < outer; ++level)
    agpu__text_printf(
        out,
        "%%both%zu:2 = scf.for %%d%d = %%c0 to %%n%d step %%c1 "
        "iter_args(%%wide%zu = %%wide%zu, %%one%zu = %%one%zu) -> "
        "(%s, %s) {\n",
        level, (int)reductions->data[level], (int)reductions->data[level],
        level + 1, level, level + 1, level, wide, type);
  AGPU__OWNED char *from_wide = agpu__format("wide%zu", outer);
  AGPU__OWNED char *from_one = agpu__format("one%zu", outer);
  agpu__text_printf(out,
                    "%%left = arith.remui %%n%d, %%c%d : index\n"
                    "%%whole = arith.subi %%n%d, %%left : index\n"
                    "%%all = arith.addi %%n%d, %%c0 : index\n",
                    last, op->terms, last, last);
  print_terms(op, last, "wides", "c0", "whole", from_wide, op->terms, wide,
              out);
  print_terms(op, last, "ones", "whole", "all", from_one, 0, type, out);
  for (size_t level = outer; level-- > 0;) {
    if (level + 1 == outer)
      agpu__text_puts(out, "scf.yield %wides, %ones");
    else
      agpu__text_printf(out, "scf.yield %%both%zu#0, %%both%zu#1", level + 1,
                        level + 1);
    agpu__text_printf(out, " : %s, %s\n}\n", wide, type);
  }
}

static void print_kernel(const agpu__linalg_op *op,
                         const agpu__linalg_loops *results,
                         const agpu__linalg_loops *reductions,
                         const agpu__combiner *how, const char *neutral,
                         const char *type, agpu__text *out) {
  int64_t terms = agpu__linalg_product(op, reductions);
  int64_t group = terms > 0 && terms < ENOUGH ? ENOUGH / terms : 1;
  bool is_float = mlirTypeIsAFloat(mlirShapedTypeGetElementType(
      mlirValueGetType(op->operands[op->input_count].value)));
  AGPU__OWNED char *wide = agpu__format("vector<%dx%s>", op->terms, type);
  agpu__linalg_print_constants((const int64_t[]){group, op->terms}, 2, out);
  agpu__linalg_print_sizes(op, out);
  agpu__linalg_print_product("results", results, out);
  agpu__text_printf(
      out, "%%grid = arith.ceildivui %%results, %%c%" PRId64 " : index\n",
      group);
  agpu__linalg_print_launch(1, 1, "", out);
  agpu__text_printf(out,
                    "%%one0 = arith.constant %s : %s\n"
                    "%%wide0 = arith.constant dense<%s> : %s\n"
                    "%%first = arith.muli %%bx, %%c%" PRId64 " : index\n"
                    "%%below = arith.addi %%first, %%c%" PRId64 " : index\n"
                    "%%end = arith.minui %%below, %%results : index\n"
                    "scf.for %%result = %%first to %%end step %%c1 {\n",
                    neutral, type, neutral, wide, group, group);
  agpu__linalg_print_split("result", results, out);
  print_loops(op, reductions, type, wide, out);
  bool nested = reductions->count > 1;
  // From there, and not from 0.0: a sum of -0.0 is that.
  agpu__text_printf(
      out, "%%total = vector.reduction <%s>, %%%s, %%%s%s : %s into %s\n",
      how->kind, nested ? "both0#0" : "wides", nested ? "both0#1" : "ones",
      is_float ? " fastmath<reassoc>" : "", wide, type);
  agpu__linalg_print_start(op, op->input_count, "before", 0, out);
  agpu__text_printf(out, "%%after = %s %%before, %%total : %s\n", how->op,
                    type);
  agpu__linalg_print_finish(op, op->input_count, "after", 0, out);
  agpu__text_puts(out, "}\n");
  agpu__linalg_print_launch_end(out);
}

bool agpu__linalg_vector_reduction(agpu__linalg_op *op,
                                   const agpu__linalg_loops *results,
                                   const agpu__linalg_loops *reductions,
                                   const agpu__combiner *how,
                                   const char *neutral, const char *type,
                                   agpu__text *out) {
  op->terms = count_terms(op, reductions);
  if (op->terms)
    print_kernel(op, results, reductions, how, neutral, type, out);
  return op->terms != 0;
}
