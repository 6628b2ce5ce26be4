//===- pointwise.c - A thread for each element ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel that every structured op has: a thread for each iteration of the
// parallel loops, neighbours along the last of them, and loops in the thread
// for reductions, with what they have so far in registers. The other parallel
// loops are one dimension, so that any number of them is launched alike.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <inttypes.h>
#include <stdlib.h>

/// Threads of a block, and those that one CPU runs, where beginning a block
/// takes as long as a hundred elements; those in a row of unknown size, and the
/// terms of a reduction that LLVM surely unrolls.
enum { THREADS = 128, EMU_THREADS = 1024, DYNAMIC_X = 32, UNROLLED = 16 };

/// The shape of blocks of transposes: neighbours along either loop share what
/// one access of memory brings.
enum { ACROSS_X = 32, ACROSS_Y = 8 };

void agpu__linalg_print_launch(int64_t x, int64_t y, const char *memory,
                               agpu__text *out) {
  agpu__text_printf(
      out,
      "%%some = arith.cmpi ne, %%grid, %%c0 : index\n"
      "scf.if %%some {\n"
      "gpu.launch blocks(%%bx, %%by, %%bz) in (%%gx = %%grid, %%gy = %%c1, "
      "%%gz = %%c1) threads(%%tx, %%ty, %%tz) in (%%lx = %%c%" PRId64
      ", %%ly = %%c%" PRId64 ", %%lz = %%c1) %s {\n",
      x, y, memory);
}

void agpu__linalg_print_launch_end(agpu__text *out) {
  agpu__text_puts(out, "gpu.terminator\n}\n}\n");
}

