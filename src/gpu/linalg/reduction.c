//===- reduction.c - A block for each result ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few results of long reductions: the threads of a block go through the
// reduction side by side, and combine what each has with gpu.all_reduce. Sums
// of floats are added up in another order than the op's loops have.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <inttypes.h>
#include <stdlib.h>

/// A block is worth it for at least so many terms, and at most so many results.
/// On a GPU the threads of a warp that read neighbours are worth it for fewer
/// terms, and any number of results: a thread for each result would have each
/// read a line of memory of its own.
enum { THREADS = 128, TERMS = 256, RESULTS = 4096, WARP = 32 };

/// So few results leave much of a GPU to the threads of a block.
enum { FEW_RESULTS = 256, MANY_TERMS = 4096, MOST_THREADS = 1024 };

static int choose_threads(int64_t results, int64_t terms, bool for_emu) {
  if (for_emu || terms < 0)
    return THREADS;
  if (terms < TERMS)
    return WARP;
  return results <= FEW_RESULTS && terms >= MANY_TERMS ? MOST_THREADS : THREADS;
}

const agpu__combiner *agpu__linalg_combiner(const agpu__linalg_op *op) {
  MlirValue state = mlirBlockGetArgument(op->body, op->input_count);
  MlirOpOperand use = mlirValueGetFirstUse(state);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return NULL;
  MlirOperation user = mlirOpOperandGetOwner(use);
  MlirOperation yield = mlirBlockGetTerminator(op->body);
  if (!mlirBlockEqual(mlirOperationGetBlock(user), op->body) ||
      mlirOperationEqual(user, yield) ||
      !mlirValueEqual(mlirOperationGetOperand(yield, 0), agpu__result(user, 0)))
    return NULL;
  const agpu__combiner *found = agpu__find_combiner(user);
  return found && found->kind ? found : NULL;
}

/// All threads run the loop equally often, which lets the emulated device put
/// the threads inside of it.
static void print_terms(const agpu__linalg_op *op,
                        const agpu__linalg_loops *reductions, int threads,
                        const char *type, agpu__text *out) {
  int state = (int)op->input_count;
  int64_t terms = agpu__linalg_product(op, reductions);
  agpu__text_printf(out,
                    "%%part = scf.for %%first = %%c0 to %%terms step %%c%d "
                    "iter_args(%%v%d = %%neutral) -> (%s) {\n"
                    "%%term = arith.addi %%first, %%tx : index\n",
                    threads, state, type);
  agpu__linalg_print_bound("in", "term", "terms",
                           terms >= 0 && terms % threads == 0, out);
  agpu__text_printf(out, "%%next = scf.if %%in -> (%s) {\n", type);
  agpu__linalg_print_split("term", reductions, out);
  for (int i = 0; i < state; ++i) {
    AGPU__OWNED char *to = agpu__format("v%d", i);
    agpu__linalg_print_access(op, i, to, false, out);
  }
  agpu__linalg_print_payload(op, out);
  agpu__text_printf(out,
                    "scf.yield %%r#0 : %s\n} else {\nscf.yield %%v%d : %s\n}\n"
                    "scf.yield %%next : %s\n}\n",
                    type, state, type, type);
}

static bool all_inputs_are_memrefs(const agpu__linalg_op *op) {
  for (intptr_t i = 0; i < op->input_count; ++i)
    if (!op->operands[i].is_memref)
      return false;
  return true;
}

/// True if no input has neighbours along another loop than `loop`: threads that
/// share a reduction then read neighbours. With `surely`, all inputs have them
/// along `loop` alone, not along a sum of loops as windows do.
static bool reads_neighbours(const agpu__linalg_op *op, intptr_t loop,
                             bool surely) {
  for (intptr_t i = 0; i < op->input_count; ++i) {
    if (!mlirAffineMapGetNumResults(op->operands[i].map))
      continue;
    intptr_t last = agpu__linalg_last_loop(&op->operands[i]);
    if (last < 0 ? surely : last != loop)
      return false;
  }
  return true;
}

