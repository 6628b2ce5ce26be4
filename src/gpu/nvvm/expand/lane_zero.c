//===- lane_zero.c - Code that one lane runs ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     %r = gpu.warp_execute_on_lane_0(%lane)[32] -> (f32) {
//       ...
//       gpu.yield %v : f32
//     }
//
// becomes
//
//     %one = scf.if %lane == 0 { ...; scf.yield %v } else { scf.yield undef }
//     %r, %valid = gpu.shuffle idx %one, 0, 32
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"

#include <stdlib.h>

#define WARP_SIZE 32

/// Each lane would have a part of a value that is distributed: then its type
/// inside and outside differ.
static MlirLogicalResult check(MlirOperation op) {
  MlirBlock body = agpu__entry_block(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  bool same =
      mlirIntegerAttrGetValueInt(agpu__attr(op, "warp_size")) == WARP_SIZE;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    same &= mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(body, i)),
                          mlirValueGetType(mlirOperationGetOperand(op, i + 1)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    same &= mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(yield, i)),
                          mlirValueGetType(agpu__result(op, i)));
  if (same)
    return mlirLogicalResultSuccess();
  return agpu__error(mlirOperationGetLocation(op),
                     "gpu.warp_execute_on_lane_0 is for warps of 32 lanes and "
                     "values that are not distributed over them; pass those "
                     "through workgroup memory");
}

static void build_yield(agpu__builder *at, const agpu__values *values) {
  agpu__build_effect(at, "scf.yield", values->data, values->count);
}

/// The scf.if before `op`, with its body and results.
static MlirOperation build_if(MlirOperation op) {
  MlirBlock body = agpu__entry_block(op);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i),
                                  mlirOperationGetOperand(op, i + 1));
  MlirBlock then_block = mlirBlockCreate(0, NULL, NULL);
  MlirBlock else_block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirRegionAppendOwnedBlock(regions[0], then_block);
  mlirRegionAppendOwnedBlock(regions[1], else_block);

  agpu__builder at = agpu__builder_before(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  agpu__values yielded = {0}, none = {0};
  intptr_t count = mlirOperationGetNumResults(op);
  MlirType *types = agpu__allocate((size_t)count, sizeof(*types));
  agpu__builder otherwise = agpu__builder_at_end(else_block, at.location);
  for (intptr_t i = 0; i < count; ++i) {
    types[i] = mlirValueGetType(agpu__result(op, i));
    agpu__values_push(&yielded, mlirOperationGetOperand(yield, i));
    agpu__values_push(
        &none, agpu__build_value(&otherwise, "ub.poison", NULL, 0, types[i]));
  }
  agpu__builder then = agpu__builder_at_end(then_block, at.location);
  build_yield(&then, &yielded);
  build_yield(&otherwise, &none);
  MlirOperation end = mlirBlockGetTerminator(then_block);
  for (MlirOperation next; next = mlirBlockGetFirstOperation(body),
                           !mlirOperationEqual(next, yield);)
    mlirOperationMoveBefore(next, end);
  MlirValue is_first = agpu__build_compare(&at, "arith.cmpi", AGPU__EQUAL,
                                           mlirOperationGetOperand(op, 0),
                                           agpu__index_constant(&at, 0));
  agpu__op_spec spec = {.name = "scf.if",
                        .location = at.location,
                        .operands = &is_first,
                        .operand_count = 1,
                        .results = types,
                        .result_count = (size_t)count,
                        .regions = regions,
                        .region_count = 2};
  MlirOperation made = agpu__build(&at, &spec);
  agpu__values_free(&yielded);
  agpu__values_free(&none);
  free(types);
  return made;
}

/// Gives the results of lane 0 to all lanes.
static void broadcast(MlirOperation op, MlirOperation conditional) {
  agpu__builder at = agpu__builder_before(op);
  MlirType i64 = agpu__i64_type(at.context);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = agpu__result(conditional, i);
    MlirType type = mlirValueGetType(value);
    bool is_index = mlirTypeIsAIndex(type);
    if (is_index)
      value = agpu__build_unary(&at, "arith.index_cast", value, i64);
    agpu__holes holes = {0};
    agpu__hole_type(&holes, "type", mlirValueGetType(value));
    const agpu__template first = {
        .file = "lane_zero.mlir", .function = "of_lane_zero", .holes = &holes};
    agpu__template_build(&at, &first, &value, &value);
    agpu__holes_free(&holes);
    if (is_index)
      value = agpu__build_unary(&at, "arith.index_cast", value, type);
    mlirValueReplaceAllUsesOfWith(agpu__result(op, i), value);
  }
  mlirOperationDestroy(op);
}

MlirLogicalResult agpu__expand_lane_zero(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops ops = agpu__ops_in(gpu_module, "gpu.warp_execute_on_lane_0");
  for (size_t i = 0; i < ops.count; ++i) {
    if (mlirLogicalResultIsFailure(check(ops.data[i])))
      result = mlirLogicalResultFailure();
    else
      broadcast(ops.data[i], build_if(ops.data[i]));
  }
  agpu__ops_free(&ops);
  return result;
}
