//===- mpi_shard.c - What ranks of sharded programs do together -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   agpu.exchange %from, %to, %site   %comm = memref.load %site[0]
//       [, %size]                     %t = call @mpi_exchange.0(%from, %to,
//                                     ...) async.await %t
//   %c = agpu.shard_open %old         %c = scf.if %old == 0 { call, await }
//   %r = agpu.shard_rank %c           %v = call @agpu_mpi_comm_rank(%c)
//                                     %r = async.await %v
//
//===----------------------------------------------------------------------===//

#include "host/mpi/mpi.h"

#include "lower/pass/diagnostics.h"

bool agpu__mpi_is_shard_op(MlirOperation op) {
  return agpu__op_is_any(op, "agpu.exchange agpu.reduce agpu.shard_agree "
                             "agpu.shard_open agpu.shard_rank agpu.shard_size");
}

/// Makes the call, which observes nothing of a device, and awaits what it
/// gives.
static MlirValue call_and_await(agpu__mpi_op *self, const char *function,
                                const MlirValue *operands, size_t count,
                                MlirType payload) {
  MlirType type = mlirTypeIsNull(payload) ? agpu__token_type(self->at.context)
                                          : agpu__async_value_get(payload);
  MlirValue object = agpu__mpi_call(self, function, operands, count, type);
  agpu__mpi_set_blind(mlirOpResultGetOwner(object));
  return agpu__mpi_await(self, object, payload);
}

/// The communicator: a new one.
static MlirValue build_open(agpu__mpi_op *self) {
  MlirValue location = agpu__mpi_location(self);
  (void)call_and_await(self, "agpu_mpi_begin", &location, 1, (MlirType){NULL});
  MlirAttribute numbers = agpu__attr(self->op, "numbers");
  MlirValue operands[5];
  for (intptr_t i = 0; i < 4; ++i)
    operands[i] =
        agpu__llvm_i64(&self->at, mlirDenseI64ArrayGetElement(numbers, i));
  operands[4] = agpu__mpi_location(self);
  return call_and_await(self, "agpu_mpi_group", operands, 5,
                        agpu__i64_type(self->at.context));
}

static MlirValue lower_open(agpu__mpi_op *self) {
  MlirContext context = self->at.context;
  MlirType i64 = agpu__i64_type(context);
  MlirValue old = mlirOperationGetOperand(self->op, 0);
  MlirValue is_new =
      agpu__build_compare(&self->at, "arith.cmpi", AGPU__EQUAL, old,
                          agpu__build_constant(&self->at, i64, 0));
  agpu__if made = agpu__build_if(&self->at, is_new, &i64, 1);
  agpu__mpi_op inside = *self;
  inside.at = agpu__builder_at_end(made.yes, self->at.location);
  MlirValue opened = build_open(&inside);
  agpu__build_yield(made.yes, self->at.location, &opened, 1);
  agpu__build_yield(made.no, self->at.location, &old, 1);
  return agpu__result(made.op, 0);
}

static MlirValue lower_number(agpu__mpi_op *self, const char *function) {
  MlirValue operands[] = {mlirOperationGetOperand(self->op, 0),
                          agpu__mpi_location(self)};
  MlirValue number = call_and_await(self, function, operands, 2,
                                    agpu__i32_type(self->at.context));
  return agpu__build_unary(&self->at, "arith.index_cast", number,
                           agpu__index_type(self->at.context));
}

static void lower_agree(agpu__mpi_op *self) {
  MlirType i64 = agpu__i64_type(self->at.context);
  MlirAttribute numbers = agpu__attr(self->op, "numbers");
  MlirValue number = mlirOperationGetOperand(self->op, 1);
  if (mlirTypeIsAIndex(mlirValueGetType(number)))
    number = agpu__build_unary(&self->at, "arith.index_cast", number, i64);
  else if (mlirIntegerTypeGetWidth(mlirValueGetType(number)) < 64)
    number = agpu__build_unary(&self->at, "arith.extsi", number, i64);
  MlirValue operands[] = {
      number, {NULL}, {NULL}, mlirOperationGetOperand(self->op, 0), {NULL}};
  for (intptr_t i = 0; i < 2; ++i)
    operands[1 + i] =
        agpu__llvm_i64(&self->at, mlirDenseI64ArrayGetElement(numbers, i));
  operands[4] = agpu__mpi_location(self);
  (void)call_and_await(self, "agpu_mpi_agree", operands, 5, (MlirType){NULL});
}

/// True if the op has its numbers, and the size that they lack. False after an
/// error.
static bool check_numbers(const agpu__mpi_op *self) {
  static const struct {
    const char *op;
    intptr_t count;
  } all[] = {{"agpu.exchange", 8},
             {"agpu.reduce", 2},
             {"agpu.shard_agree", 2},
             {"agpu.shard_open", 4}};
  MlirAttribute numbers = agpu__attr(self->op, "numbers");
  for (size_t i = 0; i < AGPU__COUNT(all); ++i)
    if (agpu__op_is(self->op, all[i].op) &&
        (mlirAttributeIsNull(numbers) ||
         !mlirAttributeIsADenseI64Array(numbers) ||
         mlirDenseArrayGetNumElements(numbers) != all[i].count)) {
      agpu__error(self->at.location, "%s needs 'numbers', an array<i64> of %d",
                  all[i].op, (int)all[i].count);
      return false;
    }
  if (agpu__op_is(self->op, all[0].op) &&
      mlirOperationGetNumOperands(self->op) < 4 &&
      (mlirDenseI64ArrayGetElement(numbers, 2) < 0 ||
       mlirDenseI64ArrayGetElement(numbers, 3) < 0)) {
    agpu__error(self->at.location,
                "%s of a size that 'numbers' lack needs it as a fourth "
                "operand",
                all[0].op);
    return false;
  }
  return true;
}

MlirLogicalResult agpu__mpi_lower_shard_op(agpu__mpi_op *self) {
  MlirOperation op = self->op;
  if (!check_numbers(self))
    return mlirLogicalResultFailure();
  if (agpu__op_is(op, "agpu.shard_agree")) {
    lower_agree(self);
  } else if (!mlirOperationGetNumResults(op)) {
    MlirValue token = agpu__mpi_shard_start(self);
    if (mlirValueIsNull(token))
      return mlirLogicalResultFailure();
    (void)agpu__mpi_await(self, token, (MlirType){NULL});
  } else {
    MlirValue value = agpu__op_is(op, "agpu.shard_open") ? lower_open(self)
                      : agpu__op_is(op, "agpu.shard_rank")
                          ? lower_number(self, "agpu_mpi_comm_rank")
                          : lower_number(self, "agpu_mpi_comm_size");
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), value);
  }
  mlirOperationDestroy(op);
  return mlirLogicalResultSuccess();
}
