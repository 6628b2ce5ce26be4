//===- matrices.c - Matrices of a warp, on a host -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction on registers of all lanes becomes stores of each lane's
// operands into memory of its own, an agpu.collective, whose mode says what is
// done with those of all lanes, and loads of the results. What an instruction
// does with memory beside that is done by each lane for itself, where it is an
// access like any other: ldmatrix loads rows, which the lanes then exchange.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "gpu/native/base/simt.h"

#include "mlir-c/Dialect/LLVM.h"

enum { WARP_SIZE = 32, ROW_BYTES = 16, ALIGNMENT = 16 };

//===----------------------------------------------------------------------===//
// Registers in memory
//===----------------------------------------------------------------------===//

static int64_t register_bytes(MlirType type) {
  return mlirTypeIsAF64(type) ? 8 : 4;
}

/// The type of the `i`-th register of a result: a structure has several.
static MlirType register_type(MlirType result, intptr_t i) {
  return mlirTypeIsALLVMStructType(result)
             ? mlirLLVMStructTypeGetElementType(result, i)
             : result;
}

static intptr_t register_count(MlirType result) {
  return mlirTypeIsALLVMStructType(result)
             ? mlirLLVMStructTypeGetNumElementTypes(result)
             : 1;
}

/// Memory for a lane's registers.
static MlirValue allocate(agpu__builder *at, int64_t bytes) {
  int64_t words = (bytes < ROW_BYTES ? ROW_BYTES : bytes) / 4;
  return agpu__llvm_alloca(at, agpu__i32_type(at->context),
                           agpu__llvm_i64(at, words), ALIGNMENT);
}

static void put_registers(agpu__builder *at, MlirValue memory,
                          const MlirValue *values, intptr_t count) {
  int64_t offset = 0;
  for (intptr_t i = 0; i < count; ++i) {
    agpu__llvm_store(at, values[i], agpu__llvm_byte(at, memory, offset));
    offset += register_bytes(mlirValueGetType(values[i]));
  }
}

/// A value of type `result` whose registers are the first in memory, of which
/// more than `bytes` bytes hold them again.
static MlirValue take_registers(agpu__builder *at, MlirValue memory,
                                int64_t bytes, MlirType result) {
  if (!mlirTypeIsALLVMStructType(result))
    return agpu__llvm_load(at, memory, result);
  MlirValue value = agpu__llvm_undef(at, result);
  int64_t offset = 0;
  for (intptr_t i = 0; i < register_count(result); ++i) {
    MlirType type = register_type(result, i);
    MlirValue from = agpu__llvm_byte(at, memory, offset % bytes);
    value = agpu__llvm_insert(at, value, agpu__llvm_load(at, from, type), i);
    offset += register_bytes(type);
  }
  return value;
}

static void do_together(agpu__builder *at, MlirValue memory, uint32_t mode) {
  MlirNamedAttribute attribute = agpu__named(
      at->context, "mode", agpu__i64_attr(at->context, (int64_t)mode));
  agpu__build_op(at, AGPU__SIMT_COLLECTIVE, &memory, 1, (MlirType){NULL},
                 &attribute, 1);
}

static void meet(agpu__builder *at) {
  do_together(at, agpu__llvm_null(at), AGPU_NATIVE_MEET);
}

