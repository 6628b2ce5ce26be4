//===- contraction_kernel.c - Tiles in workgroup memory ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of 16 by 16 threads makes a tile of the result from tiles of the
// operands that it brings into workgroup memory, 16 deep. Each thread makes up
// to 8 rows, 16 apart, of up to 8 neighbouring columns, which are one vector:
// wide loads of workgroup memory on a card, and a CPU's registers where that
// runs the kernel. A single column is a number, so that the columns of a row
// of threads can become a CPU's vector. What a thread brings are neighbouring
// elements of neighbouring threads. The borders are guarded only where the
// sizes are not known to fit.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/contraction.h"
#include "gpu/linalg/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = AGPU__CONTRACTION_SIDE };

typedef agpu__contraction contraction;

/// Appends "%to = in bounds" for the number `of` and the limit `limit`.
static void print_guard(const char *to, const char *of, const char *limit,
                        bool always, agpu__text *out) {
  if (always)
    agpu__text_printf(out, "%%%s = arith.constant true\n", to);
  else
    agpu__text_printf(out, "%%%s = arith.cmpi ult, %%%s, %%%s : index\n", to,
                      of, limit);
}

/// Appends "%to = from + apart i" and its guard "%to_in", for each i.
static void print_places(const char *to, const char *from, int count, int apart,
                         const char *limit, bool always, agpu__text *out) {
  for (int i = 0; i < count; ++i) {
    char name[48], guard[48];
    snprintf(name, sizeof(name), "%s%d", to, i);
    snprintf(guard, sizeof(guard), "%s%d_in", to, i);
    agpu__text_printf(out, "%%%s = arith.addi %%%s, %%c%d : index\n", name,
                      from, apart * i);
    print_guard(guard, name, limit, always, out);
  }
}

/// Appends %to, element (row, column) of operand `index` in the loops' own
/// numbers, converted, or zero where it is not `in`. The second operand's has a
/// sign: the product of both is -0.0, which changes no sum.
static void print_element(const contraction *self, int index, const char *to,
                          const char *in, const char *in_too,
                          const agpu__linalg_loops *first, const char *first_at,
                          const agpu__linalg_loops *second,
                          const char *second_at, agpu__text *out) {
  agpu__text_printf(out,
                    "%%%s_in = arith.andi %%%s, %%%s : i1\n"
                    "%%%s = scf.if %%%s_in -> (%s) {\n",
                    to, in, in_too, to, to, self->type);
  agpu__linalg_print_split(first_at, first, out);
  agpu__linalg_print_split(second_at, second, out);
  agpu__linalg_print_access(self->op, index, "element", false, out);
  const char *name = "element";
  if (index < 2 && !mlirOperationIsNull(self->casts[index])) {
    char *from = agpu__linalg_element(&self->op->operands[index]);
    agpu__text_printf(out, "%%converted = %s %%element : %s to %s\n",
                      agpu__op_name(self->casts[index]).data, from, self->type);
    free(from);
    name = "converted";
  }
  agpu__text_printf(out,
                    "scf.yield %%%s : %s\n} else {\nscf.yield %%%s : %s\n}"
                    "\n",
                    name, self->type, index ? "minus_zero" : "zero",
                    self->type);
}

/// Appends "%PREFIX0, ..." for each row of a thread, with " = " and the one of
/// `other` after each where that is not NULL.
static void print_all(const contraction *self, const char *prefix,
                      const char *other, agpu__text *out) {
  for (int i = 0; i < self->row_count; ++i) {
    agpu__text_printf(out, "%s%%%s%d", i ? ", " : "", prefix, i);
    if (other)
      agpu__text_printf(out, " = %%%s%d", other, i);
  }
}

/// The type of a thread's columns in one row. The caller frees it.
static char *columns_type(const contraction *self) {
  return self->column_count > 1
             ? agpu__format("vector<%dx%s>", self->column_count, self->type)
             : agpu__format("%s", self->type);
}

