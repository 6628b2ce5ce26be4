//===- row_kernel.c - A kernel for ops over the same rows -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU a block has a row, and each of its threads a few elements of it, in
// registers, at distances of a block, so that neighbours read neighbours. Past
// the end of a row threads have its last element once more, which no reduction
// counts and nobody stores. For the emulated device a block of one thread has
// some rows, and goes along each in vectors; what a later loop reads stays in a
// buffer near the CPU. Either way reductions of one phase end together, before
// what reads them.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "lower/ir/template.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/// Elements that a thread has if there are enough; threads of a block.
enum { OWN = 4, LEAST_THREADS = 32, MOST_THREADS = 1024 };

/// For the emulated device: bytes of a vector, elements of it at least, and
/// elements that a block is worth it for.
enum { BYTES = 128, LEAST_WIDE = 8, ENOUGH = 4096 };

//===----------------------------------------------------------------------===//
// For GPUs
//===----------------------------------------------------------------------===//

/// Appends "%PREFIXN = NEUTRAL", a vector of them with `count`.
static void print_neutral(const agpu__row_kernel *self, intptr_t op,
                          const char *prefix, int count) {
  AGPU__OWNED char *type = agpu__row_result_type(self, op);
  AGPU__OWNED char *neutral =
      agpu__neutral_text(self->chain->ops[op].how, type);
  agpu__text_printf(self->out,
                    count ? "%%%s%d = arith.constant dense<%s> : "
                          : "%%%s%d = arith.constant %s : ",
                    prefix, (int)op, neutral);
  agpu__linalg_print_type(type, count, self->out);
  agpu__text_puts(self->out, "\n");
}

static void print_phase_of_threads(agpu__row_kernel *self, int phase) {
  intptr_t reductions[AGPU__ROW_OPS];
  int count = agpu__row_find_reductions(self, phase, reductions);
  for (int i = 0; i < count; ++i)
    print_neutral(self, reductions[i], "s", 0);
  agpu__row_print_elements(self, phase, 0);
  for (int i = 0; i < count; ++i) {
    int op = (int)reductions[i];
    AGPU__OWNED char *type = agpu__row_result_type(self, op);
    agpu__text_printf(self->out,
                      "%%total%d = gpu.all_reduce %s %%s%d_%d uniform {} : "
                      "(%s) -> (%s)\n",
                      op, self->chain->ops[op].how->kind, op, self->own - 1,
                      type, type);
    agpu__row_print_end(self, op);
  }
}

/// Makes the columns %dN_0, ... of the thread, and whether it has them.
static void print_columns(const agpu__row_kernel *self) {
  for (int copy = 0; copy < self->own; ++copy) {
    const char *far = agpu__row_is_guarded(self, copy) ? "far" : "";
    agpu__text_printf(self->out,
                      "%%begin_%d = arith.constant %d : index\n"
                      "%%d%d_%d%s = arith.addi %%tx, %%begin_%d : index\n",
                      copy, self->threads * copy, self->column, copy, far,
                      copy);
    if (agpu__row_is_guarded(self, copy))
      agpu__text_printf(self->out,
                        "%%in_%d = arith.cmpi ult, %%d%d_%dfar, %%n%d : index\n"
                        "%%d%d_%d = arith.minui %%d%d_%dfar, %%last : index\n",
                        copy, self->column, copy, self->column, self->column,
                        copy, self->column, copy);
  }
}

//===----------------------------------------------------------------------===//
// For the emulated device
//===----------------------------------------------------------------------===//

/// A loop over a row's elements, `count` at a time, or one by one: %NAME:N of
/// the reductions, which begin with %BEFOREi.
static void print_loop(agpu__row_kernel *self, int phase, const char *name,
                       const char *from, const char *to, const char *before,
                       int count) {
  intptr_t reductions[AGPU__ROW_OPS];
  int states = agpu__row_find_reductions(self, phase, reductions);
  AGPU__SCOPED(text) arguments = {0}, types = {0}, yields = {0};
  for (int i = 0; i < states; ++i) {
    int op = (int)reductions[i];
    const char *comma = i ? ", " : "";
    AGPU__OWNED char *type = agpu__row_result_type(self, op);
    agpu__text_printf(&arguments, "%s%%s%d = %%%s%d", comma, op, before, op);
    agpu__text_printf(&yields, "%s%%s%d_0", comma, op);
    agpu__text_puts(&types, comma);
    agpu__linalg_print_type(type, count, &types);
  }
  if (states)
    agpu__text_printf(self->out, "%%%s%d:%d = ", name, phase, states);
  agpu__text_printf(self->out, "scf.for %%d%d = %%%s to %%%s step %%c%d ",
                    self->column, from, to, count ? count : 1);
  if (states)
    agpu__text_printf(self->out, "iter_args(%s) -> (%s) ",
                      agpu__text_get(&arguments), agpu__text_get(&types));
  agpu__text_puts(self->out, "{\n");
  for (intptr_t i = 0; i < self->whole.all_count; ++i)
    self->has_elements[i] = false;
  agpu__row_print_elements(self, phase, count);
  if (states)
    agpu__text_printf(self->out, "scf.yield %s : %s\n", agpu__text_get(&yields),
                      agpu__text_get(&types));
  agpu__text_puts(self->out, "}\n");
}

