//===- reshape.c - Reshapes to shapes of any type -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memref.reshape to a shape of integers: upstream converts those of indices
// alone, so that the shape is copied to such a one first.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/reshape.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"

static bool is_wanted(MlirOperation reshape) {
  MlirType shape = mlirValueGetType(mlirOperationGetOperand(reshape, 1));
  MlirType element = mlirShapedTypeGetElementType(shape);
  return mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element);
}

/// Memory for the shape as indices, at the start of the function where its size
/// is known: a loop around the reshape must not take more each time.
static MlirValue indices_for(MlirOperation reshape) {
  MlirValue shape = mlirOperationGetOperand(reshape, 1);
  int64_t size = mlirShapedTypeGetDimSize(mlirValueGetType(shape), 0);
  bool dynamic = mlirShapedTypeIsDynamicDim(mlirValueGetType(shape), 0);
  agpu__builder at = agpu__builder_before(reshape);
  MlirContext context = at.context;
  MlirValue count;
  if (dynamic) {
    MlirValue operands[] = {shape, agpu__index_constant(&at, 0)};
    count = agpu__build_value(&at, "memref.dim", operands, 2,
                              agpu__index_type(context));
  } else {
    MlirOperation function = reshape;
    while (!agpu__has_attr(function, "function_type"))
      function = mlirOperationGetParentOperation(function);
    at = agpu__builder_at_start(agpu__entry_block(function),
                                mlirOperationGetLocation(reshape));
  }
  MlirType type = mlirMemRefTypeContiguousGet(agpu__index_type(context), 1,
                                              &size, mlirAttributeGetNull());
  return agpu__build_with(
      &at, "memref.alloca", &count, dynamic, type, "operandSegmentSizes",
      agpu__parse_attr(context,
                       dynamic ? "array<i32: 1, 0>" : "array<i32: 0, 0>"));
}

static void expand(MlirOperation reshape) {
  MlirValue indices = indices_for(reshape);
  MlirType shape = mlirValueGetType(mlirOperationGetOperand(reshape, 1));
  agpu__holes holes = {0};
  agpu__hole_type(&holes, "source",
                  mlirValueGetType(mlirOperationGetOperand(reshape, 0)));
  agpu__hole_type(&holes, "shape", shape);
  agpu__hole_type(&holes, "number", mlirShapedTypeGetElementType(shape));
  agpu__hole_type(&holes, "indices", mlirValueGetType(indices));
  agpu__hole_type(&holes, "result", mlirValueGetType(agpu__result(reshape, 0)));
  const agpu__template copy = {
      .file = "reshape.mlir", .function = "reshape", .holes = &holes};
  agpu__template_replace(reshape, &copy, &indices, 1);
  agpu__holes_free(&holes);
}

void agpu__expand_reshapes(MlirOperation root) {
  agpu__ops ops = agpu__ops_in(root, "memref.reshape");
  for (size_t i = 0; i < ops.count; ++i)
    if (is_wanted(ops.data[i]))
      expand(ops.data[i]);
  agpu__ops_free(&ops);
}
