//===- register_tile_result.c - Where tiles in registers begin and end ---===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the sums of a tile begin with, and where they go. A vector that is one
// piece of the result goes from there to registers and back. Smaller pieces,
// where the last loop is no multiple of a vector, go through workgroup memory,
// in a loop: each has its own place in the result.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include <stdlib.h>

typedef agpu__register_tile register_tile;

/// True if all sums begin with the same number.
static bool starts_alike(const register_tile *self) {
  intptr_t start = self->op->starts[2];
  return self->depth_fits && start >= 0 && !self->op->operands[start].is_memref;
}

/// Appends whether %row and %column are in the result: %in.
static void print_is_inside(const register_tile *self, agpu__text *out) {
  agpu__linalg_print_bound("row_in", "row", "rows", self->rows_fit, out);
  agpu__linalg_print_bound("column_in", "column", "columns", self->columns_fit,
                           out);
  agpu__text_puts(out, "%in = arith.andi %row_in, %column_in : i1\n");
}

static void print_splits(const register_tile *self, agpu__text *out) {
  agpu__linalg_print_split("row", &self->of->rows, out);
  agpu__linalg_print_split("column", &self->of->columns, out);
}

/// The type of a piece. The caller frees it.
static char *piece_type(const register_tile *self) {
  return agpu__linalg_type_text(self->of->type,
                                self->piece > 1 ? self->piece : 0);
}

/// Appends %value, what the sums of a piece begin with, or go on from.
static void print_first(const register_tile *self, const char *type,
                        agpu__text *out) {
  int count = self->piece > 1 ? self->piece : 0;
  if (self->depth_fits || self->op->starts[2] < 0) {
    agpu__linalg_print_start(self->op, 2, "value", count, out);
    return;
  }
  agpu__text_printf(out,
                    "%%is_first = arith.cmpi eq, %%from, %%c0 : index\n"
                    "%%value = scf.if %%is_first -> (%s) {\n",
                    type);
  agpu__linalg_print_start(self->op, 2, "first", count, out);
  agpu__text_printf(out, "scf.yield %%first : %s\n} else {\n", type);
  agpu__linalg_print_wide_access(self->op, 2, "before", count, false, out);
  agpu__text_printf(out, "scf.yield %%before : %s\n}\n", type);
}

/// Stores a piece: for the next steps, or what becomes of it after the last.
static void print_last(const register_tile *self, const char *name,
                       agpu__text *out) {
  int count = self->piece > 1 ? self->piece : 0;
  if (self->depth_fits || mlirOperationIsNull(self->op->finish)) {
    agpu__linalg_print_finish(self->op, 2, name, count, out);
    return;
  }
  agpu__text_printf(out,
                    "%%is_last = arith.cmpi eq, %%to, %%n%d : index\n"
                    "scf.if %%is_last {\n",
                    (int)self->of->inner.data[0]);
  agpu__linalg_print_finish(self->op, 2, name, count, out);
  agpu__text_puts(out, "} else {\n");
  agpu__linalg_print_wide_access(self->op, 2, name, count, true, out);
  agpu__text_puts(out, "}\n");
}

/// Appends %got: what the sums of a piece begin with if it is in the result,
/// else zeros.
static void print_got(const register_tile *self, agpu__text *out) {
  AGPU__OWNED char *type = piece_type(self);
  print_is_inside(self, out);
  agpu__text_printf(out, "%%got = scf.if %%in -> (%s) {\n", type);
  print_splits(self, out);
  print_first(self, type, out);
  agpu__text_printf(out,
                    "scf.yield %%value : %s\n} else {\n"
                    "%%none = arith.constant %s%s%s : %s\n"
                    "scf.yield %%none : %s\n}\n",
                    type, self->piece > 1 ? "dense<" : "", self->of->zero,
                    self->piece > 1 ? ">" : "", type, type);
}

/// Appends what stores %FROM, a piece, if it is in the result.
static void print_put(const register_tile *self, const char *from,
                      agpu__text *out) {
  print_is_inside(self, out);
  agpu__text_puts(out, "scf.if %in {\n");
  print_splits(self, out);
  print_last(self, from, out);
  agpu__text_puts(out, "}\n");
}

