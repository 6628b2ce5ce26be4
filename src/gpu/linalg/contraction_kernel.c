//===- contraction_kernel.c - Tiles in workgroup memory ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of 16 by 16 threads makes a tile of the result from tiles of the
// operands that it brings into workgroup memory, 16 to 64 deep, while it
// multiplies the tiles before: what a thread brings waits in registers. Each
// makes up to 8 rows, 16 apart, of up to 8 neighbouring columns, which are one
// vector: wide loads of workgroup memory on a card, and a CPU's registers where
// that runs the kernel. A single column is a number, so that the columns of a
// row of threads can become a CPU's vector. What a thread brings are
// neighbouring elements of neighbouring threads. The borders are guarded only
// where the sizes are not known to fit.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = AGPU__CONTRACTION_SIDE, MOST_ELEMENTS = 8 };

/// Steps along the depth in one round of the loop, so that the elements of a
/// row can be loaded at once, and elements between rows of a tile that keep
/// their places in different banks.
enum { STEPS = 4, PADDING = 4 };

/// Constants of a kernel at most: places along a tile of so many elements, or
/// along its depth.
enum { MOST_NUMBERS = 3 * SIDE * MOST_ELEMENTS + 8 * SIDE };

typedef agpu__contraction contraction;

/// Appends "%to = from + apart i" and its guard "%to_in", for each i.
static void print_places(const char *to, const char *from, int count, int apart,
                         const char *limit, bool always, agpu__text *out) {
  for (int i = 0; i < count; ++i) {
    AGPU__OWNED char *name = agpu__format("%s%d", to, i);
    AGPU__OWNED char *guard = agpu__format("%s%d_in", to, i);
    agpu__text_printf(out, "%%%s = arith.addi %%%s, %%c%d : index\n", name,
                      from, apart * i);
    agpu__linalg_print_bound(guard, name, limit, always, out);
  }
}