static MlirValue lane_number(agpu__builder *at) {
  return agpu__build_value(at, "nvvm.read.ptx.sreg.laneid", NULL, 0,
                           agpu__i32_type(at->context));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void agpu__simt_build_product(agpu__builder *at, uint32_t mode,
                              const MlirValue *registers, size_t count,
                              const MlirType *types, size_t result_count,
                              MlirValue *out_results) {
  int64_t bytes = 0, result_bytes = 0;
  for (size_t i = 0; i < count; ++i)
    bytes += register_bytes(mlirValueGetType(registers[i]));
  for (size_t i = 0; i < result_count; ++i)
    result_bytes += register_bytes(types[i]);
  MlirValue memory = allocate(at, bytes < result_bytes ? result_bytes : bytes);
  put_registers(at, memory, registers, (intptr_t)count);
  do_together(at, memory, mode);
  int64_t offset = 0;
  for (size_t i = 0; i < result_count; ++i) {
    out_results[i] =
        agpu__llvm_load(at, agpu__llvm_byte(at, memory, offset), types[i]);
    offset += register_bytes(types[i]);
  }
}

static void expand_product(MlirOperation op, uint32_t mode) {
  enum { MOST_REGISTERS = 16 };
  agpu__builder at = agpu__builder_before(op);
  MlirValue result = agpu__result(op, 0), registers[MOST_REGISTERS];
  MlirType type = mlirValueGetType(result), types[MOST_REGISTERS];
  intptr_t count = register_count(type);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = register_type(type, i);
  AGPU__SCOPED(values) operands = agpu__operands(op, 0);
  agpu__simt_build_product(&at, mode, operands.data, operands.count, types,
                           (size_t)count, registers);
  MlirValue value = agpu__llvm_undef(&at, type);
  for (intptr_t i = 0; i < count; ++i)
    value = agpu__llvm_insert(&at, value, registers[i], i);
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Lanes that have the address of a row.
static int32_t addressing_lanes(uint32_t mode) {
  return (int32_t)(AGPU_NATIVE_ROW_COUNT_OF(mode) *
                   agpu__simt_rows_of(AGPU_NATIVE_ROW_SHAPE_OF(mode)));
}

/// Copies a row at `from` to `to` in the lanes that have one, in front of `op`.
/// Returns where the others go on too: before what was after `op`.
static agpu__builder copy_row(MlirOperation op, agpu__builder at, MlirValue to,
                              MlirValue from, uint32_t mode) {
  // With what pads elements of less than a byte.
  MlirType row = agpu__parse_type(at.context, "vector<4xi32>");
  int32_t lanes = addressing_lanes(mode);
  if (lanes >= WARP_SIZE) {
    agpu__llvm_store(&at, agpu__llvm_load(&at, from, row), to);
    return at;
  }
  MlirBlock rest = agpu__split_after(op);
  MlirBlock copy = agpu__block_after(mlirOperationGetBlock(op));
  MlirValue rows = agpu__llvm_i32(&at, lanes);
  MlirValue has_row =
      agpu__llvm_compare(&at, AGPU__UNSIGNED_LESS, lane_number(&at), rows);
  agpu__llvm_branch_if(&at, has_row, copy, NULL, 0, rest);
  agpu__builder inside = agpu__builder_at_end(copy, at.location);
  agpu__llvm_store(&inside, agpu__llvm_load(&inside, from, row), to);
  agpu__llvm_branch(&inside, rest, NULL, 0);
  return agpu__builder_at_start(rest, at.location);
}

static void expand_load_rows(MlirOperation op, uint32_t mode) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue memory = allocate(&at, ROW_BYTES);
  MlirValue result = agpu__result(op, 0);
  at = copy_row(op, at, memory, mlirOperationGetOperand(op, 0), mode);
  do_together(&at, memory, mode);
  agpu__replace_op_by_value(
      op, take_registers(&at, memory, ROW_BYTES, mlirValueGetType(result)));
}

static void expand_store_rows(MlirOperation op, uint32_t mode) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue memory = allocate(&at, ROW_BYTES);
  AGPU__SCOPED(values) registers = agpu__operands(op, 1);
  put_registers(&at, memory, registers.data, (intptr_t)registers.count);
  do_together(&at, memory, mode);
  (void)copy_row(op, at, mlirOperationGetOperand(op, 0), memory, mode);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Matrices of wmma in memory
//===----------------------------------------------------------------------===//

/// A lane's elements of a matrix in memory.
typedef struct piece {
  agpu__simt_wmma_piece shape;
  MlirValue base;   ///< of the matrix
  MlirValue stride; ///< from one row (or column) to the next, elements, an i64
  MlirValue line;   ///< the row (or column) of the first element, an i64
  MlirValue place;  ///< its place in that
} piece;

static MlirValue widen(agpu__builder *at, MlirValue value) {
  return agpu__build_unary(at, "llvm.zext", value, agpu__i64_type(at->context));
}

static piece find_piece(agpu__builder *at, agpu__simt_wmma_piece shape,
                        MlirValue base, MlirValue stride) {
  MlirValue lane = lane_number(at);
  MlirValue lanes = agpu__llvm_i32(at, (int32_t)(shape.length / shape.count));
  MlirValue count = agpu__llvm_i32(at, (int32_t)shape.count);
  MlirValue place = agpu__build_binary(
      at, "llvm.mul", agpu__build_binary(at, "llvm.urem", lane, lanes), count);
  return (piece){
      .shape = shape,
      .base = base,
      .stride = widen(at, stride),
      .line = widen(at, agpu__build_binary(at, "llvm.udiv", lane, lanes)),
      .place = widen(at, place)};
}

/// The address of the element `by` places after the piece's first.
static MlirValue address_of(agpu__builder *at, const piece *self, int64_t by) {
  MlirValue place =
      agpu__build_binary(at, "llvm.add", self->place, agpu__llvm_i64(at, by));
  // In a matrix that lies the other way round, lines are places.
  MlirValue lines = self->shape.across ? place : self->line;
  MlirValue rest = self->shape.across ? self->line : place;
  MlirValue index = agpu__build_binary(
      at, "llvm.add", agpu__build_binary(at, "llvm.mul", lines, self->stride),
      rest);
  MlirType element =
      mlirIntegerTypeGet(at->context, (unsigned)self->shape.bytes * 8);
  return agpu__llvm_element(at, self->base, element, index);
}

/// Copies between the piece and `memory`: at once, or element by element where
/// they do not lie together.
static void copy_piece(agpu__builder *at, const piece *self, MlirValue memory,
                       bool loads) {
  const agpu__simt_wmma_piece *shape = &self->shape;
  int64_t step = shape->across ? 1 : (int64_t)shape->count;
  int64_t bytes = step * (int64_t)shape->bytes;
  // Of more than 16 bytes a card makes several accesses.
  if (bytes > ALIGNMENT) {
    bytes = ALIGNMENT;
    step = bytes / (int64_t)shape->bytes;
  }
  MlirType type = mlirIntegerTypeGet(at->context, (unsigned)bytes * 8);
  if (bytes > 8)
    type = agpu__parse_type(at->context, "vector<4xi32>");
  for (int64_t i = 0; i < (int64_t)shape->count; i += step) {
    MlirValue there = address_of(at, self, i);
    MlirValue here = agpu__llvm_byte(at, memory, i * (int64_t)shape->bytes);
    agpu__llvm_store(at, agpu__llvm_load(at, loads ? there : here, type),
                     loads ? here : there);
  }
}

static void expand_wmma_load(MlirOperation op, agpu__simt_wmma_piece shape) {
  agpu__builder at = agpu__builder_before(op);
  meet(&at);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  int64_t own = (int64_t)(shape.count * shape.bytes);
  MlirValue memory = allocate(&at, own);
  piece self = find_piece(&at, shape, mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, 1));
  copy_piece(&at, &self, memory, true);
  agpu__replace_op_by_value(op, take_registers(&at, memory, own, type));
}

