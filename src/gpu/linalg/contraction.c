//===- contraction.c - Tiles in workgroup memory --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products: a block of 16 by 16 threads makes a tile of the result,
// each thread up to 4 by 4 elements of it, 16 apart in both directions, from
// tiles of the operands that the block brings into workgroup memory, 16 deep.
// Neighbouring threads use neighbouring columns, which is what both a card's
// memory and a CPU's vectors want. Loops of the same kind are one, so that any
// number of batch, row, column and inner loops is one kernel; the borders are
// guarded only where the sizes are not known to fit.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/kernels.h"

#include "mlir-c/Dialect/Linalg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Threads of a block in each direction, and how deep a tile is.
enum { SIDE = 16, MOST = 4, ENOUGH_BLOCKS = 16 };

typedef struct contraction {
  const agpu__linalg_op *op;
  agpu__linalg_loops batch, rows, columns, inner;
  int row_count, column_count; ///< elements of a thread
  bool rows_fit, columns_fit, inner_fits;
  const char *multiply, *add, *zero;
  char *type;
  MlirOperation casts[2]; ///< of the operands; null: none
  int left;               ///< which operand has the rows: 0 or 1
} contraction;

//===----------------------------------------------------------------------===//
// Recognising
//===----------------------------------------------------------------------===//

static void read_loops(MlirAttribute numbers, agpu__linalg_loops *out) {
  out->count = 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i)
    out->data[out->count++] = mlirDenseI32ArrayGetElement(numbers, i);
}

/// Which input `value` is, if need be behind a cast, which is noted; -1: none.
static int input_of(contraction *self, MlirValue value) {
  MlirOperation cast = {NULL};
  if (mlirValueIsAOpResult(value)) {
    cast = mlirOpResultGetOwner(value);
    if (mlirOperationGetNumOperands(cast) != 1 ||
        mlirOperationGetNumRegions(cast))
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

/// The op that makes `value`; a null op: a block does.
static MlirOperation maker(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

/// True if the body adds the product of its inputs, and does no more.
static bool is_sum_of_products(contraction *self) {
  static const char *const names[][3] = {{"arith.addf", "arith.mulf", "0.0"},
                                         {"arith.addi", "arith.muli", "0"}};
  MlirValue state = mlirBlockGetArgument(self->op->body, 2);
  MlirOperation add =
      maker(mlirOperationGetOperand(mlirBlockGetTerminator(self->op->body), 0));
  for (size_t i = 0; i < 2; ++i) {
    if (mlirOperationIsNull(add) || !agpu__op_is(add, names[i][0]))
      continue;
    bool first = mlirValueEqual(mlirOperationGetOperand(add, 0), state);
    if (!first && !mlirValueEqual(mlirOperationGetOperand(add, 1), state))
      return false;
    MlirOperation multiply = maker(mlirOperationGetOperand(add, first));
    if (mlirOperationIsNull(multiply) || !agpu__op_is(multiply, names[i][1]))
      return false;
    int a = input_of(self, mlirOperationGetOperand(multiply, 0));
    int b = input_of(self, mlirOperationGetOperand(multiply, 1));
    self->add = names[i][0];
    self->multiply = names[i][1];
    self->zero = names[i][2];
    return a >= 0 && b >= 0 && a != b;
  }
  return false;
}

static bool is_indexed_by(const agpu__linalg_operand *operand, intptr_t loop) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(operand->map); ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(operand->map, i),
                                      loop))
      return true;
  return false;
}

static bool fits(int64_t size, int64_t tile) {
  return size >= 0 && size % tile == 0;
}

/// As many elements of a thread as there is work for, with blocks for more than
/// a few processors.
static void choose_tile(contraction *self) {
  int64_t rows = agpu__linalg_product(self->op, &self->rows);
  int64_t columns = agpu__linalg_product(self->op, &self->columns);
  int64_t batch = agpu__linalg_product(self->op, &self->batch);
  int64_t inner = agpu__linalg_product(self->op, &self->inner);
  self->row_count = self->column_count = MOST;
  while (self->row_count > 1 && rows >= 0 && rows <= SIDE * self->row_count / 2)
    self->row_count /= 2;
  while (self->column_count > 1 && columns >= 0 &&
         columns <= SIDE * self->column_count / 2)
    self->column_count /= 2;
  while (rows >= 0 && columns >= 0 && batch >= 0 &&
         self->row_count * self->column_count > 1) {
    int64_t down = (rows - 1) / (SIDE * self->row_count) + 1;
    int64_t across = (columns - 1) / (SIDE * self->column_count) + 1;
    if (down * across * batch >= ENOUGH_BLOCKS)
      break;
    if (self->row_count >= self->column_count)
      self->row_count /= 2;
    else
      self->column_count /= 2;
  }
  self->rows_fit = fits(rows, SIDE * self->row_count);
  self->columns_fit = fits(columns, SIDE * self->column_count);
  self->inner_fits = fits(inner, SIDE);
}