static void print_kernel(const agpu__linalg_op *op,
                         const agpu__linalg_loops *results,
                         const agpu__linalg_loops *reductions, int threads,
                         const agpu__combiner *how, const char *neutral,
                         const char *type, agpu__text *out) {
  agpu__linalg_print_constants((const int64_t[]){threads}, 1, out);
  agpu__linalg_print_sizes(op, out);
  agpu__linalg_print_product("grid", results, out);
  agpu__linalg_print_product("terms", reductions, out);
  agpu__linalg_print_launch(threads, 1, "", out);
  agpu__text_printf(out, "%%neutral = arith.constant %s : %s\n", neutral, type);
  agpu__linalg_print_split("bx", results, out);
  print_terms(op, reductions, threads, type, out);
  agpu__text_printf(out,
                    "%%all = gpu.all_reduce %s %%part uniform {} : (%s) -> "
                    "(%s)\n"
                    "%%is_first = arith.cmpi eq, %%tx, %%c0 : index\n"
                    "scf.if %%is_first {\n",
                    how->kind, type, type);
  agpu__linalg_print_start(op, op->input_count, "before", 0, out);
  agpu__text_printf(out, "%%after = %s %%before, %%all : %s\n", how->op, type);
  agpu__linalg_print_finish(op, op->input_count, "after", 0, out);
  agpu__text_puts(out, "}\n");
  agpu__linalg_print_launch_end(out);
}

/// True if threads of a block are to share each result.
static bool is_worth_a_block(const agpu__linalg_op *op,
                             const agpu__linalg_loops *results,
                             const agpu__linalg_loops *reductions,
                             bool for_emu) {
  int64_t result_count = agpu__linalg_product(op, results);
  int64_t term_count = agpu__linalg_product(op, reductions);
  intptr_t last = reductions->data[reductions->count - 1];
  if (!for_emu && (term_count < 0 || term_count >= WARP) &&
      reads_neighbours(op, last, true))
    return true;
  return result_count >= 0 && result_count <= RESULTS &&
         (term_count < 0 || term_count >= TERMS) &&
         (!for_emu || reads_neighbours(op, last, false));
}

MlirLogicalResult agpu__linalg_reduction(const agpu__linalg_op *op,
                                         bool for_emu,
                                         agpu__linalg_kernel *out) {
  *out = (agpu__linalg_kernel){.made = false};
  agpu__linalg_loops results = {.count = 0}, reductions = {.count = 0};
  for (intptr_t i = 0; i < op->loop_count; ++i) {
    agpu__linalg_loops *loops = op->is_reduction[i] ? &reductions : &results;
    loops->data[loops->count++] = i;
  }
  if (op->operand_count != op->input_count + 1 || !reductions.count ||
      !all_inputs_are_memrefs(op))
    return mlirLogicalResultSuccess();
  const agpu__combiner *how = agpu__linalg_combiner(op);
  AGPU__OWNED char *type = agpu__linalg_element(&op->operands[op->input_count]);
  AGPU__OWNED char *neutral = how ? agpu__neutral_text(how, type) : NULL;
  AGPU__SCOPED(text) text = {0};
  agpu__linalg_op own = *op;
  if (neutral && for_emu &&
      agpu__linalg_vector_reduction(&own, &results, &reductions, how, neutral,
                                    type, &text)) {
    *out = (agpu__linalg_kernel){.made = true, .how = "vectors of terms"};
  } else if (neutral && is_worth_a_block(op, &results, &reductions, for_emu)) {
    *out =
        (agpu__linalg_kernel){.made = true, .how = "a block for each result"};
    int threads =
        choose_threads(agpu__linalg_product(op, &results),
                       agpu__linalg_product(op, &reductions), for_emu);
    print_kernel(op, &results, &reductions, threads, how, neutral, type, &text);
  }
  return out->made ? agpu__linalg_replace(&own, agpu__text_get(&text), 0)
                   : mlirLogicalResultSuccess();
}
