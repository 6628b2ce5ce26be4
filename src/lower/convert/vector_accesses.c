//===- vector_accesses.c - Rows of vectors in memory ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `vector.load`, `store`, `maskedload` and `maskedstore` of vectors with
// several dimensions. Upstream converts these ops row by row only as transfers,
// which say the same: nothing is out of bounds, and dimensions are in order.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "mlir-c/AffineMap.h"

#include <stdlib.h>

/// The op's vector is no element of the memref, and has more than one row.
static bool is_access_of_rows(MlirType memref, MlirType vector) {
  return mlirTypeIsAVector(vector) && mlirShapedTypeGetRank(vector) > 1 &&
         mlirTypeIsAMemRef(memref) &&
         mlirShapedTypeGetRank(memref) >= mlirShapedTypeGetRank(vector) &&
         !mlirTypeIsAVector(mlirShapedTypeGetElementType(memref));
}

/// Builds a transfer with the operands of its four segments.
static MlirOperation build_transfer(agpu__builder *at, const char *name,
                                    const agpu__values *operands,
                                    const int32_t *segments, MlirType memref,
                                    MlirType vector, MlirType result) {
  MlirContext context = at->context;
  intptr_t rank = mlirShapedTypeGetRank(vector);
  AGPU__OWNED MlirAttribute *flags =
      agpu__allocate((size_t)rank, sizeof(*flags));
  for (intptr_t i = 0; i < rank; ++i)
    flags[i] = mlirBoolAttrGet(context, true);
  MlirAffineMap map = mlirAffineMapMinorIdentityGet(
      context, mlirShapedTypeGetRank(memref), rank);
  const MlirNamedAttribute attributes[] = {
      agpu__named(context, "permutation_map", mlirAffineMapAttrGet(map)),
      agpu__named(context, "in_bounds", mlirArrayAttrGet(context, rank, flags)),
      agpu__segments(context, segments, 4)};
  return agpu__build_op(at, name, operands->data, operands->count, result,
                        attributes, 3);
}

/// load: memref, indices. maskedload: the same, mask, what else to take.
static void expand_load(MlirOperation op, bool masked) {
  MlirType vector = mlirValueGetType(agpu__result(op, 0));
  MlirType memref = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!is_access_of_rows(memref, vector))
    return;
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) all = agpu__operands(op, 0), operands = {0};
  int32_t indices = (int32_t)mlirShapedTypeGetRank(memref);
  for (int32_t i = 0; i < 1 + indices; ++i)
    agpu__values_push(&operands, all.data[i]);
  MlirType element = mlirShapedTypeGetElementType(vector);
  agpu__values_push(&operands,
                    agpu__build_value(&at, "ub.poison", NULL, 0, element));
  if (masked)
    agpu__values_push(&operands, all.data[1 + indices]);
  const int32_t segments[] = {1, indices, 1, masked};
  MlirValue read =
      agpu__result(build_transfer(&at, "vector.transfer_read", &operands,
                                  segments, memref, vector, vector),
                   0);
  if (masked)
    read = agpu__build_select(&at, "arith.select", all.data[1 + indices], read,
                              all.data[2 + indices]);
  agpu__replace_op_by_value(op, read);
}

/// store: value, memref, indices. maskedstore: memref, indices, mask, value.
static void expand_store(MlirOperation op, bool masked) {
  AGPU__SCOPED(values) all = agpu__operands(op, 0), operands = {0};
  MlirValue memref = all.data[masked ? 0 : 1];
  MlirValue vector = all.data[masked ? all.count - 1 : 0];
  MlirType type = mlirValueGetType(memref);
  if (is_access_of_rows(type, mlirValueGetType(vector))) {
    agpu__builder at = agpu__builder_before(op);
    int32_t indices = (int32_t)mlirShapedTypeGetRank(type);
    agpu__values_push(&operands, vector);
    agpu__values_push(&operands, memref);
    for (int32_t i = 0; i < indices; ++i)
      agpu__values_push(&operands, all.data[(masked ? 1 : 2) + i]);
    if (masked)
      agpu__values_push(&operands, all.data[1 + indices]);
    const int32_t segments[] = {1, 1, indices, masked};
    build_transfer(&at, "vector.transfer_write", &operands, segments, type,
                   mlirValueGetType(vector), (MlirType){NULL});
    mlirOperationDestroy(op);
  }
}

void agpu__expand_vector_accesses(MlirOperation root) {
  AGPU__OPS_IN_FOREACH (op, root, NULL) {
    if (agpu__op_is(op, "vector.load"))
      expand_load(op, false);
    else if (agpu__op_is(op, "vector.maskedload"))
      expand_load(op, true);
    else if (agpu__op_is(op, "vector.store"))
      expand_store(op, false);
    else if (agpu__op_is(op, "vector.maskedstore"))
      expand_store(op, true);
  }
}
