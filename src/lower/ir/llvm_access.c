//===- llvm_access.c - Ops of the LLVM dialect that access memory ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of the ops that access memory; the rest reads it. Masked and
// scattered accesses are taken apart into lanes, and matrices into columns, as
// each has a place of its own.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/llvm_access.h"
#include "lower/ir/ir.h"

#include "async_gpu/compiled/native_thread.h"

#include "mlir-c/Dialect/LLVM.h"

enum { NONE = -1, RESULT = -2 };

/// How much an op accesses.
typedef enum extent {
  A_VALUE,    ///< a value of the type
  A_LENGTH,   ///< the operand's number of bytes
  A_CONSTANT, ///< the attribute `len`
  LANES,      ///< the lanes of a mask, one after the other
  COUNTED,    ///< the first of these, as the operand after the mask says
  STRIDED,    ///< the same, as many bytes apart as that before the mask says
  POINTERS,   ///< the lanes of a mask, each at its own address
  PACKED,     ///< as many elements as the mask has lanes that are on
  COLUMNS,    ///< the columns of a matrix, which are a stride apart
} extent;

static const struct row {
  const char *op;
  extent extent;
  int address;
  int value; ///< whose type is accessed, or the length; RESULT: the result
  int mask;  ///< or, of COLUMNS, the stride
  uint32_t flags;
  int source; ///< of a copy: what it reads; else NONE
} rows[] = {
    {"llvm.load", A_VALUE, 0, RESULT, NONE, AGPU_NATIVE_READS, NONE},
    {"llvm.store", A_VALUE, 1, 0, NONE, AGPU_NATIVE_WRITES, NONE},
    {"llvm.atomicrmw", A_VALUE, 0, 1, NONE,
     AGPU_NATIVE_READS | AGPU_NATIVE_WRITES | AGPU_NATIVE_ATOMIC, NONE},
    {"llvm.cmpxchg", A_VALUE, 0, 1, NONE,
     AGPU_NATIVE_READS | AGPU_NATIVE_WRITES | AGPU_NATIVE_ATOMIC, NONE},
    {"llvm.intr.memcpy", A_LENGTH, 0, 2, NONE, AGPU_NATIVE_WRITES, 1},
    {"llvm.intr.memmove", A_LENGTH, 0, 2, NONE, AGPU_NATIVE_WRITES, 1},
    {"llvm.intr.memset", A_LENGTH, 0, 2, NONE, AGPU_NATIVE_WRITES, NONE},
    {"llvm.intr.memcpy.inline", A_CONSTANT, 0, NONE, NONE, AGPU_NATIVE_WRITES,
     1},
    {"llvm.intr.memset.inline", A_CONSTANT, 0, NONE, NONE, AGPU_NATIVE_WRITES,
     NONE},
    {"llvm.intr.masked.load", LANES, 0, RESULT, 1, AGPU_NATIVE_READS, NONE},
    {"llvm.intr.masked.store", LANES, 1, 0, 2, AGPU_NATIVE_WRITES, NONE},
    {"llvm.intr.masked.gather", POINTERS, 0, RESULT, 1, AGPU_NATIVE_READS,
     NONE},
    {"llvm.intr.masked.scatter", POINTERS, 1, 0, 2, AGPU_NATIVE_WRITES, NONE},
    {"llvm.intr.masked.expandload", PACKED, 0, RESULT, 1, AGPU_NATIVE_READS,
     NONE},
    {"llvm.intr.masked.compressstore", PACKED, 1, 0, 2, AGPU_NATIVE_WRITES,
     NONE},
    {"llvm.intr.vp.load", COUNTED, 0, RESULT, 1, AGPU_NATIVE_READS, NONE},
    {"llvm.intr.vp.store", COUNTED, 1, 0, 2, AGPU_NATIVE_WRITES, NONE},
    {"llvm.intr.experimental.vp.strided.load", STRIDED, 0, RESULT, 2,
     AGPU_NATIVE_READS, NONE},
    {"llvm.intr.experimental.vp.strided.store", STRIDED, 1, 0, 3,
     AGPU_NATIVE_WRITES, NONE},
    {"llvm.intr.matrix.column.major.load", COLUMNS, 0, RESULT, 1,
     AGPU_NATIVE_READS, NONE},
    {"llvm.intr.matrix.column.major.store", COLUMNS, 1, 0, 2,
     AGPU_NATIVE_WRITES, NONE},
};

static const struct row *find_row(MlirOperation op) {
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i)
    if (agpu__op_is(op, rows[i].op))
      return &rows[i];
  return NULL;
}

bool agpu__is_variable(MlirValue address) {
  while (mlirValueIsAOpResult(address)) {
    MlirOperation op = mlirOpResultGetOwner(address);
    if (agpu__op_is_any(op, "llvm.alloca llvm.mlir.addressof"))
      return true;
    if (!agpu__op_is(op, "llvm.getelementptr"))
      return false;
    address = mlirOperationGetOperand(op, 0);
  }
  return false;
}

