//===- bodies.c - Host code that may hold GPU ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies nest: an `async.execute` stands in another or in a function. Code
// belongs to the innermost one around it.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include "mlir-c/Dialect/GPU.h"

const char *agpu__body_kind_name(agpu__body_kind kind) {
  static const char *const names[] = {AGPU__KIND_HOST, AGPU__KIND_DEVICE,
                                      AGPU__KIND_MIXED};
  return names[kind];
}

bool agpu__is_body(MlirOperation op) {
  return agpu__op_is_any(op, "async.execute async.func func.func");
}

MlirOperation agpu__body_of(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && !agpu__is_body(op));
  return op;
}

//===----------------------------------------------------------------------===//
// Which device a body works on
//
// Devices are chosen by attributes on bodies. What has none works on the
// default device of the body around it, which a program may change while it
// runs.
//===----------------------------------------------------------------------===//

int32_t agpu__named_device(MlirOperation body) {
  return (int32_t)agpu__get_int(body, AGPU__DEVICE_ATTR, -1);
}

bool agpu__sets_default_device(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (op, module, NULL)
    if (agpu__op_is_any(op, "gpu.set_default_device agpu.set_default_device"))
      return true;
  return false;
}

int32_t agpu__priority_of(MlirOperation body) {
  while (!mlirOperationIsNull(body) &&
         !agpu__has_attr(body, AGPU__PRIORITY_ATTR))
    body = agpu__body_of(body);
  return mlirOperationIsNull(body)
             ? 0
             : (int32_t)agpu__get_int(body, AGPU__PRIORITY_ATTR, 0);
}

/// The nearest body around `body`, itself included, that names a device; the
/// outermost one where none does.
static MlirOperation get_deciding_body(MlirOperation body) {
  while (agpu__named_device(body) < 0) {
    MlirOperation outer = agpu__body_of(body);
    if (mlirOperationIsNull(outer))
      break;
    body = outer;
  }
  return body;
}

bool agpu__have_same_device(MlirOperation a, MlirOperation b) {
  MlirOperation of_a = get_deciding_body(a), of_b = get_deciding_body(b);
  int32_t device = agpu__named_device(of_a);
  return device >= 0 ? device == agpu__named_device(of_b)
                     : mlirOperationEqual(of_a, of_b);
}

//===----------------------------------------------------------------------===//
// Tokens of the gpu dialect's ops
//
// An op of the gpu dialect has its tokens among its ordinary operands and
// results; where they are follows from their types and from the operand
// segments.
//===----------------------------------------------------------------------===//

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
