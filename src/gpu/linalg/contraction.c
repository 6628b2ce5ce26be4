//===- contraction.c - Sums of products -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises matrix products and convolutions by their body, sorts their loops
// by which operands they index, and chooses the tiles; contraction_kernel.c is
// the code.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "mlir-c/AffineExpr.h"

#include <stdlib.h>

enum { SIDE = AGPU__CONTRACTION_SIDE };

/// Elements of a thread in each direction at most.
enum { MOST = 8 };

//===----------------------------------------------------------------------===//
// Recognising
//===----------------------------------------------------------------------===//

static bool is_cast(MlirOperation op) {
  return agpu__op_is_any(
      op, "arith.extf arith.extsi arith.extui arith.truncf arith.trunci "
          "arith.sitofp arith.uitofp arith.fptosi arith.fptoui");
}

/// Which input `value` is, if need be after a cast, which is noted; -1: none.
static int input_of(agpu__contraction *self, MlirValue value) {
  MlirOperation cast = {NULL};
  if (mlirValueIsAOpResult(value)) {
    cast = mlirOpResultGetOwner(value);
    if (!is_cast(cast))
      return -1;
    value = mlirOperationGetOperand(cast, 0);
  }
  for (int i = 0; i < 2; ++i)
    if (mlirValueEqual(value, mlirBlockGetArgument(self->op->body, i))) {
      self->casts[i] = cast;
      return i;
    }
  return -1;
}

/// True if the body adds the product of its inputs, and does no more.
static bool is_sum_of_products(agpu__contraction *self) {
  static const char *const names[][3] = {{"arith.addf", "arith.mulf", "0.0"},
                                         {"arith.addi", "arith.muli", "0"}};
  MlirValue state = mlirBlockGetArgument(self->op->body, 2);
  MlirOperation add = agpu__maker_of(
      mlirOperationGetOperand(mlirBlockGetTerminator(self->op->body), 0));
  for (size_t i = 0; i < 2; ++i) {
    if (!agpu__op_is(add, names[i][0]))
      continue;
    bool first = mlirValueEqual(mlirOperationGetOperand(add, 0), state);
    if (!first && !mlirValueEqual(mlirOperationGetOperand(add, 1), state))
      return false;
    MlirOperation multiply =
        agpu__maker_of(mlirOperationGetOperand(add, first));
    if (!agpu__op_is(multiply, names[i][1]))
      return false;
    int a = input_of(self, mlirOperationGetOperand(multiply, 0));
    int b = input_of(self, mlirOperationGetOperand(multiply, 1));
    self->add = names[i][0];
    self->multiply = names[i][1];
    self->zero = names[i][2];
    self->contract = i ? "" : " fastmath<contract>";
    return a >= 0 && b >= 0 && a != b;
  }
  return false;
}

static bool fits(int64_t size, int64_t tile) {
  return size >= 0 && size % tile == 0;
}

/// True if `count` columns of a thread, a vector, are one piece of the result,
/// and all in it or none.
static bool is_wide(const agpu__contraction *self, int count) {
  const agpu__linalg_operand *result = &self->op->operands[2];
  MlirType type = mlirValueGetType(result->value);
  intptr_t loop = self->columns.data[self->columns.count - 1];
  return count > 1 && agpu__linalg_last_loop(result) == loop &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
         fits(self->op->sizes[loop], count);
}

static int64_t ceiling(int64_t size, int64_t by) {
  return (size + by - 1) / by;
}

/// Halves `*number` while `size`, where that is known, needs at most half of
/// `number` times `by`.
static void fit(int *number, int by, int64_t size) {
  while (*number > 1 && size >= 0 && size <= (int64_t)*number * by / 2)
    *number /= 2;
}

/// All threads that a block has, each with as many elements as there
/// is work for, with as many blocks as the power of two at or below `blocks`.
static void choose_threads(agpu__contraction *self, int64_t rows,
                           int64_t columns, int64_t batch, int64_t blocks) {
  int64_t enough = 1;
  while (enough <= blocks / 2)
    enough *= 2;
  fit(&self->row_count, SIDE, rows);
  fit(&self->column_count, SIDE, columns);
  while (rows >= 0 && columns >= 0 && batch >= 0 &&
         self->row_count * self->column_count > 1) {
    int64_t down = ceiling(rows, SIDE * self->row_count);
    int64_t across = ceiling(columns, SIDE * self->column_count);
    if (down * across * batch >= enough)
      break;
    if (self->row_count >= self->column_count)
      self->row_count /= 2;
    else
      self->column_count /= 2;
  }
}

/// Small tiles are deeper, so that a thread has several elements on the way at
/// once, unless that is more than there is, or does not fit as well.
static void choose_depth(agpu__contraction *self, int64_t inner) {
  int most = self->row_count > self->column_count ? self->row_count
                                                  : self->column_count;
  self->depth = SIDE;
  while (self->depth * most < SIDE * MOST / 2 &&
         (inner < 0 || inner > self->depth) &&
         (!fits(inner, self->depth) || fits(inner, 2 * self->depth)))
    self->depth *= 2;
  self->inner_fits = fits(inner, self->depth);
}

