//===- forall.c - scf.forall as scf.parallel ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     scf.forall (%i) in (%n) {       scf.parallel (%i) = (%c0) to (%n)
//       ...                               step (%c1) {
//     }                          →      ...
//                                       scf.reduce
//                                     }
//
// What a `mapping` says about a GPU has no meaning on the host; the pass warns
// of it.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"

/// Appends the bounds of one kind: numbers in an attribute, and operands from
/// `*operand` on where the number says that it is not known.
static void push_bounds(MlirOperation forall, agpu__builder *at,
                        const char *attribute, intptr_t *operand,
                        agpu__values *out_bounds) {
  MlirAttribute numbers = agpu__attr(forall, attribute);
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i) {
    int64_t number = mlirDenseI64ArrayGetElement(numbers, i);
    agpu__values_push(out_bounds,
                      number == mlirShapedTypeGetDynamicSize()
                          ? mlirOperationGetOperand(forall, (*operand)++)
                          : agpu__index_constant(at, number));
  }
}

MlirLogicalResult agpu__forall_to_parallel(MlirOperation forall) {
  if (mlirOperationGetNumResults(forall) > 0)
    return agpu__error(mlirOperationGetLocation(forall),
                       "this loop gives tensors, which have to become memory "
                       "first: run --one-shot-bufferize");
  MlirContext context = mlirOperationGetContext(forall);
  agpu__builder at = agpu__builder_before(forall);
  AGPU__SCOPED(values) operands = {0};
  intptr_t operand = 0;
  push_bounds(forall, &at, "staticLowerBound", &operand, &operands);
  int32_t dimensions = (int32_t)operands.count;
  push_bounds(forall, &at, "staticUpperBound", &operand, &operands);
  push_bounds(forall, &at, "staticStep", &operand, &operands);
  bool is_single = dimensions == 0;
  if (is_single) {
    // Without dimensions it has one iteration. An scf.parallel has some.
    agpu__values_push(&operands, agpu__index_constant(&at, 0));
    agpu__values_push(&operands, agpu__index_constant(&at, 1));
    agpu__values_push(&operands, agpu__index_constant(&at, 1));
    dimensions = 1;
  }

  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(forall, 0));
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (is_single)
    mlirBlockAddArgument(block, agpu__index_type(context), at.location);
  MlirOperation end = mlirBlockGetTerminator(block);
  agpu__builder at_end = agpu__builder_before(end);
  agpu__build_effect(&at_end, "scf.reduce", NULL, 0);
  mlirOperationDestroy(end);

  int32_t segments[] = {dimensions, dimensions, dimensions, 0};
  MlirNamedAttribute attribute = agpu__segments(context, segments, 4);
  agpu__op_spec spec = {.name = "scf.parallel",
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .attributes = &attribute,
                        .attribute_count = 1,
                        .regions = &region,
                        .region_count = 1};
  agpu__build(&at, &spec);
  mlirOperationDestroy(forall);
  return mlirLogicalResultSuccess();
}
