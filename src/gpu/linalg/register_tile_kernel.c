//===- register_tile_kernel.c - Code of tiles in registers ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a sum of products for the emulated device: a block of a single
// thread, which is code for a CPU. It keeps a few rows of a few vectors of the
// result in registers, and adds to all of them for each step of the inner
// loops: vectors of the operand with the columns, times single elements of the
// other. The columns that a block needs are copied side by side first, if more
// than two tiles of rows read them, as deep as fits near the CPU; then sums go
// on from what the result has so far. Rows and columns past the end are those
// at the end once more, which are not stored.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_WIDE = AGPU__REGISTER_TILE_WIDTH, SUMS = AGPU__REGISTER_TILE_SUMS };

typedef agpu__register_tile register_tile;

/// Appends "%PREFIX0_0, %PREFIX0_1, ..." for each vector, with " = " and the
/// one of `other` after each where that is not NULL.
static void print_all(const register_tile *self, const char *prefix,
                      const char *other, agpu__text *out) {
  for (int i = 0; i < self->rows; ++i)
    for (int k = 0; k < self->vectors; ++k) {
      agpu__text_printf(out, "%s%%%s%d_%d", i || k ? ", " : "", prefix, i, k);
      if (other)
        agpu__text_printf(out, " = %%%s%d_%d", other, i, k);
    }
}

static void print_types(const register_tile *self, agpu__text *out) {
  for (int i = 0; i < self->rows * self->vectors; ++i)
    agpu__text_printf(out, "%s%s", i ? ", " : "", self->vector);
}

/// Appends "%to = from + add", but not past the last that `count` elements
/// begin at, where `fits` does not say that it never is.
static void print_place(const char *to, const char *from, int64_t add,
                        const char *last, bool fits, agpu__text *out) {
  agpu__text_printf(out, "%%%s%s = arith.addi %%%s, %%c%" PRId64 " : index\n",
                    to, fits ? "" : "_far", from, add);
  if (!fits)
    agpu__text_printf(out, "%%%s = arith.minui %%%s_far, %%%s : index\n", to,
                      to, last);
}

/// Appends %to, elements of operand `index` (`count` of them, or 0 for one) at
/// the iteration that there is, converted to the type of the sums.
static void print_load(const register_tile *self, int index, int count,
                       const char *to, agpu__text *out) {
  MlirOperation cast = self->of->casts[index];
  if (mlirOperationIsNull(cast)) {
    agpu__linalg_print_wide_access(self->op, index, to, count, false, out);
    return;
  }
  agpu__linalg_print_wide_access(self->op, index, "element", count, false, out);
  AGPU__OWNED char *from = agpu__linalg_element(&self->op->operands[index]);
  const char *name = agpu__op_name(cast).data;
  if (count)
    agpu__text_printf(out,
                      "%%%s = %s %%element : vector<%dx%s> to vector<%dx%s>\n",
                      to, name, count, from, count, self->of->type);
  else
    agpu__text_printf(out, "%%%s = %s %%element : %s to %s\n", to, name, from,
                      self->of->type);
}

/// Appends where a step of the inner loops is in the copy: %deep.
static void print_depth(const register_tile *self, agpu__text *out) {
  const agpu__linalg_loops *inner = &self->of->inner;
  agpu__text_printf(out, "%%deep0 = arith.subi %%d%d, %%from : index\n",
                    (int)inner->data[0]);
  for (size_t i = 1; i < inner->count; ++i)
    agpu__text_printf(out,
                      "%%up%zu = arith.muli %%deep%zu, %%n%d : index\n"
                      "%%deep%zu = arith.addi %%up%zu, %%d%d : index\n",
                      i, i - 1, (int)inner->data[i], i, i, (int)inner->data[i]);
}

/// Appends the beginning of the inner loop `level`, up to where its results are
/// declared.
static void print_inner_loop(const register_tile *self, size_t level,
                             agpu__text *out) {
  int loop = (int)self->of->inner.data[level];
  if (level)
    agpu__text_printf(out, "scf.for %%d%d = %%c0 to %%n%d step %%c1 ", loop,
                      loop);
  else
    agpu__text_printf(out, "scf.for %%d%d = %%from to %%to step %%c1 ", loop);
}

