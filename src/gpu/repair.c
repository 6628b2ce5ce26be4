//===- repair.c - Around gaps in upstream's conversions -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/repair.h"

#include "lower/ir.h"
#include "lower/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

static MlirValue build(agpu__builder *at, const char *op, MlirValue operand,
                       MlirType type) {
  return agpu__result(agpu__build_op(at, op, &operand, 1, type, NULL, 0), 0);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The body goes on seeing the tensor map, as a cast that the conversion of
/// the nvgpu dialect folds.
static bool retype_argument(MlirBlock entry, MlirValue argument) {
  MlirType type = mlirValueGetType(argument);
  if (!agpu__type_has_prefix(type, "!nvgpu.tensormap.descriptor"))
    return false;
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  agpu__builder at = agpu__builder_before(first);
  MlirType pointer = agpu__ptr_type(at.context);
  mlirValueSetType(argument, pointer);
  MlirOperation cast = agpu__build_op(&at, "builtin.unrealized_conversion_cast",
                                      &argument, 1, type, NULL, 0);
  mlirValueReplaceAllUsesExcept(argument, agpu__result(cast, 0), 1, &cast);
  return true;
}

static void repair_function(MlirOperation function) {
  MlirBlock entry =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(function, agpu__str("function_type")));
  if (mlirBlockIsNull(entry) || !mlirTypeIsAFunction(type))
    return;
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  bool changed = false;
  for (intptr_t i = 0; i < count; ++i)
    changed |= retype_argument(entry, mlirBlockGetArgument(entry, i));
  if (!changed)
    return;
  MlirType *inputs = malloc((size_t)count * sizeof(*inputs));
  if (!inputs)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  // Kernels have no results.
  MlirType repaired = mlirFunctionTypeGet(mlirOperationGetContext(function),
                                          count, inputs, 0, NULL);
  free(inputs);
  mlirOperationSetAttributeByName(function, agpu__str("function_type"),
                                  mlirTypeAttrGet(repaired));
}

void agpu__repair_tensor_maps(MlirOperation gpu_module) {
  agpu__ops functions = {0};
  agpu__collect(gpu_module, "gpu.func", &functions);
  for (size_t i = 0; i < functions.count; ++i)
    if (agpu__has_attr(functions.data[i], "gpu.kernel"))
      repair_function(functions.data[i]);
  agpu__ops_free(&functions);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// What the exchange of `real` gave, of `exchanged`, that of `integer`: a
/// structure of the old value and a flag.
static MlirValue restore_float(agpu__builder *at, MlirValue exchanged,
                               MlirType integer, MlirType real,
                               MlirType result) {
  MlirContext context = at->context;
  int64_t positions[] = {0, 1};
  MlirNamedAttribute first = agpu__named(
      context, "position", mlirDenseI64ArrayGet(context, 1, &positions[0]));
  MlirNamedAttribute second = agpu__named(
      context, "position", mlirDenseI64ArrayGet(context, 1, &positions[1]));
  MlirValue bits =
      agpu__result(agpu__build_op(at, "llvm.extractvalue", &exchanged, 1,
                                  integer, &first, 1),
                   0);
  MlirValue flag =
      agpu__result(agpu__build_op(at, "llvm.extractvalue", &exchanged, 1,
                                  agpu__i1_type(context), &second, 1),
                   0);
  MlirValue value = build(at, "llvm.bitcast", bits, real);
  MlirValue whole = agpu__result(
      agpu__build_op(at, "llvm.mlir.poison", NULL, 0, result, NULL, 0), 0);
  MlirValue operands[] = {whole, value};
  whole = agpu__result(
      agpu__build_op(at, "llvm.insertvalue", operands, 2, result, &first, 1),
      0);
  operands[0] = whole;
  operands[1] = flag;
  return agpu__result(
      agpu__build_op(at, "llvm.insertvalue", operands, 2, result, &second, 1),
      0);
}

static void repair_exchange(MlirOperation op) {
  MlirType real = mlirValueGetType(mlirOperationGetOperand(op, 1));
  if (!mlirTypeIsAFloat(real))
    return;
  MlirContext context = mlirOperationGetContext(op);
  MlirType integer = mlirIntegerTypeGet(context, mlirFloatTypeGetWidth(real));
  agpu__builder at = agpu__builder_before(op);
  for (intptr_t i = 1; i < 3; ++i)
    mlirOperationSetOperand(
        op, i,
        build(&at, "llvm.bitcast", mlirOperationGetOperand(op, i), integer));
  MlirValue exchanged = agpu__result(op, 0);
  MlirType result = mlirValueGetType(exchanged);
  MlirType members[] = {integer, agpu__i1_type(context)};
  mlirValueSetType(exchanged,
                   mlirLLVMStructTypeLiteralGet(context, 2, members, false));
  at = agpu__builder_after(op);
  // All uses so far are of the float.
  agpu__ops users = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(exchanged);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    agpu__ops_push(&users, mlirOpOperandGetOwner(use));
  MlirValue restored = restore_float(&at, exchanged, integer, real, result);
  for (size_t i = 0; i < users.count; ++i)
    mlirOperationReplaceUsesOfWith(users.data[i], exchanged, restored);
  agpu__ops_free(&users);
}

void agpu__repair_exchanges(MlirOperation gpu_module) {
  agpu__ops exchanges = {0};
  agpu__collect(gpu_module, "llvm.cmpxchg", &exchanges);
  for (size_t i = 0; i < exchanges.count; ++i)
    repair_exchange(exchanges.data[i]);
  agpu__ops_free(&exchanges);
}

//===----------------------------------------------------------------------===//
// Arrivals at barriers
//===----------------------------------------------------------------------===//

static void repair_arrival(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirContext context = at.context;
  bool numbered = mlirOperationGetNumOperands(op) == 2;
  MlirValue operands[] = {
      numbered ? mlirOperationGetOperand(op, 0)
               : agpu__llvm_constant(&at, agpu__i32_attr(context, 0)),
      mlirOperationGetOperand(op, numbered ? 1 : 0)};
  const int32_t segments[] = {2, 0};
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "intrin",
                  agpu__string_attr(
                      context, "llvm.nvvm.barrier.cta.arrive.aligned.count")),
      agpu__named(context, "op_bundle_sizes",
                  mlirDenseI32ArrayGet(context, 0, NULL)),
      agpu__named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments))};
  agpu__build_op(&at, "llvm.call_intrinsic", operands, 2, (MlirType){NULL},
                 attributes, 3);
  mlirOperationDestroy(op);
}

void agpu__repair_arrivals(MlirOperation gpu_module) {
  agpu__ops arrivals = {0};
  agpu__collect(gpu_module, "nvvm.barrier.arrive", &arrivals);
  for (size_t i = 0; i < arrivals.count; ++i)
    repair_arrival(arrivals.data[i]);
  agpu__ops_free(&arrivals);
}
