//===- rebuild.c - Loops and branches with more values -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scf.for and scf.if get what they hand on as new ops that take the regions of
// the old ones over.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

MlirOperation agpu__rebuild_op(MlirOperation op,
                               const agpu__values *more_operands,
                               const MlirType *more_types,
                               size_t more_results) {
  agpu__builder at = agpu__builder_before(op);
  agpu__values operands = {0};
  agpu__values_push_operands(&operands, op, 0);
  for (size_t i = 0; i < more_operands->count; ++i)
    agpu__values_push(&operands, more_operands->data[i]);
  intptr_t results = mlirOperationGetNumResults(op);
  intptr_t attribute_count = mlirOperationGetNumAttributes(op);
  intptr_t regions = mlirOperationGetNumRegions(op);
  MlirType *types =
      malloc(((size_t)results + more_results + 1) * sizeof(*types));
  MlirNamedAttribute *attributes =
      malloc(((size_t)attribute_count + 1) * sizeof(*attributes));
  MlirRegion *taken = malloc(((size_t)regions + 1) * sizeof(*taken));
  if (!types || !attributes || !taken)
    agpu__out_of_memory();
  for (intptr_t i = 0; i < results; ++i)
    types[i] = mlirValueGetType(agpu__result(op, i));
  for (size_t i = 0; i < more_results; ++i)
    types[(size_t)results + i] = more_types[i];
  for (intptr_t i = 0; i < attribute_count; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  for (intptr_t i = 0; i < regions; ++i) {
    taken[i] = mlirRegionCreate();
    mlirRegionTakeBody(taken[i], mlirOperationGetRegion(op, i));
  }
  agpu__op_spec spec = {.name = agpu__op_name(op).data,
                        .location = at.location,
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .results = types,
                        .result_count = (size_t)results + more_results,
                        .attributes = attributes,
                        .attribute_count = (size_t)attribute_count,
                        .regions = taken,
                        .region_count = (size_t)regions};
  MlirOperation made = agpu__build(&at, &spec);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(op, i), agpu__result(made, i));
  mlirOperationDestroy(op);
  agpu__values_free(&operands);
  free(taken);
  free(attributes);
  free(types);
  return made;
}

void agpu__extend_yield(MlirBlock block, const agpu__values *values) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  agpu__builder at = agpu__builder_before(yield);
  agpu__values operands = {0};
  agpu__values_push_operands(&operands, yield, 0);
  for (size_t i = 0; i < values->count; ++i)
    agpu__values_push(&operands, values->data[i]);
  agpu__build_effect(&at, "scf.yield", operands.data, operands.count);
  mlirOperationDestroy(yield);
  agpu__values_free(&operands);
}