static void print_types(const contraction *self, agpu__text *out) {
  char *type = columns_type(self);
  for (int i = 0; i < self->row_count; ++i)
    agpu__text_printf(out, "%s%s", i ? ", " : "", type);
  free(type);
}

/// Appends a loop that takes the sums `from` as `as`, up to its body.
static void print_loop(const contraction *self, const char *result,
                       const char *counter, const char *end, int step,
                       const char *as, const char *from, agpu__text *out) {
  agpu__text_printf(out,
                    "%%%s:%d = scf.for %%%s = %%c0 to %%%s step %%c%d "
                    "iter_args(",
                    result, self->row_count, counter, end, step);
  print_all(self, as, from, out);
  agpu__text_puts(out, ") -> (");
  print_types(self, out);
  agpu__text_puts(out, ") {\n");
}

/// Appends the end of a loop that gives `names`, or the results of `loop`.
static void print_loop_end(const contraction *self, const char *names,
                           const char *loop, agpu__text *out) {
  agpu__text_puts(out, "scf.yield ");
  if (names)
    print_all(self, names, NULL, out);
  for (int i = 0; loop && i < self->row_count; ++i)
    agpu__text_printf(out, "%s%%%s#%d", i ? ", " : "", loop, i);
  agpu__text_puts(out, " : ");
  print_types(self, out);
  agpu__text_puts(out, "\n}\n");
}

/// Brings tiles of both operands into workgroup memory.
static void print_tiles(const contraction *self, const char *tile_a,
                        const char *tile_b, agpu__text *out) {
  agpu__text_puts(out, "%inner_a = arith.addi %first, %tx : index\n"
                       "%inner_b = arith.addi %first, %ty : index\n");
  print_guard("inner_a_in", "inner_a", "inner", self->inner_fits, out);
  print_guard("inner_b_in", "inner_b", "inner", self->inner_fits, out);
  for (int i = 0; i < self->row_count; ++i) {
    char to[48], row[48], in[48];
    snprintf(to, sizeof(to), "a%d", i);
    snprintf(row, sizeof(row), "row%d", i);
    snprintf(in, sizeof(in), "row%d_in", i);
    print_element(self, self->left, to, in, "inner_a_in", &self->rows, row,
                  &self->inner, "inner_a", out);
    agpu__text_printf(out, "memref.store %%%s, %%as[%%place_y%d, %%tx] : %s\n",
                      to, i, tile_a);
  }
  for (int i = 0; i < self->column_count; ++i) {
    char to[48], column[48], in[48];
    snprintf(to, sizeof(to), "b%d", i);
    snprintf(column, sizeof(column), "from%d", i);
    snprintf(in, sizeof(in), "from%d_in", i);
    print_element(self, !self->left, to, in, "inner_b_in", &self->columns,
                  column, &self->inner, "inner_b", out);
    agpu__text_printf(out, "memref.store %%%s, %%bs[%%ty, %%place_x%d] : %s\n",
                      to, i, tile_b);
  }
}

/// Multiplies the tiles.
static void print_products(const contraction *self, const char *tile_a,
                           const char *tile_b, agpu__text *out) {
  char *type = columns_type(self);
  bool is_vector = self->column_count > 1;
  print_loop(self, "tile", "k", "c16", 1, "sum", "before", out);
  if (is_vector)
    agpu__text_printf(out,
                      "%%right = vector.load %%bs[%%k, %%place] : %s, %s\n",
                      tile_b, type);
  else
    agpu__text_printf(out, "%%right = memref.load %%bs[%%k, %%place] : %s\n",
                      tile_b);
  for (int i = 0; i < self->row_count; ++i) {
    agpu__text_printf(out,
                      "%%left%d = memref.load %%as[%%place_y%d, %%k] : %s\n", i,
                      i, tile_a);
    if (is_vector)
      agpu__text_printf(out,
                        "%%wide%d = vector.broadcast %%left%d : %s to %s\n", i,
                        i, self->type, type);
    agpu__text_printf(out,
                      "%%product%d = %s %%%s%d, %%right : %s\n"
                      "%%next%d = %s %%sum%d, %%product%d : %s\n",
                      i, self->multiply, is_vector ? "wide" : "left", i, type,
                      i, self->add, i, i, type);
  }
  print_loop_end(self, "next", NULL, out);
  free(type);
}