static void print_phase_of_vectors(agpu__row_kernel *self, int phase) {
  intptr_t reductions[AGPU__ROW_OPS];
  int count = agpu__row_find_reductions(self, phase, reductions);
  bool any = false, has_rest = self->row % self->wide != 0;
  for (intptr_t i = 0; i < self->chain->count; ++i)
    if (self->chain->ops[i].phase == phase &&
        self->chain->ops[i].kind != AGPU__ROW_NUMBER) {
      any = true;
      agpu__row_load_numbers(self, i);
    }
  if (!any)
    return;
  for (int i = 0; i < count; ++i) {
    print_neutral(self, reductions[i], "one", 0);
    print_neutral(self, reductions[i], "many", self->wide);
  }
  print_loop(self, phase, "wides", "c0", "whole", "many", self->wide);
  if (has_rest)
    print_loop(self, phase, "ones", "whole", "all", "one", 0);
  for (int i = 0; i < count; ++i) {
    int op = (int)reductions[i];
    AGPU__OWNED char *type = agpu__row_result_type(self, op);
    AGPU__OWNED char *rest = has_rest ? agpu__format("ones%d#%d", phase, i)
                                      : agpu__format("one%d", op);
    const agpu__linalg_op *own = &self->chain->ops[op].op;
    bool is_float = mlirTypeIsAFloat(mlirShapedTypeGetElementType(
        mlirValueGetType(own->operands[own->input_count].value)));
    // From there, and not from 0.0: a sum of -0.0 is that.
    agpu__text_printf(
        self->out,
        "%%total%d = vector.reduction <%s>, %%wides%d#%d, %%%s%s : "
        "vector<%dx%s> into %s\n",
        op, self->chain->ops[op].how->kind, phase, i, rest,
        is_float ? " fastmath<reassoc>" : "", self->wide, type, type);
    agpu__row_print_end(self, op);
  }
}