static int64_t power_above(int64_t number) {
  int64_t power = 1;
  while (power < number)
    power *= 2;
  return power;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// True if the op only moves and computes elements, and an input has neighbours
/// along the last of the `others`, but not along the last loop.
static bool reads_across(const agpu__linalg_op *op,
                         const agpu__linalg_loops *others, intptr_t last) {
  if (!others->count || (intptr_t)others->count + 1 < op->loop_count)
    return false;
  for (intptr_t i = 0; i < op->input_count; ++i)
    if (op->operands[i].is_memref &&
        agpu__linalg_is_indexed_by(&op->operands[i], last) &&
        !agpu__linalg_has_neighbours(&op->operands[i], last) &&
        agpu__linalg_has_neighbours(&op->operands[i],
                                    others->data[others->count - 1]))
      return true;
  return false;
}

/// The shape of a block: x along the last parallel loop, y along the others.
static void choose_block(const agpu__linalg_op *op,
                         const agpu__linalg_loops *others, intptr_t last,
                         int64_t *out_x, int64_t *out_y) {
  int64_t size = last < 0 ? 1 : op->sizes[last];
  int64_t rest = agpu__linalg_product(op, others);
  int64_t most_x = THREADS, most = THREADS;
  if (reads_across(op, others, last)) {
    most_x = ACROSS_X;
    most = ACROSS_X * ACROSS_Y;
  }
  *out_x = size < 0 ? (others->count ? DYNAMIC_X : THREADS)
                    : least(most_x, power_above(size));
  *out_y = rest < 0 ? most / *out_x : least(most / *out_x, power_above(rest));
}

/// How many of `size` each part has, if no part has more than `most`, and all
/// nearly the same.
static int64_t part_of(int64_t size, int64_t most) {
  int64_t parts = (size + most - 1) / most;
  return parts ? (size + parts - 1) / parts : 1;
}

/// The same for one CPU: warps do not matter, and what divides the loops needs
/// no bounds.
static void choose_emu_block(const agpu__linalg_op *op,
                             const agpu__linalg_loops *others, intptr_t last,
                             int64_t *out_x, int64_t *out_y) {
  int64_t size = last < 0 ? 1 : op->sizes[last];
  int64_t rest = agpu__linalg_product(op, others);
  *out_x = size < 0 ? (others->count ? DYNAMIC_X : EMU_THREADS)
                    : part_of(size, EMU_THREADS);
  if (*out_x < size) // rows of whole vectors
    *out_x = (*out_x + UNROLLED - 1) / UNROLLED * UNROLLED;
  int64_t most = EMU_THREADS / *out_x;
  *out_y = rest < 0 ? most : part_of(rest, most);
}

static MlirType element_type(const agpu__linalg_op *op, intptr_t operand) {
  return mlirShapedTypeGetElementType(
      mlirValueGetType(op->operands[operand].value));
}

/// True if all outputs are of numbers that have a zero.
static bool has_numbers(const agpu__linalg_op *op) {
  for (intptr_t i = op->input_count; i < op->operand_count; ++i) {
    MlirType type = element_type(op, i);
    if (!mlirTypeIsAFloat(type) && !mlirTypeIsAInteger(type) &&
        !mlirTypeIsAIndex(type))
      return false;
  }
  return true;
}

/// Appends the types of the outputs' elements.
static void print_types(const agpu__linalg_op *op, agpu__text *out) {
  agpu__linalg_print_element_types(op, op->input_count, op->operand_count, 0,
                                   out);
}

static void print_load(const agpu__linalg_op *op, int index, agpu__text *out) {
  AGPU__OWNED char *to = agpu__format("v%d", index);
  if (op->operands[index].is_memref) {
    agpu__linalg_print_access(op, index, to, false, out);
    return;
  }
  AGPU__OWNED char *type = agpu__linalg_element(&op->operands[index]);
  // Another name of the same.
  agpu__text_printf(out,
                    "%%%s = builtin.unrealized_conversion_cast %%m%d : %s to "
                    "%s\n",
                    to, index, type, type);
}

/// The names of what outputs are at the beginning of reduction loop `depth` of
/// `count`: "%v3" in the innermost, where the body reads them.
static void print_state(const agpu__linalg_op *op, size_t depth, size_t count,
                        intptr_t output, agpu__text *out) {
  if (depth == count)
    agpu__text_printf(out, "%%v%d", (int)output);
  else
    agpu__text_printf(out, "%%x%zu_%d", depth, (int)(output - op->input_count));
}

/// Appends the names of what outputs are before the reductions.
static void print_first_states(const agpu__linalg_op *op, size_t depth,
                               agpu__text *out) {
  for (intptr_t i = op->input_count; i < op->operand_count; ++i) {
    agpu__text_puts(out, i > op->input_count ? ", " : "");
    print_state(op, 0, depth, i, out);
  }
}

/// Loads the outputs.
static void print_first_loads(const agpu__linalg_op *op, size_t depth,
                              agpu__text *out) {
  for (intptr_t i = op->input_count; i < op->operand_count; ++i) {
    AGPU__SCOPED(text) name = {0};
    print_state(op, 0, depth, i, &name);
    agpu__linalg_print_start(op, i, name.data + 1, 0, out);
  }
}

/// The same for threads whose element is in the result. Others get zeros.
static void print_guarded_loads(const agpu__linalg_op *op, size_t depth,
                                agpu__text *out) {
  print_first_states(op, depth, out);
  AGPU__SCOPED(text) types = {0}, zeros = {0};
  print_types(op, &types);
  agpu__text_printf(out, " = scf.if %%in -> (%s) {\n", types.data);
  for (intptr_t i = op->input_count; i < op->operand_count; ++i) {
    AGPU__OWNED char *name = agpu__format("first%d", (int)i);
    agpu__linalg_print_start(op, i, name, 0, out);
    agpu__text_printf(&zeros, "%s%%zero%d", i > op->input_count ? ", " : "",
                      (int)i);
  }
  agpu__text_puts(out, "scf.yield ");
  for (intptr_t i = op->input_count; i < op->operand_count; ++i)
    agpu__text_printf(out, "%s%%first%d", i > op->input_count ? ", " : "",
                      (int)i);
  agpu__text_printf(out, " : %s\n} else {\n", types.data);
  for (intptr_t i = op->input_count; i < op->operand_count; ++i) {
    MlirType type = element_type(op, i);
    AGPU__OWNED char *text = agpu__type_text(type);
    agpu__text_printf(out, "%%zero%d = arith.constant %s : %s\n", (int)i,
                      mlirTypeIsAFloat(type) ? "0.0" : "0", text);
  }
  agpu__text_printf(out, "scf.yield %s : %s\n}\n", zeros.data, types.data);
}

/// Reduces what the outputs are first.
static void print_reductions(const agpu__linalg_op *op,
                             const agpu__linalg_loops *reductions,
                             agpu__text *out) {
  size_t depth = reductions->count;
  for (size_t level = 0; level < depth; ++level) {
    agpu__text_printf(out,
                      "%%q%zu:%d = scf.for %%d%d = %%c0 to %%n%d step %%c1 "
                      "iter_args(",
                      level, (int)(op->operand_count - op->input_count),
                      (int)reductions->data[level],
                      (int)reductions->data[level]);
    for (intptr_t i = op->input_count; i < op->operand_count; ++i) {
      agpu__text_puts(out, i > op->input_count ? ", " : "");
      print_state(op, level + 1, depth, i, out);
      agpu__text_puts(out, " = ");
      print_state(op, level, depth, i, out);
    }
    agpu__text_puts(out, ") -> (");
    print_types(op, out);
    agpu__text_puts(out, ") {\n");
  }
  for (int i = 0; i < op->input_count; ++i)
    print_load(op, i, out);
  agpu__linalg_print_payload(op, out);
  for (size_t level = depth; level-- > 0;) {
    agpu__text_puts(out, "scf.yield ");
    for (int i = 0; i < op->operand_count - op->input_count; ++i)
      if (level + 1 == depth)
        agpu__text_printf(out, "%s%%r#%d", i ? ", " : "", i);
      else
        agpu__text_printf(out, "%s%%q%zu#%d", i ? ", " : "", level + 1, i);
    agpu__text_puts(out, " : ");
    print_types(op, out);
    agpu__text_puts(out, "\n}\n");
  }
}

static void print_stores(const agpu__linalg_op *op, size_t depth,
                         agpu__text *out) {
  for (int i = 0; i < op->operand_count - op->input_count; ++i) {
    AGPU__OWNED char *name = agpu__format("%s#%d", depth ? "q0" : "r", i);
    agpu__linalg_print_finish(op, op->input_count + i, name, 0, out);
  }
}

/// What a thread does. Long reductions stand outside of what only threads with
/// an element of the result do, for those without at the last of them: all
/// threads then run the loops equally often, which lets the emulated device put
/// the threads inside of them. Short ones LLVM unrolls.
static void print_thread(const agpu__linalg_op *op,
                         const agpu__linalg_loops *others,
                         const agpu__linalg_loops *columns,
                         const agpu__linalg_loops *reductions, bool all_in,
                         agpu__text *out) {
  int64_t terms = agpu__linalg_product(op, reductions);
  bool together = !all_in && reductions->count &&
                  (terms < 0 || terms > UNROLLED) && has_numbers(op);
  if (together)
    agpu__text_puts(out,
                    "%last_row = arith.subi %rows, %c1 : index\n"
                    "%last_column = arith.subi %columns, %c1 : index\n"
                    "%row_at = arith.minui %row, %last_row : index\n"
                    "%column_at = arith.minui %column, %last_column : index\n");
  else
    agpu__text_puts(out, "scf.if %in {\n");
  agpu__linalg_print_split(together ? "row_at" : "row", others, out);
  agpu__linalg_print_split(together ? "column_at" : "column", columns, out);
  if (together)
    print_guarded_loads(op, reductions->count, out);
  else
    print_first_loads(op, reductions->count, out);
  print_reductions(op, reductions, out);
  if (together)
    agpu__text_puts(out, "scf.if %in {\n");
  print_stores(op, reductions->count, out);
  agpu__text_puts(out, "}\n");
}

/// Prints whether a thread has a row, or column, of the result. That is known
/// where blocks of `size` divide their number: a condition that is the same for
/// all threads still keeps LLVM from making them a vector.
static bool print_bound(const agpu__linalg_op *op,
                        const agpu__linalg_loops *loops, int64_t size,
                        const char *name, agpu__text *out) {
  int64_t count = agpu__linalg_product(op, loops);
  bool all_in = size == 1 || (count >= 0 && count % size == 0);
  AGPU__OWNED char *to = agpu__format("%s_in", name);
  AGPU__OWNED char *limit = agpu__format("%ss", name);
  agpu__linalg_print_bound(to, name, limit, all_in, out);
  return all_in;
}

MlirLogicalResult agpu__linalg_pointwise(const agpu__linalg_op *op,
                                         bool for_emu,
                                         agpu__linalg_kernel *out) {
  agpu__linalg_loops others = {.count = 0}, reductions = {.count = 0};
  intptr_t last = -1;
  for (intptr_t i = 0; i < op->loop_count; ++i)
    if (op->is_reduction[i])
      reductions.data[reductions.count++] = i;
    else if (last >= 0)
      others.data[others.count++] = last, last = i;
    else
      last = i;
  agpu__linalg_loops columns = {.data = {last}, .count = last >= 0};
  int64_t x, y;
  if (for_emu && !reductions.count)
    choose_emu_block(op, &others, last, &x, &y);
  else
    choose_block(op, &others, last, &x, &y);

  AGPU__SCOPED(text) text = {0};
  agpu__linalg_print_constants((const int64_t[]){x, y, x - 1, y - 1}, 4, &text);
  agpu__linalg_print_sizes(op, &text);
  agpu__linalg_print_product("rows", &others, &text);
  agpu__linalg_print_product("columns", &columns, &text);
  agpu__text_printf(
      &text,
      "%%columns_up = arith.addi %%columns, %%c%" PRId64 " : index\n"
      "%%across = arith.divui %%columns_up, %%c%" PRId64 " : index\n"
      "%%rows_up = arith.addi %%rows, %%c%" PRId64 " : index\n"
      "%%down = arith.divui %%rows_up, %%c%" PRId64 " : index\n"
      "%%grid = arith.muli %%across, %%down : index\n",
      x - 1, x, y - 1, y);
  agpu__linalg_print_launch(x, y, "", &text);
  agpu__text_printf(
      &text,
      "%%block_row = arith.divui %%bx, %%across : index\n"
      "%%block_column = arith.remui %%bx, %%across : index\n"
      "%%first_row = arith.muli %%block_row, %%c%" PRId64 " : index\n"
      "%%first_column = arith.muli %%block_column, %%c%" PRId64 " : index\n"
      "%%row = arith.addi %%first_row, %%ty : index\n"
      "%%column = arith.addi %%first_column, %%tx : index\n",
      y, x);
  bool rows_in = print_bound(op, &others, y, "row", &text);
  bool columns_in = print_bound(op, &columns, x, "column", &text);
  agpu__text_puts(&text, "%in = arith.andi %row_in, %column_in : i1\n");
  print_thread(op, &others, &columns, &reductions, rows_in && columns_in,
               &text);
  agpu__linalg_print_launch_end(&text);
  *out =
      (agpu__linalg_kernel){.made = true, .how = "a thread for each element"};
  return agpu__linalg_replace(op, agpu__text_get(&text), 0);
}
