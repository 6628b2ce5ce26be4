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

/// The scf.if before `op`, with its body and results.
static MlirOperation build_if(MlirOperation op) {
  MlirBlock body = agpu__entry_block(op);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i),
                                  mlirOperationGetOperand(op, i + 1));
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) results = agpu__results(op, 0), none = {0};
  AGPU__OWNED MlirType *types = agpu__types_of(results.data, results.count);
  MlirValue is_first = agpu__build_compare(&at, "arith.cmpi", AGPU__EQUAL,
                                           mlirOperationGetOperand(op, 0),
                                           agpu__index_constant(&at, 0));
  agpu__if made = agpu__build_if(&at, is_first, types, results.count);
  MlirOperation yield = mlirBlockGetTerminator(body);
  AGPU__SCOPED(values) yielded = agpu__operands(yield, 0);
  agpu__builder then = agpu__builder_at_end(made.yes, at.location);
  agpu__move_ops(&then, mlirBlockGetFirstOperation(body), yield);
  agpu__build_yield(made.yes, at.location, yielded.data, yielded.count);
  agpu__builder otherwise = agpu__builder_at_end(made.no, at.location);
  for (size_t i = 0; i < results.count; ++i)
    agpu__values_push(
        &none, agpu__build_value(&otherwise, "ub.poison", NULL, 0, types[i]));
  agpu__build_yield(made.no, at.location, none.data, none.count);
  return made.op;
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
    AGPU__SCOPED(holes) holes = {0};
    agpu__hole_type(&holes, "type", mlirValueGetType(value));
    const agpu__template first = {
        .file = "lane_zero.mlir", .function = "of_lane_zero", .holes = &holes};
    agpu__template_build(&at, &first, &value, &value);
    if (is_index)
      value = agpu__build_unary(&at, "arith.index_cast", value, type);
    mlirValueReplaceAllUsesOfWith(agpu__result(op, i), value);
  }
  mlirOperationDestroy(op);
}

MlirLogicalResult agpu__expand_lane_zero(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (op, gpu_module, "gpu.warp_execute_on_lane_0") {
    if (mlirLogicalResultIsFailure(check(op)))
      result = mlirLogicalResultFailure();
    else
      broadcast(op, build_if(op));
  }
  return result;
}