static bool recognise(contraction *self) {
  const agpu__linalg_op *op = self->op;
  if (op->operand_count != 3 || op->input_count != 2 ||
      !op->operands[0].is_memref || !op->operands[1].is_memref ||
      !mlirLinalgIsAContractionOp(op->op))
    return false;
  MlirLinalgContractionDimensions found =
      mlirLinalgInferContractionDimensions(op->op);
  read_loops(found.batch, &self->batch);
  read_loops(found.m, &self->rows);
  read_loops(found.n, &self->columns);
  read_loops(found.k, &self->inner);
  size_t all = self->batch.count + self->rows.count + self->columns.count +
               self->inner.count;
  if (!self->rows.count || !self->columns.count || !self->inner.count ||
      (intptr_t)all != op->loop_count || !is_sum_of_products(self))
    return false;
  self->left = is_indexed_by(&op->operands[0], self->rows.data[0]) ? 0 : 1;
  choose_tile(self);
  return true;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Appends "%to = in bounds" for the number `of` and the limit `limit`.
static void print_guard(const char *to, const char *of, const char *limit,
                        bool always, agpu__text *out) {
  if (always)
    agpu__text_printf(out, "%%%s = arith.constant true\n", to);
  else
    agpu__text_printf(out, "%%%s = arith.cmpi ult, %%%s, %%%s : index\n", to,
                      of, limit);
}

/// Appends "%to = from + 16 i" and its guard "%to_in", for each i.
static void print_places(const char *to, const char *from, int count,
                         const char *limit, bool always, agpu__text *out) {
  for (int i = 0; i < count; ++i) {
    char name[48], guard[48];
    snprintf(name, sizeof(name), "%s%d", to, i);
    snprintf(guard, sizeof(guard), "%s%d_in", to, i);
    agpu__text_printf(out, "%%%s = arith.addi %%%s, %%c%d : index\n", name,
                      from, SIDE * i);
    print_guard(guard, name, limit, always, out);
  }
}

/// Appends %to, element (row, column) of operand `index` in the loops' own
/// numbers, converted, or zero where it is not `in`.
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
                    "scf.yield %%%s : %s\n} else {\nscf.yield %%zero : %s\n}"
                    "\n",
                    name, self->type, self->type);
}

/// Appends "%PREFIX_0_0, ..." for each element of a thread, with " = " and the
/// one of `other` behind each where that is not NULL.
static void print_all(const contraction *self, const char *prefix,
                      const char *other, agpu__text *out) {
  for (int i = 0; i < self->row_count; ++i)
    for (int k = 0; k < self->column_count; ++k) {
      agpu__text_printf(out, "%s%%%s_%d_%d", i || k ? ", " : "", prefix, i, k);
      if (other)
        agpu__text_printf(out, " = %%%s_%d_%d", other, i, k);
    }
}

static void print_types(const contraction *self, agpu__text *out) {
  for (int i = 0; i < self->row_count * self->column_count; ++i)
    agpu__text_printf(out, "%s%s", i ? ", " : "", self->type);
}

/// Appends a loop that takes the elements `from` as `as`, up to its body.
static void print_loop(const contraction *self, const char *result,
                       const char *counter, const char *end, int step,
                       const char *as, const char *from, agpu__text *out) {
  agpu__text_printf(out,
                    "%%%s:%d = scf.for %%%s = %%c0 to %%%s step %%c%d "
                    "iter_args(",
                    result, self->row_count * self->column_count, counter, end,
                    step);
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
  for (int i = 0; loop && i < self->row_count * self->column_count; ++i)
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
    snprintf(column, sizeof(column), "column%d", i);
    snprintf(in, sizeof(in), "column%d_in", i);
    print_element(self, !self->left, to, in, "inner_b_in", &self->columns,
                  column, &self->inner, "inner_b", out);
    agpu__text_printf(out, "memref.store %%%s, %%bs[%%ty, %%place_x%d] : %s\n",
                      to, i, tile_b);
  }
}

/// Multiplies the tiles.
static void print_products(const contraction *self, const char *tile_a,
                           const char *tile_b, agpu__text *out) {
  print_loop(self, "tile", "k", "c16", 1, "sum", "before", out);
  for (int i = 0; i < self->row_count; ++i)
    agpu__text_printf(out,
                      "%%left%d = memref.load %%as[%%place_y%d, %%k] : %s\n", i,
                      i, tile_a);
  for (int k = 0; k < self->column_count; ++k)
    agpu__text_printf(out,
                      "%%right%d = memref.load %%bs[%%k, %%place_x%d] : %s\n",
                      k, k, tile_b);
  for (int i = 0; i < self->row_count; ++i)
    for (int k = 0; k < self->column_count; ++k)
      agpu__text_printf(out,
                        "%%product_%d_%d = %s %%left%d, %%right%d : %s\n"
                        "%%next_%d_%d = %s %%sum_%d_%d, %%product_%d_%d : %s\n",
                        i, k, self->multiply, i, k, self->type, i, k, self->add,
                        i, k, i, k, self->type);
  print_loop_end(self, "next", NULL, out);
}