/// Appends %to, the element of operand `index` at the numbers %first_at and
/// %second_at of two kinds of loops, converted, or zero where one of them is
/// not in bounds. The second operand's zero has a sign: the product of both is
/// -0.0, which changes no sum.
static void print_element(const contraction *self, int index, const char *to,
                          const agpu__linalg_loops *first, const char *first_at,
                          const agpu__linalg_loops *second,
                          const char *second_at, agpu__text *out) {
  agpu__text_printf(out,
                    "%%%s_in = arith.andi %%%s_in, %%%s_in : i1\n"
                    "%%%s = scf.if %%%s_in -> (%s) {\n",
                    to, first_at, second_at, to, to, self->type);
  agpu__linalg_print_split(first_at, first, out);
  agpu__linalg_print_split(second_at, second, out);
  agpu__linalg_print_access(self->op, index, "element", false, out);
  const char *name = "element";
  if (index < 2 && !mlirOperationIsNull(self->casts[index])) {
    AGPU__OWNED char *from = agpu__linalg_element(&self->op->operands[index]);
    agpu__text_printf(out, "%%converted = %s %%element : %s to %s\n",
                      agpu__op_name(self->casts[index]).data, from, self->type);
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
  AGPU__OWNED char *type = columns_type(self);
  for (int i = 0; i < self->row_count; ++i)
    agpu__text_printf(out, "%s%s", i ? ", " : "", type);
}

/// A tile of an operand in workgroup memory: `extent` rows, or columns, by the
/// depth.
typedef struct tile {
  int operand;
  const char *memory, *type;
  bool has_rows;
  int extent;
  /// Neighbouring threads bring neighbours along the depth.
  bool by_depth;
} tile;

static tile describe_tile(const contraction *self, bool has_rows,
                          const char *type) {
  tile made = {.operand = has_rows ? self->left : !self->left,
               .memory = has_rows ? "as" : "bs",
               .type = type,
               .has_rows = has_rows,
               .extent = has_rows ? self->height * self->row_count
                                  : self->width * self->column_count};
  // All threads have something to bring.
  made.by_depth = self->inner_is_last[!has_rows] ? made.extent >= self->height
                                                 : made.extent < self->width;
  return made;
}

/// How many places a thread brings along the tile's extent, and along its
/// depth.
static int count_places(const contraction *self, const tile *of, bool depth) {
  int threads = of->by_depth == depth ? self->width : self->height;
  return (depth ? self->depth : of->extent) / threads;
}

/// Appends what makes %PREFIX0, ... the places of a thread in the tile along
/// its depth, or its extent, then what makes %PREFIXg0, ... those in the
/// operand, from %first on, with guards.
static void print_tile_places(const contraction *self, const tile *of,
                              bool depth, const char *prefix, const char *first,
                              const char *limit, bool always, agpu__text *out) {
  bool along_x = of->by_depth == depth;
  int apart = along_x ? self->width : self->height;
  int count = count_places(self, of, depth);
  for (int i = 0; i < count; ++i) {
    AGPU__OWNED char *name = agpu__format("%.8sg%d", prefix, i);
    AGPU__OWNED char *guard = agpu__format("%s_in", name);
    agpu__text_printf(out,
                      "%%%s%d = arith.addi %%%s, %%c%d : index\n"
                      "%%%s = arith.addi %%%s, %%%s%d : index\n",
                      prefix, i, along_x ? "tx" : "ty", apart * i, name, first,
                      prefix, i);
    agpu__linalg_print_bound(guard, name, limit, always, out);
  }
}

/// Loads what a thread brings of a tile that begins at %AT along the inner
/// loops: %MEMORYsSTAGE_K_I.
static void print_tile_loads(const contraction *self, const tile *of,
                             const char *stage, const char *at_depth,
                             agpu__text *out) {
  AGPU__OWNED char *deep =
      agpu__format("%.3s%s", of->has_rows ? "ak" : "bk", stage);
  AGPU__OWNED char *wide =
      agpu__format("%.3s%s", of->has_rows ? "ra" : "cb", stage);
  const agpu__linalg_loops *loops = of->has_rows ? &self->rows : &self->columns;
  print_tile_places(self, of, true, deep, at_depth, "inner", self->inner_fits,
                    out);
  print_tile_places(self, of, false, wide, of->has_rows ? "tile_y" : "tile_x",
                    of->has_rows ? "rows" : "columns",
                    of->has_rows ? self->rows_fit : self->columns_fit, out);
  int depth = count_places(self, of, true);
  int count = count_places(self, of, false);
  for (int k = 0; k < depth; ++k)
    for (int i = 0; i < count; ++i) {
      char to[48], at[32], inner[32];
      snprintf(to, sizeof(to), "%s%s_%d_%d", of->memory, stage, k, i);
      snprintf(at, sizeof(at), "%sg%d", wide, i);
      snprintf(inner, sizeof(inner), "%sg%d", deep, k);
      print_element(self, of->operand, to, loops, at, &self->inner, inner, out);
    }
}

/// Puts what a thread holds of a tile into workgroup memory.
static void print_tile_stores(const contraction *self, const tile *of,
                              agpu__text *out) {
  int count = count_places(self, of, false);
  for (int n = 0; n < count * count_places(self, of, true); ++n) {
    int k = n / count, i = n % count;
    agpu__text_printf(
        out, "memref.store %%%sh_%d_%d, %%%s[%%%s%d, %%%s%d] : %s\n",
        of->memory, k, i, of->memory, of->has_rows ? "raf" : "bkf",
        of->has_rows ? i : k, of->has_rows ? "akf" : "cbf",
        of->has_rows ? k : i, of->type);
  }
}

/// Appends ", %MEMORYsSTAGE_K_I" for each element that a thread holds of a
/// tile, with " = " and that of `other` after each where that is not NULL;
/// without a stage ", TYPE" for each.
static void print_held(const contraction *self, const tile *of,
                       const char *stage, const char *other, agpu__text *out) {
  int count = count_places(self, of, false);
  for (int n = 0; n < count * count_places(self, of, true); ++n) {
    if (stage)
      agpu__text_printf(out, ", %%%s%s_%d_%d", of->memory, stage, n / count,
                        n % count);
    else
      agpu__text_printf(out, ", %s", self->type);
    if (other)
      agpu__text_printf(out, " = %%%s%s_%d_%d", of->memory, other, n / count,
                        n % count);
  }
}

/// Appends a loop that takes the sums `from` as `as`, up to its body. With
/// tiles it also takes what a thread has brought of both.
static void print_loop(const contraction *self, const char *result,
                       const char *counter, const char *end, int step,
                       const char *as, const char *from, const tile *tiles,
                       agpu__text *out) {
  int held = 0;
  for (int i = 0; tiles && i < 2; ++i)
    held += count_places(self, &tiles[i], false) *
            count_places(self, &tiles[i], true);
  agpu__text_printf(out,
                    "%%%s:%d = scf.for %%%s = %%c0 to %%%s step %%c%d "
                    "iter_args(",
                    result, self->row_count + held, counter, end, step);
  print_all(self, as, from, out);
  for (int i = 0; tiles && i < 2; ++i)
    print_held(self, &tiles[i], "h", "f", out);
  agpu__text_puts(out, ") -> (");
  print_types(self, out);
  for (int i = 0; tiles && i < 2; ++i)
    print_held(self, &tiles[i], NULL, NULL, out);
  agpu__text_puts(out, ") {\n");
}

/// Appends the end of a loop that gives `names`, or the results of `loop`, and
/// with tiles what a thread has brought of the next ones.
static void print_loop_end(const contraction *self, const char *names,
                           const char *loop, const tile *tiles,
                           agpu__text *out) {
  agpu__text_puts(out, "scf.yield ");
  if (names)
    print_all(self, names, NULL, out);
  for (int i = 0; loop && i < self->row_count; ++i)
    agpu__text_printf(out, "%s%%%s#%d", i ? ", " : "", loop, i);
  for (int i = 0; tiles && i < 2; ++i)
    print_held(self, &tiles[i], "n", NULL, out);
  agpu__text_puts(out, " : ");
  print_types(self, out);
  for (int i = 0; tiles && i < 2; ++i)
    print_held(self, &tiles[i], NULL, NULL, out);
  agpu__text_puts(out, "\n}\n");
}

/// Appends a thread's columns at step `step` of the depth: %rightSTEP.
static void print_right(const contraction *self, int step, const tile *b,
                        agpu__text *out) {
  agpu__text_printf(out, "%%k%d = arith.addi %%k, %%c%d : index\n", step, step);
  AGPU__OWNED char *type = columns_type(self);
  if (self->column_count > 1)
    agpu__text_printf(out,
                      "%%right%d = vector.load %%bs[%%k%d, %%place] : %s, %s\n",
                      step, step, b->type, type);
  else
    agpu__text_printf(out,
                      "%%right%d = memref.load %%bs[%%k%d, %%place] : %s\n",
                      step, step, b->type);
}

/// Multiplies the tiles.
static void print_products(const contraction *self, const tile *a,
                           const tile *b, agpu__text *out) {
  AGPU__OWNED char *type = columns_type(self);
  bool is_vector = self->column_count > 1;
  AGPU__OWNED char *depth = agpu__format("c%d", self->depth);
  print_loop(self, "tile", "k", depth, STEPS, "sum0_", "before", NULL, out);
  for (int step = 0; step < STEPS; ++step) {
    print_right(self, step, b, out);
    for (int i = 0; i < self->row_count; ++i) {
      agpu__text_printf(
          out, "%%left%d_%d = memref.load %%as[%%place_y%d, %%k%d] : %s\n",
          step, i, i, step, a->type);
      if (is_vector)
        agpu__text_printf(
            out, "%%wide%d_%d = vector.broadcast %%left%d_%d : %s to %s\n",
            step, i, step, i, self->type, type);
      agpu__text_printf(out,
                        "%%product%d_%d = %s %%%s%d_%d, %%right%d%s : %s\n"
                        "%%sum%d_%d = %s %%sum%d_%d, %%product%d_%d%s : %s\n",
                        step, i, self->multiply, is_vector ? "wide" : "left",
                        step, i, step, self->contract, type, step + 1, i,
                        self->add, step, i, step, i, self->contract, type);
    }
  }
  AGPU__OWNED char *last = agpu__format("sum%d_", STEPS);
  print_loop_end(self, last, NULL, NULL, out);
}

/// Appends the beginning of what runs if row `i` and column `k` of a thread are
/// in the result; then their iterations are there.
static void print_if_inside(const contraction *self, const char *result, int i,
                            int k, const char *type, agpu__text *out) {
  AGPU__OWNED char *row = agpu__format("row%d", i);
  AGPU__OWNED char *column = agpu__format("column%d", k);
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
  AGPU__OWNED char *columns = columns_type(self);
  const char *type = at_once ? columns : self->type;
  if (self->is_wide)
    agpu__text_printf(out, "%%zeros = vector.broadcast %%zero : %s to %s\n",
                      self->type, columns);
  for (int i = 0; i < self->row_count; ++i) {
    for (int k = 0; k < self->column_count; k += step) {
      AGPU__OWNED char *name =
          agpu__format(at_once ? "start%d" : "start_%d_%d", i, k);
      print_if_inside(self, name, i, k, type, out);
      agpu__linalg_print_start(self->op, 2, "element", self->is_wide ? step : 0,
                               out);
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
}

static void print_results(const contraction *self, agpu__text *out) {
  bool at_once = self->is_wide || self->column_count == 1;
  int step = at_once ? self->column_count : 1;
  for (int i = 0; i < self->row_count; ++i)
    for (int k = 0; k < self->column_count; k += step) {
      AGPU__OWNED char *name =
          agpu__format(at_once ? "all#%d" : "made_%d_%d", i, k);
      if (!at_once)
        agpu__text_printf(
            out, "%%%s = vector.extract %%all#%d[%d] : %s from vector<%dx%s>\n",
            name, i, k, self->type, self->column_count, self->type);
      print_if_inside(self, NULL, i, k, NULL, out);
      agpu__linalg_print_finish(self->op, 2, name, self->is_wide ? step : 0,
                                out);
      agpu__text_puts(out, "}\n");
    }
}

/// Multiples of a number, from 0 on, that are needed as constants.
typedef struct multiples {
  int of, count;
} multiples;

static void print_constants(const contraction *self, const tile *a,
                            const tile *b, agpu__text *out) {
  const multiples needed[] = {
      {1, MOST_ELEMENTS + 1},
      {self->height, self->row_count},
      {a->by_depth ? self->width : self->height, count_places(self, a, true)},
      {a->by_depth ? self->height : self->width, count_places(self, a, false)},
      {b->by_depth ? self->width : self->height, count_places(self, b, true)},
      {b->by_depth ? self->height : self->width, count_places(self, b, false)},
      {self->width, 2},
      {self->depth, 2},
      {self->height * self->row_count, 2},
      {self->width * self->column_count, 2}};
  int64_t numbers[MOST_NUMBERS];
  size_t count = 0;
  for (size_t i = 0; i < AGPU__COUNT(needed); ++i)
    for (int k = 0; k < needed[i].count; ++k)
      numbers[count++] = (int64_t)needed[i].of * k;
  agpu__linalg_print_constants(numbers, count, out);
}

/// How many blocks, and which tile is whose.
static void print_grid(const contraction *self, agpu__text *out) {
  agpu__linalg_print_sizes(self->op, out);
  agpu__linalg_print_product("batch", &self->batch, out);
  agpu__linalg_print_product("rows", &self->rows, out);
  agpu__linalg_print_product("columns", &self->columns, out);
  agpu__linalg_print_product("inner", &self->inner, out);
  agpu__text_printf(out,
                    "%%down = arith.ceildivui %%rows, %%c%d : index\n"
                    "%%across = arith.ceildivui %%columns, %%c%d : index\n"
                    "%%tiles = arith.muli %%across, %%down : index\n"
                    "%%grid = arith.muli %%tiles, %%batch : index\n",
                    self->height * self->row_count,
                    self->width * self->column_count);
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
                    "%%place = arith.muli %%tx, %%c%d : index\n"
                    "%%column = arith.addi %%tile_x, %%place : index\n",
                    self->zero, self->type, strcmp(self->zero, "0") ? "-" : "",
                    self->zero, self->type, self->height * self->row_count,
                    self->width * self->column_count, self->column_count);
  agpu__linalg_print_split("which", &self->batch, out);
  print_places("row", "row", self->row_count, self->height, "rows",
               self->rows_fit, out);
  print_places("column", "column", self->column_count, 1, "columns",
               self->columns_fit, out);
  print_places("place_y", "ty", self->row_count, self->height, "rows", true,
               out);
}

void agpu__contraction_print(const agpu__contraction *self, agpu__text *out) {
  AGPU__OWNED char *tile_a = agpu__format(
      "memref<%dx%dx%s, #gpu.address_space<workgroup>>",
      self->height * self->row_count, self->depth + PADDING, self->type);
  AGPU__OWNED char *tile_b = agpu__format(
      "memref<%dx%dx%s, #gpu.address_space<workgroup>>", self->depth,
      self->width * self->column_count + PADDING, self->type);
  const tile tiles[] = {describe_tile(self, true, tile_a),
                        describe_tile(self, false, tile_b)};
  AGPU__OWNED char *memory =
      agpu__format("workgroup(%%as : %s, %%bs : %s)", tile_a, tile_b);
  print_constants(self, &tiles[0], &tiles[1], out);
  print_grid(self, out);
  agpu__linalg_print_launch(self->width, self->height, memory, out);
  print_place(self, out);
  print_starts(self, out);
  for (int i = 0; i < 2; ++i)
    print_tile_loads(self, &tiles[i], "f", "c0", out);
  print_loop(self, "all", "first", "inner", self->depth, "before", "start",
             tiles, out);
  for (int i = 0; i < 2; ++i)
    print_tile_stores(self, &tiles[i], out);
  // Behind the last tiles there is nothing to bring: those again, where no
  // bounds are checked.
  agpu__text_printf(out,
                    "gpu.barrier\n"
                    "%%following = arith.addi %%first, %%c%d : index\n"
                    "%%more = arith.cmpi ult, %%following, %%inner : index\n"
                    "%%next_first = arith.select %%more, %%following, %%%s : "
                    "index\n",
                    self->depth, self->inner_fits ? "first" : "following");
  for (int i = 0; i < 2; ++i)
    print_tile_loads(self, &tiles[i], "n", "next_first", out);
  print_products(self, &tiles[0], &tiles[1], out);
  agpu__text_puts(out, "gpu.barrier\n");
  print_loop_end(self, NULL, "tile", tiles, out);
  print_results(self, out);
  agpu__linalg_print_launch_end(out);
}
