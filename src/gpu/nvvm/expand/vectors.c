//===- vectors.c - Vector ops that upstream's conversions leave -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A multi_reduction becomes extractions of all elements, combined in their
// order along the dimensions that are reduced, and insertions of what comes
// out.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/vectors.h"

#include "lower/ir/ir.h"
#include "lower/ir/text.h"

#include "mlir-c/BuiltinAttributes.h"

#include <string.h>

#define MAX_RANK 16

/// Kinds of vector's reductions, as in `#vector.kind<add>`.
static const struct {
  const char *kind, *integer, *real;
} kinds[] = {
    {"<add>", "arith.addi", "arith.addf"},
    {"<mul>", "arith.muli", "arith.mulf"},
    {"<minui>", "arith.minui", NULL},
    {"<minsi>", "arith.minsi", NULL},
    {"<maxui>", "arith.maxui", NULL},
    {"<maxsi>", "arith.maxsi", NULL},
    {"<and>", "arith.andi", NULL},
    {"<or>", "arith.ori", NULL},
    {"<xor>", "arith.xori", NULL},
    {"<minnumf>", NULL, "arith.minnumf"},
    {"<maxnumf>", NULL, "arith.maxnumf"},
    {"<minimumf>", NULL, "arith.minimumf"},
    {"<maximumf>", NULL, "arith.maximumf"},
};

/// The arith op; NULL for a kind that is not known.
static const char *combination(MlirOperation op, bool real) {
  agpu__text text = {0};
  mlirAttributePrint(agpu__attr(op, "kind"), agpu__text_callback, &text);
  const char *found = NULL;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
    if (strstr(agpu__text_get(&text), kinds[i].kind))
      found = real ? kinds[i].real : kinds[i].integer;
  agpu__text_free(&text);
  return found;
}

/// One reduction: the shape, and which of its dimensions go away.
typedef struct shape {
  intptr_t rank;
  int64_t sizes[MAX_RANK];
  bool reduced[MAX_RANK];
} shape;

static bool read_shape(MlirOperation op, shape *out) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  *out = (shape){.rank = mlirShapedTypeGetRank(type)};
  if (mlirVectorTypeIsScalable(type) || out->rank > MAX_RANK)
    return false;
  for (intptr_t i = 0; i < out->rank; ++i)
    out->sizes[i] = mlirShapedTypeGetDimSize(type, i);
  MlirAttribute reduced = agpu__attr(op, "reduction_dims");
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(reduced); ++i)
    out->reduced[mlirDenseI64ArrayGetElement(reduced, i)] = true;
  return true;
}

/// The next place in the dimensions that are reduced, or in the others; false
/// behind the last.
static bool next_place(const shape *self, bool reduced, int64_t *place) {
  for (intptr_t i = self->rank; i-- > 0;) {
    if (self->reduced[i] != reduced)
      continue;
    if (++place[i] < self->sizes[i])
      return true;
    place[i] = 0;
  }
  return false;
}

/// The element of `vector` at `place`, in all dimensions or in those that stay.
static MlirValue element(agpu__builder *at, const shape *self,
                         const int64_t *place, bool all, MlirValue vector) {
  int64_t path[MAX_RANK];
  intptr_t length = 0;
  for (intptr_t i = 0; i < self->rank; ++i)
    if (all || !self->reduced[i])
      path[length++] = place[i];
  return agpu__build_with(
      at, "vector.extract", &vector, 1,
      mlirShapedTypeGetElementType(mlirValueGetType(vector)), "static_position",
      mlirDenseI64ArrayGet(at->context, length, path));
}

/// Combines the elements for the result at `place` with what the op adds.
static MlirValue combine(agpu__builder *at, const shape *self, int64_t *place,
                         const char *name, MlirOperation op) {
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirValue sum = mlirOperationGetOperand(op, 1);
  if (mlirTypeIsAVector(mlirValueGetType(sum)))
    sum = element(at, self, place, false, sum);
  do
    sum = agpu__build_binary(at, name, sum,
                             element(at, self, place, true, source));
  while (next_place(self, true, place));
  return sum;
}

static void expand(MlirOperation op, const shape *self, const char *name) {
  agpu__builder at = agpu__builder_before(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  agpu__values elements = {0};
  int64_t place[MAX_RANK] = {0};
  do
    agpu__values_push(&elements, combine(&at, self, place, name, op));
  while (next_place(self, false, place));
  mlirValueReplaceAllUsesOfWith(
      agpu__result(op, 0),
      mlirTypeIsAVector(type)
          ? agpu__build_value(&at, "vector.from_elements", elements.data,
                              elements.count, type)
          : elements.data[0]);
  mlirOperationDestroy(op);
  agpu__values_free(&elements);
}

void agpu__expand_multi_reductions(MlirOperation gpu_module) {
  agpu__ops ops = agpu__ops_in(gpu_module, "vector.multi_reduction");
  for (size_t i = 0; i < ops.count; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(ops.data[i], 0));
    const char *name = combination(
        ops.data[i], mlirTypeIsAFloat(mlirShapedTypeGetElementType(type)));
    shape self;
    if (name && read_shape(ops.data[i], &self))
      expand(ops.data[i], &self, name);
  }
  agpu__ops_free(&ops);
}