static void expand_wmma_store(MlirOperation op, agpu__simt_wmma_piece shape) {
  agpu__builder at = agpu__builder_before(op);
  meet(&at);
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue memory = allocate(&at, (int64_t)(shape.count * shape.bytes));
  AGPU__SCOPED(values) registers = agpu__operands(op, 1);
  put_registers(&at, memory, registers.data,
                (intptr_t)registers.count - 1); // the last is the stride
  piece self = find_piece(&at, shape, mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, count - 1));
  copy_piece(&at, &self, memory, false);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

bool agpu__simt_is_matrix_op(MlirOperation op) {
  uint32_t mode;
  agpu__simt_wmma_piece shape;
  return agpu__simt_matrix_mode(op, &mode) ||
         agpu__simt_find_wmma_piece(op, &shape);
}

void agpu__simt_expand_matrices(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (op, gpu_module, NULL) {
    uint32_t mode;
    agpu__simt_wmma_piece shape;
    if (agpu__simt_find_wmma_piece(op, &shape)) {
      if (mlirOperationGetNumResults(op))
        expand_wmma_load(op, shape);
      else
        expand_wmma_store(op, shape);
    } else if (agpu__simt_matrix_mode(op, &mode)) {
      switch (AGPU_NATIVE_COLLECTIVE_OF(mode)) {
      case AGPU_NATIVE_FROM_ROWS: expand_load_rows(op, mode); break;
      case AGPU_NATIVE_TO_ROWS: expand_store_rows(op, mode); break;
      default: expand_product(op, mode); break;
      }
    }
  }
}
