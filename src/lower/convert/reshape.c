//===- reshape.c - Reshapes to shapes of any type -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/convert/reshape.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"

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

static void print_type(agpu__text *text, const char *before, MlirType type) {
  agpu__text_puts(text, before);
  mlirTypePrint(type, agpu__text_callback, text);
}

static void expand(MlirOperation reshape) {
  MlirType shape = mlirValueGetType(mlirOperationGetOperand(reshape, 1));
  MlirType result = mlirValueGetType(agpu__result(reshape, 0));
  MlirValue indices = indices_for(reshape);
  agpu__text types = {0}, text = {0};
  print_type(&types, "(",
             mlirValueGetType(mlirOperationGetOperand(reshape, 0)));
  print_type(&types, ", ", mlirValueGetType(indices));
  print_type(&types, ") -> ", result);

  print_type(&text, "func.func @reshape(%m: ",
             mlirValueGetType(mlirOperationGetOperand(reshape, 0)));
  print_type(&text, ", %s: ", shape);
  print_type(&text, ", %t: ", mlirValueGetType(indices));
  print_type(&text, ") -> ", result);
  print_type(&text,
             " {\n"
             "  %zero = arith.constant 0 : index\n"
             "  %one = arith.constant 1 : index\n"
             "  %n = memref.dim %s, %zero : ",
             shape);
  print_type(&text,
             "\n"
             "  scf.for %i = %zero to %n step %one {\n"
             "    %d = memref.load %s[%i] : ",
             shape);
  print_type(&text, "\n    %x = arith.index_cast %d : ",
             mlirShapedTypeGetElementType(shape));
  print_type(&text, " to index\n    memref.store %x, %t[%i] : ",
             mlirValueGetType(indices));
  agpu__text_printf(&text,
                    "\n  }\n"
                    "  %%r = memref.reshape %%m(%%t) : %s",
                    types.data);
  print_type(&text, "\n  return %r : ", result);
  agpu__text_puts(&text, "\n}\n");
  agpu__template_replace(reshape, agpu__text_get(&text), &indices, 1);
  agpu__text_free(&types);
  agpu__text_free(&text);
}

void agpu__expand_reshapes(MlirOperation root) {
  agpu__ops ops = {0};
  agpu__collect(root, "memref.reshape", &ops);
  for (size_t i = 0; i < ops.count; ++i)
    if (is_wanted(ops.data[i]))
      expand(ops.data[i]);
  agpu__ops_free(&ops);
}
