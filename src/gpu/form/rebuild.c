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

#include <stdlib.h>

MlirOperation agpu__rebuild_op(MlirOperation op,
                               const agpu__values *more_operands,
                               const MlirType *more_types,
                               size_t more_results) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) operands = agpu__operands(op, 0);
  for (size_t i = 0; i < more_operands->count; ++i)
    agpu__values_push(&operands, more_operands->data[i]);
  size_t results = (size_t)mlirOperationGetNumResults(op);
  AGPU__OWNED MlirType *types =
      agpu__allocate(results + more_results + 1, sizeof(*types));
  for (size_t i = 0; i < results; ++i)
    types[i] = mlirValueGetType(agpu__result(op, (intptr_t)i));
  for (size_t i = 0; i < more_results; ++i)
    types[results + i] = more_types[i];
  MlirOperation made =
      agpu__build_like(&at, op,
                       (agpu__op_spec){.operands = operands.data,
                                       .operand_count = operands.count,
                                       .results = types,
                                       .result_count = results + more_results});
  agpu__replace_op_by(op, made);
  return made;
}

void agpu__extend_yield(MlirBlock block, const agpu__values *values) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  agpu__builder at = agpu__builder_before(yield);
  AGPU__SCOPED(values) operands = agpu__operands(yield, 0);
  for (size_t i = 0; i < values->count; ++i)
    agpu__values_push(&operands, values->data[i]);
  agpu__build_effect(&at, "scf.yield", operands.data, operands.count);
  mlirOperationDestroy(yield);
}