/// Elements of the chain's vectors: a divisor of the row's, if there is one.
static int choose_wide(const agpu__row_chain *chain, int64_t row) {
  int bits = 8;
  for (intptr_t i = 0; i < chain->count; ++i)
    for (intptr_t k = 0; k < chain->ops[i].op.operand_count; ++k) {
      const agpu__linalg_operand *operand = &chain->ops[i].op.operands[k];
      int own = operand->is_memref ? agpu__linalg_element_bits(operand) : 8;
      bits = own > bits ? own : bits;
    }
  int most = BYTES * 8 / bits;
  while (most > row)
    most /= 2;
  for (int wide = most; wide >= LEAST_WIDE; wide /= 2)
    if (row % wide == 0)
      return wide;
  return most;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void print_rows(agpu__row_kernel *self) {
  int phases = 0;
  for (intptr_t i = 0; i < self->chain->count; ++i)
    if (self->chain->ops[i].phase >= phases)
      phases = self->chain->ops[i].phase + 1;
  for (int phase = 0; phase < phases; ++phase) {
    for (intptr_t i = 0; i < self->chain->count; ++i)
      if (self->chain->ops[i].phase == phase) {
        if (self->chain->ops[i].kind == AGPU__ROW_NUMBER)
          agpu__row_print_number(self, i);
        else
          agpu__row_load_numbers(self, i);
      }
    if (self->for_emu)
      print_phase_of_vectors(self, phase);
    else
      print_phase_of_threads(self, phase);
  }
}

static void print_gpu_kernel(agpu__row_kernel *self,
                             const agpu__linalg_loops *rows) {
  agpu__linalg_print_constants((const int64_t[]){self->threads}, 1, self->out);
  agpu__linalg_print_sizes(&self->whole, self->out);
  agpu__linalg_print_product("grid", rows, self->out);
  agpu__linalg_print_launch(self->threads, 1, "", self->out);
  agpu__text_printf(self->out,
                    "%%is_first = arith.cmpi eq, %%tx, %%c0 : index\n"
                    "%%last = arith.subi %%n%d, %%c1 : index\n",
                    self->column);
  agpu__linalg_print_split("bx", rows, self->out);
  print_columns(self);
  print_rows(self);
  agpu__linalg_print_launch_end(self->out);
}

static void print_emu_kernel(agpu__row_kernel *self,
                             const agpu__linalg_loops *rows) {
  int64_t group = self->row < ENOUGH ? ENOUGH / self->row : 1,
          count = agpu__linalg_product(&self->whole, rows);
  if (count > 0 && count < group)
    group = count;
  agpu__linalg_print_constants((const int64_t[]){group, self->wide}, 2,
                               self->out);
  agpu__linalg_print_sizes(&self->whole, self->out);
  agpu__linalg_print_product("rows", rows, self->out);
  agpu__text_printf(self->out,
                    "%%grid = arith.ceildivui %%rows, %%c%" PRId64 " : index\n",
                    group);
  // Known trips are known to what estimates how long the kernel takes.
  AGPU__OWNED char *exact =
      count > 0 && count % group == 0 ? agpu__format("c%" PRId64, group) : NULL;
  agpu__linalg_print_launch(1, 1, "", self->out);
  for (intptr_t i = 0; i < self->chain->count; ++i) {
    AGPU__OWNED char *type = agpu__row_result_type(self, i);
    if (agpu__row_has_buffer(self, i))
      agpu__text_printf(self->out,
                        "%%buffer%d = memref.alloca() {alignment = 64 : i64} : "
                        "memref<%" PRId64 "x%s>\n",
                        (int)i, self->row, type);
  }
  agpu__text_printf(self->out,
                    "%%whole = arith.constant %" PRId64 " : index\n"
                    "%%all = arith.constant %" PRId64 " : index\n"
                    "%%first = arith.muli %%bx, %%c%" PRId64 " : index\n"
                    "%%left = arith.subi %%rows, %%first : index\n"
                    "%%own = arith.minui %%left, %%c%" PRId64 " : index\n"
                    "scf.for %%i = %%c0 to %%%s step %%c1 {\n"
                    "%%row = arith.addi %%first, %%i : index\n",
                    self->row / self->wide * self->wide, self->row, group,
                    group, exact ? exact : "own");
  agpu__linalg_print_split("row", rows, self->out);
  print_rows(self);
  agpu__text_puts(self->out, "}\n");
  agpu__linalg_print_launch_end(self->out);
}

/// Builds an op's body in place of a call of @oneN or @wideN.
static void fill(agpu__builder *at, const char *place, MlirOperation call,
                 MlirValue *out_results, void *data) {
  const agpu__row_chain *chain = data;
  long op = strtol(place + (place[0] == 'o' ? 3 : 4), NULL, 10);
  out_results[0] = agpu__linalg_build_body(at, chain->ops[op].op.op, call);
}

/// Moves what stands between the ops, and touches no memory, in front of them.
static void move_between(MlirOperation first, MlirOperation last) {
  for (MlirOperation next, at = first; !mlirOperationEqual(at, last);
       at = next) {
    next = mlirOperationGetNextInBlock(at);
    if (agpu__linalg_touches_nothing(at))
      mlirOperationMoveBefore(at, first);
  }
}

MlirLogicalResult agpu__linalg_map_rows(const agpu__row_chain *chain,
                                        bool for_emu) {
  AGPU__SCOPED(text) body = {0}, text = {0};
  agpu__row_kernel self = {.chain = chain,
                           .whole = chain->whole,
                           .column = (int)chain->whole.loop_count - 1,
                           .for_emu = for_emu,
                           .own = 1,
                           .out = &body};
  self.row = self.whole.sizes[self.column];
  agpu__linalg_loops rows = {.count = (size_t)self.column};
  for (int i = 0; i < self.column; ++i)
    rows.data[i] = i;
  if (for_emu) {
    self.wide = choose_wide(chain, self.row);
    print_emu_kernel(&self, &rows);
  } else {
    self.threads = LEAST_THREADS;
    while (self.threads < MOST_THREADS && self.threads * OWN < self.row)
      self.threads *= 2;
    self.own = (int)((self.row + self.threads - 1) / self.threads);
    print_gpu_kernel(&self, &rows);
  }

  for (intptr_t i = 0; i < chain->count; ++i)
    for (int wide = 0; wide <= (for_emu && self.wide); ++wide) {
      agpu__text_printf(&text, "func.func private @%s%d", wide ? "wide" : "one",
                        (int)i);
      agpu__row_print_types(&self, i, wide ? self.wide : 0, &text);
    }
  agpu__text_puts(&text, "func.func @kernel(");
  MlirValue operands[AGPU_LINALG_ALL_OPERANDS];
  for (intptr_t i = 0; i < self.whole.all_count; ++i) {
    operands[i] = self.whole.operands[i].value;
    AGPU__OWNED char *type = agpu__type_text(mlirValueGetType(operands[i]));
    agpu__text_printf(&text, "%s%%m%d: %s", i ? ", " : "", (int)i, type);
  }
  agpu__text_printf(&text, ") {\n%sreturn\n}\n", agpu__text_get(&body));
  agpu__template template = {.file = "linalg",
                             .function = "kernel",
                             .text = agpu__text_get(&text),
                             .fill = fill,
                             .data = (void *)(uintptr_t)chain};
  MlirOperation first = chain->ops[0].op.op;
  move_between(first, chain->ops[chain->count - 1].op.op);
  agpu__builder at = agpu__builder_before(first);
  MlirLogicalResult result =
      agpu__template_build(&at, &template, operands, NULL);
  if (mlirLogicalResultIsFailure(result))
    return result;
  for (intptr_t i = 0; i < chain->count; ++i) {
    const agpu__linalg_op *op = &chain->ops[i].op;
    if (!mlirOperationIsNull(op->start_ops[op->input_count]))
      mlirOperationDestroy(op->start_ops[op->input_count]);
    mlirOperationDestroy(op->op);
  }
  return result;
}