static void choose_tile(agpu__contraction *self, int64_t blocks) {
  int64_t rows = agpu__linalg_product(self->op, &self->rows);
  int64_t columns = agpu__linalg_product(self->op, &self->columns);
  int64_t batch = agpu__linalg_product(self->op, &self->batch);
  int64_t inner = agpu__linalg_product(self->op, &self->inner);
  // Elements that are not moved as vectors are code each.
  self->row_count = is_wide(self, MOST / 2) ? MOST : MOST / 2;
  self->column_count = is_wide(self, MOST) ? MOST : MOST / 2;
  self->height = self->width = SIDE;
  choose_threads(self, rows, columns, batch, blocks);
  self->rows_fit = fits(rows, self->height * self->row_count);
  self->columns_fit = fits(columns, self->width * self->column_count);
  choose_depth(self, inner);
  self->is_wide = is_wide(self, self->column_count);
}

/// The last loop of `loops` is what the operand's last dimension is indexed by.
static bool is_last(const agpu__linalg_operand *operand,
                    const agpu__linalg_loops *loops) {
  return agpu__linalg_last_loop(operand) == loops->data[loops->count - 1];
}

/// Puts each loop where it belongs. False if one is in no place.
static bool sort_loops(agpu__contraction *self) {
  const agpu__linalg_op *op = self->op;
  // Neighbours in the result are columns, which the threads of a row make.
  intptr_t last = -1;
  for (intptr_t i = mlirAffineMapGetNumResults(op->operands[2].map);
       i-- > 0 && last < 0;) {
    MlirAffineExpr expr = mlirAffineMapGetResult(op->operands[2].map, i);
    if (!mlirAffineExprIsADim(expr))
      continue;
    intptr_t loop = mlirAffineDimExprGetPosition(expr);
    bool in_first = agpu__linalg_is_indexed_by(&op->operands[0], loop);
    bool in_second = agpu__linalg_is_indexed_by(&op->operands[1], loop);
    if (in_first != in_second) {
      last = loop;
      self->left = in_first ? 1 : 0;
    }
  }
  for (intptr_t loop = 0; loop < op->loop_count; ++loop) {
    bool in_left = agpu__linalg_is_indexed_by(&op->operands[self->left], loop);
    bool in_right =
        agpu__linalg_is_indexed_by(&op->operands[!self->left], loop);
    agpu__linalg_loops *kind = op->is_reduction[loop] ? &self->inner
                               : in_left && in_right  ? &self->batch
                               : in_left              ? &self->rows
                                                      : &self->columns;
    if (!in_left && !in_right)
      return false;
    kind->data[kind->count++] = loop;
  }
  return self->rows.count && self->columns.count && self->inner.count;
}

static bool recognise(agpu__contraction *self, bool for_emu) {
  const agpu__linalg_op *op = self->op;
  if (op->operand_count != 3 || op->input_count != 2 ||
      !op->operands[0].is_memref || !op->operands[1].is_memref ||
      !is_sum_of_products(self) || !sort_loops(self))
    return false;
  // One CPU has no use for tiles that are read once.
  if (for_emu && (agpu__linalg_product(op, &self->rows) == 1 ||
                  agpu__linalg_product(op, &self->columns) == 1))
    return false;
  self->inner_is_last[0] = is_last(&op->operands[self->left], &self->inner);
  self->inner_is_last[1] = is_last(&op->operands[!self->left], &self->inner);
  return true;
}

bool agpu__linalg_is_contraction(const agpu__linalg_op *op, bool for_emu) {
  agpu__contraction self = {.op = op};
  return recognise(&self, for_emu);
}

MlirLogicalResult agpu__linalg_contraction(const agpu__linalg_op *op,
                                           bool for_emu, int64_t blocks,
                                           agpu__linalg_kernel *out) {
  *out = (agpu__linalg_kernel){.made = false};
  agpu__contraction self = {.op = op};
  if (!recognise(&self, for_emu))
    return mlirLogicalResultSuccess();
  self.type = agpu__linalg_element(&op->operands[2]);
  AGPU__SCOPED(text) text = {0};
  if (!for_emu || !agpu__contraction_in_registers(&self, out, &text)) {
    choose_tile(&self, blocks);
    *out = (agpu__linalg_kernel){.made = true,
                                 .how = "tiles in workgroup memory",
                                 .tile_rows = self.height * self.row_count,
                                 .tile_columns = self.width * self.column_count,
                                 .wide = self.is_wide ? self.column_count : 0};
    agpu__contraction_print(&self, &text);
  }
  MlirLogicalResult result =
      agpu__linalg_replace(op, agpu__text_get(&text), out->wide);
  free(self.type);
  return result;
}
