//===- register_tile.c - The shape of tiles in registers -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses how many rows and vectors of the result a CPU keeps in registers, how
// much of it a block makes, and whether it copies the columns that it needs;
// register_tile_kernel.c is the code.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

/// What a CPU is taken to have: bytes of a vector, registers for sums, and
/// bytes near it for a copy of columns.
enum { VECTOR_BYTES = 32, COPY_BYTES = 32768 };
enum { MOST_WIDE = AGPU__REGISTER_TILE_WIDTH, SUMS = AGPU__REGISTER_TILE_SUMS };

/// Products that a block is worth it for, and how many blocks are enough.
enum { ENOUGH_PRODUCTS = 20000, ENOUGH_BLOCKS = 4 };

/// Rows of a block where their number is known when it runs.
enum { DYNAMIC_TILES = 16 };

typedef agpu__register_tile register_tile;

static int64_t ceiling(int64_t size, int64_t by) {
  return (size + by - 1) / by;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// The tile whose registers compute all of `rows` by `columns` soonest, if a
/// step adds to two vectors at a time, loads two, takes at least as long as the
/// addition before it, and a little for itself.
static void choose_registers(register_tile *self, int64_t rows,
                             int64_t columns) {
  self->rows = 6;
  self->vectors = 2;
  if (rows < 0 || columns < 0)
    return;
  int64_t fewest = INT64_MAX;
  for (int across = 1; across <= SUMS; ++across)
    for (int down = 1; down * across <= SUMS; ++down) {
      int64_t halves = 8;
      halves = down * across > halves ? down * across : halves;
      halves = down + across > halves ? down + across : halves;
      int64_t cost = (halves + 1) * ceiling(rows, down) *
                     ceiling(columns, (int64_t)across * self->width);
      if (cost >= fewest)
        continue;
      fewest = cost;
      self->rows = down;
      self->vectors = across;
    }
}

/// How much of the result a block makes.
static void choose_block(register_tile *self, int64_t rows, int64_t columns,
                         int64_t batch, int64_t inner) {
  int64_t wide = (int64_t)self->vectors * self->width;
  self->block_columns = wide;
  self->block_rows = (int64_t)DYNAMIC_TILES * self->rows;
  if (rows < 0)
    return;
  self->block_rows = ceiling(rows, self->rows) * self->rows;
  if (columns < 0 || batch < 0 || inner < 0)
    return;
  int64_t blocks = ceiling(columns, wide) * batch;
  int64_t products = self->block_rows * wide * inner;
  if (products < ENOUGH_PRODUCTS && blocks > ENOUGH_BLOCKS)
    self->block_columns =
        wide * least(ENOUGH_PRODUCTS / (products ? products : 1),
                     ceiling(columns, wide));
  int64_t parts = least(ceiling(ENOUGH_BLOCKS, blocks ? blocks : 1),
                        products / ENOUGH_PRODUCTS);
  if (parts > 1)
    self->block_rows = ceiling(ceiling(rows, parts), self->rows) * self->rows;
}

static bool choose(register_tile *self) {
  const agpu__contraction *of = self->of;
  const agpu__linalg_op *op = self->op;
  int64_t rows = agpu__linalg_product(op, &of->rows);
  int64_t columns = agpu__linalg_product(op, &of->columns);
  int64_t batch = agpu__linalg_product(op, &of->batch);
  int64_t inner = agpu__linalg_product(op, &of->inner);
  int bits = agpu__linalg_element_bits(&op->operands[2]);
  int bytes = bits < 8 ? 1 : bits / 8;
  intptr_t last = of->columns.data[of->columns.count - 1];
  self->width = (int)least(VECTOR_BYTES / bytes, MOST_WIDE);
  self->piece =
      agpu__linalg_has_neighbours(&op->operands[2], last) ? self->width : 1;
  while (op->sizes[last] < 0 ? self->piece > 1
                             : op->sizes[last] % self->piece != 0)
    self->piece /= 2;
  self->right_is_wide =
      agpu__linalg_has_neighbours(&op->operands[self->right], last);
  choose_registers(self, rows, columns);
  choose_block(self, rows, columns, batch, inner);
  self->rows_fit = rows >= 0 && rows % self->rows == 0;
  self->columns_fit =
      columns >= 0 && columns % (self->vectors * self->width) == 0;
  self->copies = rows < 0 || rows > 2 * self->rows || !self->right_is_wide ||
                 self->piece != self->width;
  // Of the first inner loop as many steps as fit.
  agpu__linalg_loops others = of->inner;
  for (size_t i = 1; i < others.count; ++i)
    others.data[i - 1] = others.data[i];
  --others.count;
  int64_t each = agpu__linalg_product(op, &others);
  int64_t most = COPY_BYTES / (self->vectors * self->width * bytes);
  int64_t steps = op->sizes[of->inner.data[0]];
  if (self->copies && (each < 0 || each > most))
    return false;
  self->at_once = !self->copies ? -1 : most / (each ? each : 1);
  if (self->copies && steps >= 0 && steps > 0) // pieces of the same size
    self->at_once = ceiling(steps, ceiling(steps, self->at_once));
  self->depth = self->at_once * each;
  self->depth_fits = !self->copies || (steps >= 0 && steps <= self->at_once);
  return true;
}

bool agpu__contraction_in_registers(const agpu__contraction *of,
                                    agpu__linalg_kernel *out_kernel,
                                    agpu__text *out) {
  register_tile self = {.of = of, .op = of->op, .right = !of->left};
  if (!choose(&self))
    return false;
  *out_kernel = (agpu__linalg_kernel){.made = true,
                                      .how = "tiles in registers",
                                      .tile_rows = self.block_rows,
                                      .tile_columns = self.block_columns,
                                      .wide = self.piece > 1 ? self.piece : 0};
  AGPU__OWNED char *vector =
      agpu__format("vector<%dx%s>", self.width, of->type);
  self.vector = vector;
  agpu__register_tile_print(&self, out);
  return true;
}