/// Appends the beginning of what runs if row `i` and column `k` of a thread are
/// in the result; then their iterations are there.
static void print_if_inside(const contraction *self, const char *result, int i,
                            int k, const char *type, agpu__text *out) {
  char row[48], column[48];
  snprintf(row, sizeof(row), "row%d", i);
  snprintf(column, sizeof(column), "column%d", k);
  agpu__text_printf(out, "%%%s_%d_%d = arith.andi %%%s_in, %%%s_in : i1\n",
                    type ? "get" : "put", i, k, row, column);
  if (type)
    agpu__text_printf(out, "%%%s = scf.if %%get_%d_%d -> (%s) {\n", result, i,
                      k, type);
  else
    agpu__text_printf(out, "scf.if %%put_%d_%d {\n", i, k);
  agpu__linalg_print_split(row, &self->rows, out);
  agpu__linalg_print_split(column, &self->columns, out);
}

/// What the sums begin with: the elements that the result has.
static void print_starts(const contraction *self, agpu__text *out) {
  // A thread's columns at once, or one by one.
  bool at_once = self->is_wide || self->column_count == 1;
  int step = at_once ? self->column_count : 1;
  char *columns = columns_type(self);
  const char *type = at_once ? columns : self->type;
  if (self->is_wide)
    agpu__text_printf(out, "%%zeros = vector.broadcast %%zero : %s to %s\n",
                      self->type, columns);
  for (int i = 0; i < self->row_count; ++i) {
    for (int k = 0; k < self->column_count; k += step) {
      char name[48];
      snprintf(name, sizeof(name), at_once ? "start%d" : "start_%d_%d", i, k);
      print_if_inside(self, name, i, k, type, out);
      agpu__linalg_print_wide_access(self->op, 2, "element",
                                     self->is_wide ? step : 0, false, out);
      agpu__text_printf(out,
                        "scf.yield %%element : %s\n} else {\n"
                        "scf.yield %%%s : %s\n}\n",
                        type, self->is_wide ? "zeros" : "zero", type);
    }
    if (at_once)
      continue;
    agpu__text_printf(out, "%%start%d = vector.from_elements ", i);
    for (int k = 0; k < self->column_count; ++k)
      agpu__text_printf(out, "%s%%start_%d_%d", k ? ", " : "", i, k);
    agpu__text_printf(out, " : %s\n", columns);
  }
  free(columns);
}

static void print_results(const contraction *self, agpu__text *out) {
  bool at_once = self->is_wide || self->column_count == 1;
  int step = at_once ? self->column_count : 1;
  for (int i = 0; i < self->row_count; ++i)
    for (int k = 0; k < self->column_count; k += step) {
      char name[48];
      snprintf(name, sizeof(name), at_once ? "all#%d" : "made_%d_%d", i, k);
      if (!at_once)
        agpu__text_printf(
            out, "%%%s = vector.extract %%all#%d[%d] : %s from vector<%dx%s>\n",
            name, i, k, self->type, self->column_count, self->type);
      print_if_inside(self, NULL, i, k, NULL, out);
      agpu__linalg_print_wide_access(self->op, 2, name,
                                     self->is_wide ? step : 0, true, out);
      agpu__text_puts(out, "}\n");
    }
}

