//===- async_ops.c - Tokens of the gpu dialect's ops ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op of the gpu dialect has its tokens among its ordinary operands and
// results; where they are follows from their types and from the operand
// segments.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>

MlirValue agpu__async_token_of(MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op);
  if (count > 0) {
    MlirValue last = agpu__result(op, count - 1);
    if (mlirTypeIsAGPUAsyncTokenType(mlirValueGetType(last)))
      return last;
  }
  return (MlirValue){NULL};
}

intptr_t agpu__async_dependency_count(MlirOperation op) {
  intptr_t count = 0;
  while (count < mlirOperationGetNumOperands(op) &&
         mlirTypeIsAGPUAsyncTokenType(
             mlirValueGetType(mlirOperationGetOperand(op, count))))
    ++count;
  return count;
}

MlirNamedAttribute *agpu__async_attributes(MlirOperation op, int32_t more,
                                           size_t *out_count) {
  MlirContext context = mlirOperationGetContext(op);
  intptr_t count = mlirOperationGetNumAttributes(op);
  MlirNamedAttribute *attributes =
      agpu__allocate((size_t)count, sizeof(*attributes));
  for (intptr_t i = 0; i < count; ++i) {
    attributes[i] = mlirOperationGetAttribute(op, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(attributes[i].name),
                            agpu__str("operandSegmentSizes")))
      continue;
    MlirAttribute sizes = attributes[i].attribute;
    int32_t segments[16];
    intptr_t segment_count = mlirDenseArrayGetNumElements(sizes);
    for (intptr_t s = 0; s < segment_count && s < 16; ++s)
      segments[s] = mlirDenseI32ArrayGetElement(sizes, s);
    segments[0] += more;
    attributes[i].attribute =
        mlirDenseI32ArrayGet(context, segment_count, segments);
  }
  *out_count = (size_t)count;
  return attributes;
}

int32_t agpu__segment(MlirOperation op, intptr_t segment) {
  return mlirDenseI32ArrayGetElement(agpu__attr(op, "operandSegmentSizes"),
                                     segment);
}
