//===- row_ops.c - Ops of kernels of rows ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words of IR of what ops over the same rows read, compute and store.
// Values of operand N are %xN, or %xN_0, ... along a row; those of op N are
// %eN, or %eN_0, ... The names are the same for numbers and for vectors.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

char *agpu__row_result_type(const agpu__row_kernel *self, intptr_t op) {
  const agpu__linalg_op *own = &self->chain->ops[op].op;
  return agpu__linalg_element(&own->operands[own->input_count]);
}

static bool is_along_row(const agpu__row_kernel *self, intptr_t operand) {
  return agpu__linalg_is_indexed_by(&self->whole.operands[operand],
                                    self->column);
}

void agpu__row_print_types(const agpu__row_kernel *self, intptr_t op, int count,
                           agpu__text *out) {
  const agpu__linalg_op *own = &self->chain->ops[op].op;
  intptr_t result = own->input_count;
  bool reduces = self->chain->ops[op].kind == AGPU__ROW_REDUCTION;
  agpu__text_puts(out, "(");
  agpu__linalg_print_element_types(own, 0, result + reduces, count, out);
  agpu__text_puts(out, ") -> ");
  agpu__linalg_print_element_types(own, result, result + 1, count, out);
  agpu__text_puts(out, "\n");
}

bool agpu__row_has_buffer(const agpu__row_kernel *self, intptr_t op) {
  const agpu__row_chain *chain = self->chain;
  if (!self->for_emu || chain->ops[op].kind != AGPU__ROW_POINTWISE)
    return false;
  for (intptr_t i = op + 1; i < chain->count; ++i)
    for (intptr_t k = 0; k < chain->ops[i].op.input_count; ++k)
      if (chain->ops[i].from[k] == -1 - op &&
          chain->ops[i].phase > chain->ops[op].phase)
        return true;
  return false;
}