/// Appends a loop over the pieces of a tile that are not vectors, which lie in
/// %sums: what they begin with is put there, or what they are is stored.
static void print_pieces(const register_tile *self, bool are_starts,
                         const char *sums, agpu__text *out) {
  AGPU__OWNED char *type = piece_type(self);
  const char *dialect = self->piece > 1 ? "vector" : "memref";
  AGPU__OWNED char *wide =
      self->piece > 1 ? agpu__format(", %s", type) : agpu__format("%s", "");
  agpu__text_printf(out,
                    "scf.for %%i = %%c0 to %%c%d step %%c1 {\n"
                    "scf.for %%k = %%c0 to %%c%d step %%c%d {\n"
                    "%%row = arith.addi %%first_row, %%i : index\n"
                    "%%column = arith.addi %%first_column, %%k : index\n",
                    self->rows, self->vectors * self->width, self->piece);
  if (are_starts) {
    print_got(self, out);
    agpu__text_printf(out, "%s.store %%got, %%sums[%%i, %%k] : %s%s\n", dialect,
                      sums, wide);
  } else {
    agpu__text_printf(out, "%%sum = %s.load %%sums[%%i, %%k] : %s%s\n", dialect,
                      sums, wide);
    print_put(self, "sum", out);
  }
  agpu__text_puts(out, "}\n}\n");
}

/// Appends "%sums[I, K] : TYPE, VECTOR" of a vector of the tile.
static void print_in_sums(const register_tile *self, int i, int k,
                          const char *sums, agpu__text *out) {
  agpu__text_printf(out, "%%sums[%%c%d, %%c%d] : %s, %s\n", i, k * self->width,
                    sums, self->vector);
}

/// What the sums of a vector begin with, %startI_K.
static void print_start(const register_tile *self, int i, int k,
                        const char *sums, agpu__text *out) {
  if (starts_alike(self)) {
    AGPU__OWNED char *name = agpu__format("start%d_%d", i, k);
    agpu__linalg_print_start(self->op, 2, name, self->width, out);
  } else if (self->piece < self->width) {
    agpu__text_printf(out, "%%start%d_%d = vector.load ", i, k);
    print_in_sums(self, i, k, sums, out);
  } else {
    agpu__text_printf(out,
                      "%%start%d_%d = scf.execute_region -> %s {\n"
                      "%%row = arith.addi %%first_row, %%c%d : index\n"
                      "%%column = arith.addi %%first_column, %%c%d : index\n",
                      i, k, self->vector, i, k * self->width);
    print_got(self, out);
    agpu__text_printf(out, "scf.yield %%got : %s\n}\n", self->vector);
  }
}

static void print_store(const register_tile *self, int i, int k,
                        const char *sums, agpu__text *out) {
  int number = i * self->vectors + k;
  if (self->piece < self->width) {
    agpu__text_printf(out, "vector.store %%all0#%d, ", number);
    print_in_sums(self, i, k, sums, out);
    return;
  }
  AGPU__OWNED char *name = agpu__format("all0#%d", number);
  agpu__text_printf(out,
                    "scf.execute_region {\n"
                    "%%row = arith.addi %%first_row, %%c%d : index\n"
                    "%%column = arith.addi %%first_column, %%c%d : index\n",
                    i, k * self->width);
  print_put(self, name, out);
  agpu__text_puts(out, "scf.yield\n}\n");
}

void agpu__register_tile_print_starts(const agpu__register_tile *self,
                                      const char *sums, agpu__text *out) {
  if (self->piece < self->width && !starts_alike(self))
    print_pieces(self, true, sums, out);
  for (int i = 0; i < self->rows; ++i)
    for (int k = 0; k < self->vectors; ++k)
      print_start(self, i, k, sums, out);
}

void agpu__register_tile_print_results(const agpu__register_tile *self,
                                       const char *sums, agpu__text *out) {
  for (int i = 0; i < self->rows; ++i)
    for (int k = 0; k < self->vectors; ++k)
      print_store(self, i, k, sums, out);
  if (self->piece < self->width)
    print_pieces(self, false, sums, out);
}
