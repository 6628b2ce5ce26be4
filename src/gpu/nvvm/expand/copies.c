//===- copies.c - Copies inside kernels -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref.copy becomes nested scf.for loops over the sizes of its source, a
// load and a store in the innermost; what the conversion of scf finds
// afterwards.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"

static bool has_rank(MlirValue value) {
  return mlirTypeIsAMemRef(mlirValueGetType(value));
}

/// A copy on its way, and the indices of the loops so far.
typedef struct copying {
  MlirOperation op;
  agpu__values indices;
} copying;

/// One loop per dimension, and in the innermost a load and a store.
static void build_loops(agpu__builder *at, copying *self);

static void fill(agpu__builder *at, const char *place, MlirOperation call,
                 MlirValue *out_results, void *data) {
  (void)place, (void)out_results;
  copying *self = data;
  agpu__values_push(&self->indices, mlirOperationGetOperand(call, 0));
  build_loops(at, self);
}

static void build_loops(agpu__builder *at, copying *self) {
  MlirValue source = mlirOperationGetOperand(self->op, 0);
  MlirType type = mlirValueGetType(source);
  if ((int64_t)self->indices.count < mlirShapedTypeGetRank(type)) {
    AGPU__SCOPED(holes) holes = {0};
    agpu__hole_type(&holes, "type", type);
    agpu__hole(&holes, "dimension", "%zu", self->indices.count);
    const agpu__template loop = {.file = "copies.mlir",
                                 .function = "each_index",
                                 .holes = &holes,
                                 .fill = fill,
                                 .data = self};
    agpu__template_build(at, &loop, &source, NULL);
    return;
  }
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, source);
  agpu__values_push_all(&operands, &self->indices);
  MlirValue value =
      agpu__build_value(at, "memref.load", operands.data, operands.count,
                        mlirShapedTypeGetElementType(type));
  AGPU__SCOPED(values) stored = {0};
  agpu__values_push(&stored, value);
  agpu__values_push(&stored, mlirOperationGetOperand(self->op, 1));
  agpu__values_push_all(&stored, &self->indices);
  agpu__build_effect(at, "memref.store", stored.data, stored.count);
}

static void expand(MlirOperation copy) {
  agpu__builder at = agpu__builder_before(copy);
  copying self = {.op = copy};
  build_loops(&at, &self);
  agpu__values_free(&self.indices);
  mlirOperationDestroy(copy);
}

MlirLogicalResult agpu__expand_copies(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (op, gpu_module, "memref.copy") {
    if (has_rank(mlirOperationGetOperand(op, 0)) &&
        has_rank(mlirOperationGetOperand(op, 1)))
      expand(op);
    else
      result = agpu__error(mlirOperationGetLocation(op),
                           "a copy in a kernel needs memrefs with a rank");
  }
  return result;
}