/// Copies the columns of a tile.
static void print_copy(const register_tile *self, const char *copy,
                       agpu__text *out) {
  const agpu__linalg_loops *inner = &self->of->inner;
  int wide = self->vectors * self->width;
  int piece = self->right_is_wide ? self->piece : 1;
  for (int column = 0; column < wide; column += piece) {
    agpu__text_puts(out, "scf.execute_region {\n");
    print_place("column", "first_column", column,
                piece > 1 ? "last_piece" : "last_column", self->columns_fit,
                out);
    agpu__linalg_print_split("column", &self->of->columns, out);
    for (size_t level = 0; level < inner->count; ++level) {
      print_inner_loop(self, level, out);
      agpu__text_puts(out, "{\n");
    }
    print_load(self, self->right, piece > 1 ? piece : 0, "value", out);
    print_depth(self, out);
    agpu__text_printf(out, "%s.store %%value, %%copy[%%deep%zu, %%c%d] : %s",
                      piece > 1 ? "vector" : "memref", inner->count - 1, column,
                      copy);
    if (piece > 1)
      agpu__text_printf(out, ", vector<%dx%s>", piece, self->of->type);
    agpu__text_puts(out, "\n");
    for (size_t level = 0; level < inner->count; ++level)
      agpu__text_puts(out, "}\n");
    agpu__text_puts(out, "scf.yield\n}\n");
  }
}

/// Loads the vectors of columns of a step: %right0, ...
static void print_rights(const register_tile *self, const char *copy,
                         agpu__text *out) {
  if (self->copies)
    print_depth(self, out);
  for (int k = 0; k < self->vectors; ++k) {
    if (self->copies) {
      agpu__text_printf(out,
                        "%%right%d = vector.load %%copy[%%deep%zu, %%c%d] : "
                        "%s, %s\n",
                        k, self->of->inner.count - 1, k * self->width, copy,
                        self->vector);
      continue;
    }
    agpu__text_printf(out, "%%right%d = scf.execute_region -> %s {\n", k,
                      self->vector);
    print_place("column", "first_column", (int64_t)k * self->width,
                "last_piece", self->columns_fit, out);
    agpu__linalg_print_split("column", &self->of->columns, out);
    print_load(self, self->right, self->width, "value", out);
    agpu__text_printf(out, "scf.yield %%value : %s\n}\n", self->vector);
  }
}

/// Adds the products of all steps: %all from %start.
static void print_products(const register_tile *self, const char *copy,
                           agpu__text *out) {
  const agpu__contraction *of = self->of;
  size_t depth = of->inner.count;
  char as[24], from[24] = "start";
  for (size_t level = 0; level < depth; ++level) {
    snprintf(as, sizeof(as), "sum%zu_", level);
    agpu__text_printf(out, "%%all%zu:%d = ", level, self->rows * self->vectors);
    print_inner_loop(self, level, out);
    agpu__text_puts(out, "iter_args(");
    print_all(self, as, from, out);
    agpu__text_puts(out, ") -> (");
    print_types(self, out);
    agpu__text_puts(out, ") {\n");
    snprintf(from, sizeof(from), "%s", as);
  }
  print_rights(self, copy, out);
  for (int i = 0; i < self->rows; ++i) {
    agpu__text_printf(out, "%%left%d = scf.execute_region -> %s {\n", i,
                      of->type);
    print_place("row", "first_row", i, "last_row", self->rows_fit, out);
    agpu__linalg_print_split("row", &of->rows, out);
    print_load(self, of->left, 0, "value", out);
    agpu__text_printf(out,
                      "scf.yield %%value : %s\n}\n"
                      "%%wide%d = vector.broadcast %%left%d : %s to %s\n",
                      of->type, i, i, of->type, self->vector);
    for (int k = 0; k < self->vectors; ++k)
      agpu__text_printf(out,
                        "%%product%d_%d = %s %%wide%d, %%right%d%s : %s\n"
                        "%%next%d_%d = %s %%%s%d_%d, %%product%d_%d%s : %s\n",
                        i, k, of->multiply, i, k, of->contract, self->vector, i,
                        k, of->add, as, i, k, i, k, of->contract, self->vector);
  }
  for (size_t level = depth; level-- > 0;) {
    agpu__text_puts(out, "scf.yield ");
    if (level + 1 == depth)
      print_all(self, "next", NULL, out);
    for (int i = 0; level + 1 < depth && i < self->rows * self->vectors; ++i)
      agpu__text_printf(out, "%s%%all%zu#%d", i ? ", " : "", level + 1, i);
    agpu__text_puts(out, " : ");
    print_types(self, out);
    agpu__text_puts(out, "\n}\n");
  }
}

static void print_constants(const register_tile *self, agpu__text *out) {
  int64_t numbers[SUMS + MOST_WIDE * SUMS + 8];
  size_t count = 0;
  for (int i = 0; i <= self->rows; ++i)
    numbers[count++] = i;
  for (int i = 0; i <= self->vectors * self->width; ++i)
    numbers[count++] = i;
  numbers[count++] = self->block_rows;
  numbers[count++] = self->block_columns;
  numbers[count++] = self->copies ? self->at_once : 1;
  agpu__linalg_print_constants(numbers, count, out);
}