static void print_results(const contraction *self, agpu__text *out) {
  for (int i = 0; i < self->row_count; ++i)
    for (int k = 0; k < self->column_count; ++k) {
      char row[48], column[48], name[48];
      snprintf(row, sizeof(row), "row%d", i);
      snprintf(column, sizeof(column), "column%d", k);
      snprintf(name, sizeof(name), "all#%d", i * self->column_count + k);
      agpu__text_printf(out,
                        "%%out_%d_%d = arith.andi %%%s_in, %%%s_in : i1\n"
                        "scf.if %%out_%d_%d {\n",
                        i, k, row, column, i, k);
      agpu__linalg_print_split(row, &self->rows, out);
      agpu__linalg_print_split(column, &self->columns, out);
      agpu__linalg_print_access(self->op, 2, name, true, out);
      agpu__text_puts(out, "}\n");
    }
}

/// How many blocks, and which tile is whose.
static void print_grid(const contraction *self, agpu__text *out) {
  int height = SIDE * self->row_count, width = SIDE * self->column_count;
  const int64_t numbers[] = {SIDE,  2 * SIDE,   3 * SIDE, height,
                             width, height - 1, width - 1};
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
                    "%%tile_column = arith.remui %%bx, %%across : index\n"
                    "%%rest = arith.divui %%bx, %%across : index\n"
                    "%%tile_row = arith.remui %%rest, %%down : index\n"
                    "%%which = arith.divui %%rest, %%down : index\n"
                    "%%tile_y = arith.muli %%tile_row, %%c%d : index\n"
                    "%%tile_x = arith.muli %%tile_column, %%c%d : index\n"
                    "%%row = arith.addi %%tile_y, %%ty : index\n"
                    "%%column = arith.addi %%tile_x, %%tx : index\n",
                    self->zero, self->type, SIDE * self->row_count,
                    SIDE * self->column_count);
  agpu__linalg_print_split("which", &self->batch, out);
  print_places("row", "row", self->row_count, "rows", self->rows_fit, out);
  print_places("column", "column", self->column_count, "columns",
               self->columns_fit, out);
  print_places("place_y", "ty", self->row_count, "rows", true, out);
  print_places("place_x", "tx", self->column_count, "columns", true, out);
}

static void print_kernel(const contraction *self, agpu__text *out) {
  char *tile_a = agpu__format("memref<%dx%dx%s, #gpu.address_space<workgroup>>",
                              SIDE * self->row_count, SIDE, self->type);
  char *tile_b = agpu__format("memref<%dx%dx%s, #gpu.address_space<workgroup>>",
                              SIDE, SIDE * self->column_count, self->type);
  char *memory =
      agpu__format("workgroup(%%as : %s, %%bs : %s)", tile_a, tile_b);
  print_grid(self, out);
  agpu__linalg_print_launch(SIDE, SIDE, memory, out);
  print_place(self, out);
  for (int i = 0; i < self->row_count; ++i)
    for (int k = 0; k < self->column_count; ++k) {
      char to[48], row[48], column[48], row_in[48], column_in[48];
      snprintf(to, sizeof(to), "start_%d_%d", i, k);
      snprintf(row, sizeof(row), "row%d", i);
      snprintf(column, sizeof(column), "column%d", k);
      snprintf(row_in, sizeof(row_in), "row%d_in", i);
      snprintf(column_in, sizeof(column_in), "column%d_in", k);
      print_element(self, 2, to, row_in, column_in, &self->rows, row,
                    &self->columns, column, out);
    }
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

MlirLogicalResult agpu__linalg_contraction(const agpu__linalg_op *op,
                                           agpu__linalg_kernel *out) {
  *out = (agpu__linalg_kernel){.made = false};
  contraction self = {.op = op};
  if (!recognise(&self))
    return mlirLogicalResultSuccess();
  self.type = agpu__linalg_element(&op->operands[2]);
  *out = (agpu__linalg_kernel){.made = true,
                               .how = "tiles in workgroup memory",
                               .tile_rows = SIDE * self.row_count,
                               .tile_columns = SIDE * self.column_count};
  agpu__text text = {0};
  print_kernel(&self, &text);
  MlirLogicalResult result = agpu__linalg_replace(op, agpu__text_get(&text));
  agpu__text_free(&text);
  free(self.type);
  return result;
}