static void print_buffer_access(const agpu__row_kernel *self, intptr_t op,
                                int count, bool is_store, agpu__text *out) {
  AGPU__OWNED char *type = agpu__row_result_type(self, op);
  const char *dialect = count ? "vector" : "memref";
  if (is_store)
    agpu__text_printf(out, "%s.store %%e%d_0, ", dialect, (int)op);
  else
    agpu__text_printf(out, "%%e%d_0 = %s.load ", (int)op, dialect);
  agpu__text_printf(out, "%%buffer%d[%%d%d] : memref<%" PRId64 "x%s>", (int)op,
                    self->column, self->row, type);
  if (count) {
    agpu__text_puts(out, ", ");
    agpu__linalg_print_type(type, count, out);
  }
  agpu__text_puts(out, "\n");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Loads an operand that has one element for each row, or is a number, to %xN.
static void load_number(agpu__row_kernel *self, intptr_t operand) {
  if (self->has_number[operand])
    return;
  self->has_number[operand] = true;
  AGPU__OWNED char *to = agpu__format("x%d", (int)operand);
  agpu__linalg_print_elements(&self->whole, operand, self->column, to, 0,
                              self->out);
}

void agpu__row_load_numbers(agpu__row_kernel *self, intptr_t op) {
  const agpu__row_op *row_op = &self->chain->ops[op];
  for (intptr_t i = 0; i < row_op->op.input_count; ++i)
    if (row_op->from[i] >= 0 && !is_along_row(self, row_op->from[i]))
      load_number(self, row_op->from[i]);
}

static void set_tag(agpu__row_kernel *self, int copy) {
  if (!self->for_emu)
    snprintf(self->whole.tag, sizeof(self->whole.tag), "_%d", copy);
}

/// Loads the elements that the op reads, `count` side by side or one, as the
/// copies %xN_0, ... of the thread.
static void load_elements(agpu__row_kernel *self, intptr_t op, int count) {
  const agpu__row_op *row_op = &self->chain->ops[op];
  for (intptr_t i = 0; i < row_op->op.input_count; ++i) {
    intptr_t from = row_op->from[i];
    if (from < 0 || !is_along_row(self, from) || self->has_elements[from])
      continue;
    self->has_elements[from] = true;
    for (int copy = 0; copy < self->own; ++copy) {
      AGPU__OWNED char *to = agpu__format("x%d_%d", (int)from, copy);
      set_tag(self, copy);
      agpu__linalg_print_wide_access(&self->whole, from, to, count, false,
                                     self->out);
    }
  }
}

/// Appends the names of the op's inputs to `call`; numbers become vectors in
/// front of it.
static void print_inputs(agpu__row_kernel *self, intptr_t op, int copy,
                         int count, agpu__text *call) {
  const agpu__row_op *row_op = &self->chain->ops[op];
  for (intptr_t i = 0; i < row_op->op.input_count; ++i) {
    intptr_t from = row_op->from[i];
    bool is_number =
        from >= 0 ? !is_along_row(self, from)
                  : self->chain->ops[-1 - from].kind != AGPU__ROW_POINTWISE;
    char prefix = from >= 0 ? 'x' : 'e';
    int number = (int)(from >= 0 ? from : -1 - from);
    agpu__text_puts(call, i ? ", " : "");
    if (is_number && count) {
      AGPU__OWNED char *type = agpu__linalg_element(&row_op->op.operands[i]);
      agpu__text_printf(self->out,
                        "%%wide%d_%d = vector.broadcast %%%c%d : %s to ",
                        (int)op, (int)i, prefix, number, type);
      agpu__linalg_print_type(type, count, self->out);
      agpu__text_puts(self->out, "\n");
      agpu__text_printf(call, "%%wide%d_%d", (int)op, (int)i);
    } else if (is_number) {
      agpu__text_printf(call, "%%%c%d", prefix, number);
    } else {
      agpu__text_printf(call, "%%%c%d_%d", prefix, number, copy);
    }
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Computes what the op gives for a row, or for an element.
static void print_call(agpu__row_kernel *self, intptr_t op, int copy, int count,
                       const char *to, const char *state) {
  AGPU__SCOPED(text) call = {0};
  print_inputs(self, op, copy, count, &call);
  const char *comma = state && self->chain->ops[op].op.input_count ? ", " : "";
  agpu__text_printf(self->out, "%%%s = func.call @%s%d(%s%s%s) : ", to,
                    count ? "wide" : "one", (int)op, agpu__text_get(&call),
                    comma, state ? state : "");
  agpu__row_print_types(self, op, count, self->out);
}

/// Stores %FROM, a number for each row. One thread of a block does so.
static void store_number(agpu__row_kernel *self, intptr_t op,
                         const char *from) {
  if (self->chain->ops[op].to < 0)
    return;
  if (!self->for_emu)
    agpu__text_puts(self->out, "scf.if %is_first {\n");
  agpu__linalg_print_access(&self->whole, self->chain->ops[op].to, from, true,
                            self->out);
  if (!self->for_emu)
    agpu__text_puts(self->out, "}\n");
}

void agpu__row_print_number(agpu__row_kernel *self, intptr_t op) {
  AGPU__OWNED char *to = agpu__format("e%d", (int)op);
  agpu__row_load_numbers(self, op);
  print_call(self, op, 0, 0, to, NULL);
  store_number(self, op, to);
}

bool agpu__row_is_guarded(const agpu__row_kernel *self, int copy) {
  return !self->for_emu && (int64_t)self->threads * (copy + 1) > self->row;
}

static void print_pointwise(agpu__row_kernel *self, intptr_t op, int count) {
  for (int copy = 0; copy < self->own; ++copy) {
    AGPU__OWNED char *to = agpu__format("e%d_%d", (int)op, copy);
    print_call(self, op, copy, count, to, NULL);
    if (self->chain->ops[op].to >= 0) {
      set_tag(self, copy);
      if (agpu__row_is_guarded(self, copy))
        agpu__text_printf(self->out, "scf.if %%in_%d {\n", copy);
      agpu__linalg_print_wide_access(&self->whole, self->chain->ops[op].to, to,
                                     count, true, self->out);
      if (agpu__row_is_guarded(self, copy))
        agpu__text_puts(self->out, "}\n");
    }
    if (agpu__row_has_buffer(self, op))
      print_buffer_access(self, op, count, true, self->out);
  }
}

/// Combines what a reduction has, %sN, with elements: %sN_0 and so on, the last
/// of which is %partN.
static void print_terms(agpu__row_kernel *self, intptr_t op, int count) {
  AGPU__OWNED char *type = agpu__row_result_type(self, op);
  for (int copy = 0; copy < self->own; ++copy) {
    char to[48], state[48];
    snprintf(state, sizeof(state), copy ? "%%s%d_%d" : "%%s%d", (int)op,
             copy - 1);
    snprintf(to, sizeof(to), "%s%d_%d",
             agpu__row_is_guarded(self, copy) ? "t" : "s", (int)op, copy);
    print_call(self, op, copy, count, to, state);
    if (agpu__row_is_guarded(self, copy))
      agpu__text_printf(self->out,
                        "%%s%d_%d = arith.select %%in_%d, %%%s, %s : %s\n",
                        (int)op, copy, copy, to, state, type);
  }
}

void agpu__row_print_end(agpu__row_kernel *self, intptr_t op) {
  const agpu__row_op *row_op = &self->chain->ops[op];
  AGPU__OWNED char *type = agpu__row_result_type(self, op);
  AGPU__OWNED char *to = agpu__format("e%d", (int)op);
  load_number(self, row_op->start);
  agpu__text_printf(self->out, "%%%s = %s %%x%d, %%total%d : %s\n", to,
                    row_op->how->op, (int)row_op->start, (int)op, type);
  store_number(self, op, to);
}

void agpu__row_print_elements(agpu__row_kernel *self, int phase, int count) {
  const agpu__row_chain *chain = self->chain;
  for (intptr_t i = 0; i < chain->count; ++i)
    if (chain->ops[i].phase == phase && chain->ops[i].kind != AGPU__ROW_NUMBER)
      load_elements(self, i, count);
  bool loaded[AGPU__ROW_OPS] = {false};
  for (intptr_t i = 0; self->for_emu && i < chain->count; ++i)
    for (intptr_t k = 0;
         chain->ops[i].phase == phase && k < chain->ops[i].op.input_count;
         ++k) {
      intptr_t from = -1 - chain->ops[i].from[k];
      if (from < 0 || loaded[from] || chain->ops[from].phase == phase ||
          !agpu__row_has_buffer(self, from))
        continue;
      loaded[from] = true;
      print_buffer_access(self, from, count, false, self->out);
    }
  for (intptr_t i = 0; i < chain->count; ++i) {
    if (chain->ops[i].phase != phase)
      continue;
    if (chain->ops[i].kind == AGPU__ROW_POINTWISE)
      print_pointwise(self, i, count);
    if (chain->ops[i].kind == AGPU__ROW_REDUCTION)
      print_terms(self, i, count);
  }
}

int agpu__row_find_reductions(const agpu__row_kernel *self, int phase,
                              intptr_t out[AGPU__ROW_OPS]) {
  int count = 0;
  for (intptr_t i = 0; i < self->chain->count; ++i)
    if (self->chain->ops[i].phase == phase &&
        self->chain->ops[i].kind == AGPU__ROW_REDUCTION)
      out[count++] = i;
  return count;
}