bool agpu__is_access(MlirOperation op, intptr_t *out_address) {
  const struct row *row = find_row(op);
  if (row)
    *out_address = row->source == NONE ? row->address : -1;
  return row != NULL;
}

/// What a visit of one op carries along.
typedef struct visiting {
  MlirOperation op;
  bool (*wants)(MlirValue address, void *data);
  MlirValue (*visit)(agpu__builder *at, const agpu__access *access, void *data);
  void *data;
} visiting;

static void visit_operand(const visiting *self, agpu__builder *at,
                          intptr_t operand, MlirValue bytes, MlirType type,
                          uint32_t flags) {
  const agpu__access access = {.op = self->op,
                               .address =
                                   mlirOperationGetOperand(self->op, operand),
                               .bytes = bytes,
                               .type = type,
                               .flags = flags};
  mlirOperationSetOperand(self->op, operand,
                          self->visit(at, &access, self->data));
}

/// True if `op` is the plain load that a loop of compare-and-exchanges starts
/// with (memref.generic_atomic_rmw): what it finds is compared again.
static bool starts_exchange(MlirOperation op) {
  AGPU__USES_FOREACH (use, mlirOperationGetOperand(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (agpu__op_is(user, "llvm.cmpxchg") &&
        mlirLocationEqual(mlirOperationGetLocation(user),
                          mlirOperationGetLocation(op)))
      return true;
  }
  return false;
}

/// Accesses that are marked volatile or atomic may meet others: what another
/// thread sees of them is defined.
static bool is_atomic(MlirOperation op) {
  if (agpu__op_is(op, "llvm.load") && starts_exchange(op))
    return true;
  MlirAttribute ordering = agpu__attr(op, "ordering");
  return agpu__has_attr(op, "volatile_") ||
         (!mlirAttributeIsNull(ordering) &&
          mlirIntegerAttrGetValueInt(ordering) != 0);
}

static MlirValue length(agpu__builder *at, MlirOperation op,
                        const struct row *row) {
  if (row->extent == A_CONSTANT)
    return agpu__llvm_i64(at,
                          mlirIntegerAttrGetValueInt(agpu__attr(op, "len")));
  MlirValue value = mlirOperationGetOperand(op, row->value);
  MlirType i64 = agpu__i64_type(at->context);
  return mlirTypeEqual(mlirValueGetType(value), i64)
             ? value
             : agpu__build_unary(at, "llvm.zext", value, i64);
}

static MlirValue extract(agpu__builder *at, MlirValue vector, int64_t lane) {
  MlirValue operands[] = {vector, agpu__llvm_i64(at, lane)};
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(vector));
  return agpu__build_value(at, "llvm.extractelement", operands, 2, element);
}

/// `bytes` if the lane is on in the mask, and counts, else 0.
static MlirValue lane_bytes(agpu__builder *at, MlirOperation op,
                            const struct row *row, int64_t lane,
                            MlirValue bytes) {
  MlirValue zero = agpu__llvm_i64(at, 0);
  MlirValue result = agpu__llvm_select(
      at, extract(at, mlirOperationGetOperand(op, row->mask), lane), bytes,
      zero);
  if (row->extent != COUNTED && row->extent != STRIDED)
    return result;
  MlirValue length = mlirOperationGetOperand(op, row->mask + 1);
  MlirValue number = agpu__llvm_constant(
      at, mlirIntegerAttrGet(mlirValueGetType(length), lane));
  return agpu__llvm_select(
      at, agpu__llvm_compare(at, AGPU__UNSIGNED_LESS, number, length), result,
      zero);
}

/// The address of a lane that has no pointer of its own.
static MlirValue lane_address(agpu__builder *at, MlirOperation op,
                              const struct row *row, int64_t lane,
                              MlirType element) {
  MlirValue address = mlirOperationGetOperand(op, row->address);
  if (row->extent != STRIDED)
    return agpu__llvm_element_at(at, address, element, (int32_t)lane);
  MlirValue stride = mlirOperationGetOperand(op, row->mask - 1);
  MlirValue offset = agpu__build_binary(
      at, "llvm.mul", stride,
      agpu__llvm_constant(at,
                          mlirIntegerAttrGet(mlirValueGetType(stride), lane)));
  return agpu__llvm_element(at, address, mlirIntegerTypeGet(at->context, 8),
                            offset);
}

/// The type of the vector that is accessed.
static MlirType accessed_type(MlirOperation op, const struct row *row) {
  return mlirValueGetType(row->value == RESULT
                              ? agpu__result(op, 0)
                              : mlirOperationGetOperand(op, row->value));
}

/// The lanes that are on lie one after the other: one access of them all.
static void visit_packed(const visiting *self, agpu__builder *at,
                         const struct row *row) {
  MlirType type = accessed_type(self->op, row);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirValue one = agpu__llvm_size_of(at, element);
  MlirValue all = agpu__llvm_i64(at, 0);
  for (int64_t lane = 0; lane < mlirShapedTypeGetDimSize(type, 0); ++lane)
    all = agpu__build_binary(at, "llvm.add", all,
                             lane_bytes(at, self->op, row, lane, one));
  visit_operand(self, at, row->address, all, element, row->flags);
}

