//===- template.c - Ops that are written as text --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/ir/template.h"

static MlirWalkResult set_location(MlirOperation op, void *data) {
  const MlirLocation *location = data;
  mlirOperationSetLocation(op, *location);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        mlirBlockArgumentSetLocation(mlirBlockGetArgument(block, i), *location);
  return MlirWalkResultAdvance;
}

/// Moves the ops of `block` but its terminator before `at`, with `arguments` in
/// the place of the block's. Returns the terminator, which stays.
static MlirOperation splice(MlirBlock block, MlirOperation at,
                            const MlirValue *arguments) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, i), arguments[i]);
  MlirOperation terminator = mlirBlockGetTerminator(block);
  for (MlirOperation op; op = mlirBlockGetFirstOperation(block),
                         !mlirOperationEqual(op, terminator);)
    mlirOperationMoveBefore(op, at);
  return terminator;
}

/// Replaces `place` by a copy of the region of `owner`.
static void inline_region(MlirOperation place, MlirOperation owner) {
  MlirOperation copy = mlirOperationClone(owner);
  MlirValue arguments[2] = {mlirOperationGetOperand(place, 0),
                            mlirOperationGetOperand(place, 1)};
  MlirOperation yield = splice(agpu__entry_block(copy), place, arguments);
  mlirValueReplaceAllUsesOfWith(agpu__result(place, 0),
                                mlirOperationGetOperand(yield, 0));
  mlirOperationDestroy(place);
  mlirOperationDestroy(copy);
}

MlirLogicalResult agpu__template_replace(MlirOperation op, const char *function,
                                         const MlirValue *extra,
                                         size_t extra_count) {
  MlirLocation location = mlirOperationGetLocation(op);
  MlirOperation parsed = mlirOperationCreateParse(
      mlirOperationGetContext(op), agpu__str(function), agpu__str("template"));
  if (mlirOperationIsNull(parsed)) {
    MlirStringRef name = agpu__op_name(op);
    return agpu__error(location,
                       "'%.*s' with these types and attributes cannot be "
                       "expressed by other ops; this was tried: %s",
                       (int)name.length, name.data, function);
  }
  mlirOperationWalk(parsed, set_location, &location, MlirWalkPreOrder);
  agpu__ops combinations = {0};
  agpu__collect(parsed, "builtin.unrealized_conversion_cast", &combinations);

  agpu__values operands = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    agpu__values_push(&operands, mlirOperationGetOperand(op, i));
  for (size_t i = 0; i < extra_count; ++i)
    agpu__values_push(&operands, extra[i]);
  MlirOperation terminator =
      splice(agpu__entry_block(parsed), op, operands.data);
  agpu__values_free(&operands);
  for (size_t i = 0; i < combinations.count; ++i)
    inline_region(combinations.data[i], op);
  agpu__ops_free(&combinations);
  // A combination may have been what the terminator returns: read it now.
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(op, i),
                                  mlirOperationGetOperand(terminator, i));
  mlirOperationDestroy(op);
  mlirOperationDestroy(parsed);
  return mlirLogicalResultSuccess();
}