static void print_grid(const register_tile *self, agpu__text *out) {
  const agpu__contraction *of = self->of;
  agpu__linalg_print_sizes(self->op, out);
  agpu__linalg_print_product("batch", &of->batch, out);
  agpu__linalg_print_product("rows", &of->rows, out);
  agpu__linalg_print_product("columns", &of->columns, out);
  agpu__text_printf(out,
                    "%%down = arith.ceildivui %%rows, %%c%" PRId64 " : index\n"
                    "%%across = arith.ceildivui %%columns, %%c%" PRId64
                    " : index\n"
                    "%%tiles = arith.muli %%across, %%down : index\n"
                    "%%grid = arith.muli %%tiles, %%batch : index\n",
                    self->block_rows, self->block_columns);
}

/// Which part of the result is the block's.
static void print_block(const register_tile *self, agpu__text *out) {
  agpu__text_printf(
      out,
      "%%block_column = arith.remui %%bx, %%across : index\n"
      "%%rest = arith.divui %%bx, %%across : index\n"
      "%%block_row = arith.remui %%rest, %%down : index\n"
      "%%which = arith.divui %%rest, %%down : index\n"
      "%%tile_y = arith.muli %%block_row, %%c%" PRId64 " : index\n"
      "%%tile_x = arith.muli %%block_column, %%c%" PRId64 " : index\n"
      "%%below = arith.addi %%tile_y, %%c%" PRId64 " : index\n"
      "%%beyond = arith.addi %%tile_x, %%c%" PRId64 " : index\n"
      "%%end_y = arith.minui %%below, %%rows : index\n"
      "%%end_x = arith.minui %%beyond, %%columns : index\n"
      "%%last_row = arith.subi %%rows, %%c1 : index\n"
      "%%last_column = arith.subi %%columns, %%c1 : index\n"
      "%%last_piece = arith.subi %%columns, %%c%d : index\n",
      self->block_rows, self->block_columns, self->block_rows,
      self->block_columns, self->piece);
  agpu__linalg_print_split("which", &self->of->batch, out);
}

static void print_kernel(const register_tile *self, const char *copy,
                         const char *sums, agpu__text *out) {
  int first = (int)self->of->inner.data[0];
  int wide = self->vectors * self->width;
  print_block(self, out);
  agpu__text_printf(
      out, "scf.for %%first_column = %%tile_x to %%end_x step %%c%d {\n", wide);
  if (self->depth_fits)
    agpu__text_printf(out,
                      "%%from = arith.addi %%c0, %%c0 : index\n"
                      "%%to = arith.addi %%n%d, %%c0 : index\n",
                      first);
  else
    // Once without any step, too: what sums begin with is stored.
    agpu__text_printf(out,
                      "%%steps = arith.maxui %%n%d, %%c1 : index\n"
                      "scf.for %%from = %%c0 to %%steps step %%c%" PRId64 " {\n"
                      "%%far = arith.addi %%from, %%c%" PRId64 " : index\n"
                      "%%to = arith.minui %%far, %%n%d : index\n",
                      first, self->at_once, self->at_once, first);
  if (self->copies)
    print_copy(self, copy, out);
  agpu__text_printf(out,
                    "scf.for %%first_row = %%tile_y to %%end_y step %%c%d {\n",
                    self->rows);
  agpu__register_tile_print_starts(self, sums, out);
  print_products(self, copy, out);
  agpu__register_tile_print_results(self, sums, out);
  agpu__text_puts(out, self->depth_fits ? "}\n}\n" : "}\n}\n}\n");
}

void agpu__register_tile_print(const agpu__register_tile *self,
                               agpu__text *out) {
  int wide = self->vectors * self->width;
  AGPU__OWNED char *copy =
      agpu__format("memref<%" PRId64 "x%dx%s, #gpu.address_space<workgroup>>",
                   self->depth, wide, self->of->type);
  AGPU__OWNED char *sums =
      agpu__format("memref<%dx%dx%s, #gpu.address_space<workgroup>>",
                   self->rows, wide, self->of->type);
  AGPU__SCOPED(text) memory = {0};
  if (self->copies)
    agpu__text_printf(&memory, "workgroup(%%copy : %s", copy);
  // A tile of pieces has a copy, too.
  if (self->piece < self->width)
    agpu__text_printf(&memory, ", %%sums : %s", sums);
  if (self->copies)
    agpu__text_puts(&memory, ")");
  print_constants(self, out);
  print_grid(self, out);
  agpu__linalg_print_launch(1, 1, agpu__text_get(&memory), out);
  print_kernel(self, copy, sums, out);
  agpu__linalg_print_launch_end(out);
}