/// What an access of a value moves: of a vector, its elements alone, without
/// what keeps the next one aligned.
static MlirValue accessed_bytes(agpu__builder *at, MlirType type) {
  if (!mlirTypeIsAVector(type))
    return agpu__llvm_size_of(at, type);
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t bits = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element)
                 : mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                                             : 0;
  if (!bits)
    return agpu__llvm_size_of(at, type);
  return agpu__llvm_i64(at, (bits * mlirShapedTypeGetDimSize(type, 0) + 7) / 8);
}

/// Each lane of a masked access is one of its own. The lanes of `POINTERS` get
/// an address each; the others stay together, at the address that lane 0 gets,
/// which has the memory's own distance from the one it had also where the lane
/// is off.
static void visit_lanes(const visiting *self, agpu__builder *at,
                        const struct row *row) {
  MlirOperation op = self->op;
  MlirValue address = mlirOperationGetOperand(op, row->address);
  MlirType type = accessed_type(op, row);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirValue bytes = agpu__llvm_size_of(at, element);
  MlirValue visited = address;
  bool scattered = row->extent == POINTERS;
  for (int64_t lane = 0; lane < mlirShapedTypeGetDimSize(type, 0); ++lane) {
    const agpu__access access = {
        .op = op,
        .address = scattered ? extract(at, address, lane)
                             : lane_address(at, op, row, lane, element),
        .bytes = lane_bytes(at, op, row, lane, bytes),
        .type = element,
        .flags = row->flags};
    MlirValue own = self->visit(at, &access, self->data);
    if (scattered) {
      MlirValue operands[] = {visited, own, agpu__llvm_i64(at, lane)};
      visited = agpu__build_value(at, "llvm.insertelement", operands, 3,
                                  mlirValueGetType(address));
    } else if (lane == 0) {
      visited = own;
    }
  }
  mlirOperationSetOperand(op, row->address, visited);
}

/// Each column of a matrix is an access of its own. They stay together, at the
/// address that the first gets.
static void visit_columns(const visiting *self, agpu__builder *at,
                          const struct row *row) {
  MlirOperation op = self->op;
  MlirValue address = mlirOperationGetOperand(op, row->address);
  MlirValue stride = mlirOperationGetOperand(op, row->mask);
  MlirType element = mlirShapedTypeGetElementType(accessed_type(op, row));
  MlirType number = mlirValueGetType(stride);
  MlirValue height = agpu__llvm_i64(at, agpu__get_int(op, "rows", 0));
  MlirValue bytes = agpu__build_binary(at, "llvm.mul",
                                       agpu__llvm_size_of(at, element), height);
  for (int64_t i = 0; i < agpu__get_int(op, "columns", 0); ++i) {
    MlirValue index = agpu__build_binary(
        at, "llvm.mul", stride,
        agpu__llvm_constant(at, mlirIntegerAttrGet(number, i)));
    const agpu__access access = {
        .op = op,
        .address = agpu__llvm_element(at, address, element, index),
        .bytes = bytes,
        .type = element,
        .flags = row->flags};
    MlirValue own = self->visit(at, &access, self->data);
    if (i == 0)
      mlirOperationSetOperand(op, row->address, own);
  }
}

void agpu__visit_accesses(MlirOperation op,
                          bool (*wants)(MlirValue address, void *data),
                          MlirValue (*visit)(agpu__builder *at,
                                             const agpu__access *access,
                                             void *data),
                          void *data) {
  const struct row *row = find_row(op);
  if (!row)
    return;
  const visiting self = {op, wants, visit, data};
  agpu__builder at = agpu__builder_before(op);
  uint32_t flags = row->flags | (is_atomic(op) ? AGPU_NATIVE_ATOMIC : 0);
  bool wanted = wants(mlirOperationGetOperand(op, row->address), data);
  switch (row->extent) {
  case LANES:
  case COUNTED:
  case STRIDED:
  case POINTERS:
    if (wanted)
      visit_lanes(&self, &at, row);
    return;
  case PACKED:
    if (wanted)
      visit_packed(&self, &at, row);
    return;
  case COLUMNS:
    if (wanted)
      visit_columns(&self, &at, row);
    return;
  case A_VALUE: {
    if (!wanted)
      return;
    MlirValue value = row->value == RESULT
                          ? agpu__result(op, 0)
                          : mlirOperationGetOperand(op, row->value);
    MlirType type = mlirValueGetType(value);
    MlirValue bytes = accessed_bytes(&at, type);
    visit_operand(&self, &at, row->address, bytes, type, flags);
    return;
  }
  case A_LENGTH:
  case A_CONSTANT: {
    bool reads = row->source != NONE &&
                 wants(mlirOperationGetOperand(op, row->source), data);
    if (!wanted && !reads)
      return;
    MlirValue bytes = length(&at, op, row);
    MlirType none = {NULL};
    if (reads)
      visit_operand(&self, &at, row->source, bytes, none, AGPU_NATIVE_READS);
    if (wanted)
      visit_operand(&self, &at, row->address, bytes, none, flags);
    return;
  }
  }
}