/// How many blocks, and which tile is whose.
static void print_grid(const contraction *self, agpu__text *out) {
  int height = SIDE * self->row_count, width = SIDE * self->column_count;
  const int64_t numbers[] = {2,        3,          4,        5,        6,
                             7,        8,          SIDE,     2 * SIDE, 3 * SIDE,
                             4 * SIDE, 5 * SIDE,   6 * SIDE, 7 * SIDE, height,
                             width,    height - 1, width - 1};
  agpu__linalg_print_constants(numbers, sizeof(numbers) / sizeof(*numbers),
                               out);
  agpu__linalg_print_sizes(self->op, out);
  agpu__linalg_print_product("batch", &self->batch, out);
  agpu__linalg_print_product("rows", &self->rows, out);
  agpu__linalg_print_product("columns", &self->columns, out);
  agpu__linalg_print_product("inner", &self->inner, out);
  agpu__text_printf(out,
                    "%%rows_up = arith.addi %%rows, %%c%d : index\n"
                    "%%down = arith.divui %%rows_up, %%c%d : index\n"
                    "%%columns_up = arith.addi %%columns, %%c%d : index\n"
                    "%%across = arith.divui %%columns_up, %%c%d : index\n"
                    "%%tiles = arith.muli %%across, %%down : index\n"
                    "%%grid = arith.muli %%tiles, %%batch : index\n",
                    height - 1, height, width - 1, width);
}

static void print_place(const contraction *self, agpu__text *out) {
  agpu__text_printf(out,
                    "%%zero = arith.constant %s : %s\n"
                    "%%minus_zero = arith.constant %s%s : %s\n"
                    "%%tile_column = arith.remui %%bx, %%across : index\n"
                    "%%rest = arith.divui %%bx, %%across : index\n"
                    "%%tile_row = arith.remui %%rest, %%down : index\n"
                    "%%which = arith.divui %%rest, %%down : index\n"
                    "%%tile_y = arith.muli %%tile_row, %%c%d : index\n"
                    "%%tile_x = arith.muli %%tile_column, %%c%d : index\n"
                    "%%row = arith.addi %%tile_y, %%ty : index\n"
                    "%%from = arith.addi %%tile_x, %%tx : index\n"
                    "%%place = arith.muli %%tx, %%c%d : index\n"
                    "%%column = arith.addi %%tile_x, %%place : index\n",
                    self->zero, self->type, strcmp(self->zero, "0") ? "-" : "",
                    self->zero, self->type, SIDE * self->row_count,
                    SIDE * self->column_count, self->column_count);
  agpu__linalg_print_split("which", &self->batch, out);
  print_places("row", "row", self->row_count, SIDE, "rows", self->rows_fit,
               out);
  print_places("column", "column", self->column_count, 1, "columns",
               self->columns_fit, out);
  print_places("from", "from", self->column_count, SIDE, "columns",
               self->columns_fit, out);
  print_places("place_y", "ty", self->row_count, SIDE, "rows", true, out);
  print_places("place_x", "tx", self->column_count, SIDE, "columns", true, out);
}

void agpu__contraction_print(const agpu__contraction *self, agpu__text *out) {
  char *tile_a = agpu__format("memref<%dx%dx%s, #gpu.address_space<workgroup>>",
                              SIDE * self->row_count, SIDE, self->type);
  char *tile_b = agpu__format("memref<%dx%dx%s, #gpu.address_space<workgroup>>",
                              SIDE, SIDE * self->column_count, self->type);
  char *memory =
      agpu__format("workgroup(%%as : %s, %%bs : %s)", tile_a, tile_b);
  print_grid(self, out);
  agpu__linalg_print_launch(SIDE, SIDE, memory, out);
  print_place(self, out);
  print_starts(self, out);
  print_loop(self, "all", "first", "inner", SIDE, "before", "start", out);
  print_tiles(self, tile_a, tile_b, out);
  agpu__text_puts(out, "gpu.barrier\n");
  print_products(self, tile_a, tile_b, out);
  agpu__text_puts(out, "gpu.barrier\n");
  print_loop_end(self, NULL, "tile", out);
  print_results(self, out);
  agpu__linalg_print_launch_end(out);
  free(memory);
  free(tile_b);
  free(tile_a);
}
