//===- atomics.c - Atomic operations without an instruction ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two things that upstream's conversion of atomic operations lacks: products,
// and exchanges of floats, which LLVM compares as integers of the same size.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "mlir-c/Dialect/LLVM.h"

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

/// The numbers of these kinds in arith's list.
enum { MULF = 12, MULI = 13 };

static bool multiplies(MlirOperation op) {
  int64_t kind = mlirIntegerAttrGetValueInt(agpu__attr(op, "kind"));
  return kind == MULF || kind == MULI;
}

/// A memref.generic_atomic_rmw with the multiplication in it.
static void expand(MlirOperation op) {
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(value);
  agpu__builder at = agpu__builder_before(op);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(1, &type, &at.location);
  mlirRegionAppendOwnedBlock(region, block);
  agpu__builder inside = agpu__builder_at_end(block, at.location);
  MlirValue product = agpu__build_binary(
      &inside, mlirTypeIsAFloat(type) ? "arith.mulf" : "arith.muli",
      mlirBlockGetArgument(block, 0), value);
  agpu__build_effect(&inside, "memref.atomic_yield", &product, 1);
  AGPU__SCOPED(values) operands = agpu__operands(op, 1);
  agpu__op_spec spec = {.name = "memref.generic_atomic_rmw",
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .results = &type,
                        .result_count = 1,
                        .regions = &region,
                        .region_count = 1};
  agpu__replace_op_by_value(op, agpu__result(agpu__build(&at, &spec), 0));
}

bool agpu__expand_atomics(MlirOperation root) {
  bool any = false;
  AGPU__OPS_IN_FOREACH (op, root, "memref.atomic_rmw")
    if (multiplies(op)) {
      expand(op);
      any = true;
    }
  return any;
}

//===----------------------------------------------------------------------===//
// Exchanges of floats
//===----------------------------------------------------------------------===//

/// What the exchange of `real` gave, of `exchanged`, that of `integer`: a
/// structure of the old value and a flag.
static MlirValue restore_float(agpu__builder *at, MlirValue exchanged,
                               MlirType integer, MlirType real,
                               MlirType result) {
  MlirValue bits = agpu__llvm_extract(at, exchanged, integer, 0);
  MlirValue flag =
      agpu__llvm_extract(at, exchanged, agpu__i1_type(at->context), 1);
  MlirValue value = agpu__build_unary(at, "llvm.bitcast", bits, real);
  MlirValue whole =
      agpu__llvm_insert(at, agpu__llvm_poison(at, result), value, 0);
  return agpu__llvm_insert(at, whole, flag, 1);
}

static void repair_exchange(MlirOperation op) {
  MlirType real = mlirValueGetType(mlirOperationGetOperand(op, 1));
  if (!mlirTypeIsAFloat(real))
    return;
  MlirContext context = mlirOperationGetContext(op);
  MlirType integer = mlirIntegerTypeGet(context, mlirFloatTypeGetWidth(real));
  agpu__builder at = agpu__builder_before(op);
  for (intptr_t i = 1; i < 3; ++i)
    mlirOperationSetOperand(op, i,
                            agpu__build_unary(&at, "llvm.bitcast",
                                              mlirOperationGetOperand(op, i),
                                              integer));
  MlirValue exchanged = agpu__result(op, 0);
  MlirType result = mlirValueGetType(exchanged);
  MlirType members[] = {integer, agpu__i1_type(context)};
  mlirValueSetType(exchanged,
                   mlirLLVMStructTypeLiteralGet(context, 2, members, false));
  at = agpu__builder_after(op);
  // All uses so far are of the float.
  AGPU__SCOPED(ops) users = {0};
  AGPU__USES_FOREACH (use, exchanged)
    agpu__ops_push(&users, mlirOpOperandGetOwner(use));
  MlirValue restored = restore_float(&at, exchanged, integer, real, result);
  for (size_t i = 0; i < users.count; ++i)
    mlirOperationReplaceUsesOfWith(users.data[i], exchanged, restored);
}

void agpu__repair_exchanges(MlirOperation root) {
  AGPU__OPS_IN_FOREACH (exchange, root, "llvm.cmpxchg")
    repair_exchange(exchange);
}
