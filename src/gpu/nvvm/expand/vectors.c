//===- vectors.c - Vector ops that upstream's conversions leave -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/vectors.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include "mlir-c/BuiltinAttributes.h"

#include <string.h>

#define MAX_RANK 16

/// Kinds of vector's reductions, as in `#vector.kind<add>`.
static const struct {
  const char *kind, *integer, *real;
} kinds[] = {
    {"<add>", "addi", "addf"},        {"<mul>", "muli", "mulf"},
    {"<minui>", "minui", NULL},       {"<minsi>", "minsi", NULL},
    {"<maxui>", "maxui", NULL},       {"<maxsi>", "maxsi", NULL},
    {"<and>", "andi", NULL},          {"<or>", "ori", NULL},
    {"<xor>", "xori", NULL},          {"<minnumf>", NULL, "minnumf"},
    {"<maxnumf>", NULL, "maxnumf"},   {"<minimumf>", NULL, "minimumf"},
    {"<maximumf>", NULL, "maximumf"},
};

/// The arith op, without its dialect; NULL for a kind that is not known.
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

static void print_type(agpu__text *text, MlirType type) {
  mlirTypePrint(type, agpu__text_callback, text);
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

/// `%sN = vector.extract %FROM[...]` of `type` at `place`, in all dimensions or
/// in those that stay.
static void write_extract(agpu__text *text, const shape *self, int number,
                          const int64_t *place, bool all, const char *from,
                          MlirType type) {
  agpu__text_printf(text, "  %%s%d = vector.extract %%%s[", number, from);
  const char *between = "";
  for (intptr_t i = 0; i < self->rank; ++i)
    if (all || !self->reduced[i]) {
      agpu__text_printf(text, "%s%lld", between, (long long)place[i]);
      between = ", ";
    }
  agpu__text_puts(text, "] : ");
  print_type(text, mlirShapedTypeGetElementType(type));
  agpu__text_puts(text, " from ");
  print_type(text, type);
  agpu__text_puts(text, "\n");
}

/// Writes ops that combine the elements for the result at `place`. Their values
/// have numbers from `number` on; returns the next, whose predecessor is the
/// result.
static int write_element(agpu__text *text, const shape *self, int number,
                         int64_t *place, const char *combine, MlirType source,
                         MlirType result) {
  MlirType element = mlirShapedTypeGetElementType(source);
  bool whole = !mlirTypeIsAVector(result);
  if (!whole)
    write_extract(text, self, number++, place, false, "a", result);
  bool first = whole;
  do {
    write_extract(text, self, number, place, true, "v", source);
    agpu__text_printf(text, "  %%s%d = arith.%s ", number + 1, combine);
    if (first)
      agpu__text_puts(text, "%a");
    else
      agpu__text_printf(text, "%%s%d", number - 1);
    agpu__text_printf(text, ", %%s%d : ", number);
    print_type(text, element);
    agpu__text_puts(text, "\n");
    first = false;
    number += 2;
  } while (next_place(self, true, place));
  return number;
}

static void expand(MlirOperation op, const shape *self, const char *combine) {
  MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType result = mlirValueGetType(agpu__result(op, 0));
  agpu__text text = {0}, elements = {0};
  agpu__text_puts(&text, "func.func @reduce(%v: ");
  print_type(&text, source);
  agpu__text_puts(&text, ", %a: ");
  print_type(&text, result);
  agpu__text_puts(&text, ") -> ");
  print_type(&text, result);
  agpu__text_puts(&text, " {\n");
  int64_t place[MAX_RANK] = {0};
  int number = 0;
  do {
    number = write_element(&text, self, number, place, combine, source, result);
    agpu__text_printf(&elements, "%s%%s%d", elements.size ? ", " : "",
                      number - 1);
  } while (next_place(self, false, place));
  bool whole = !mlirTypeIsAVector(result);
  agpu__text_printf(
      &text, whole ? "  return %s : " : "  %%r = vector.from_elements %s : ",
      agpu__text_get(&elements));
  if (!whole) {
    print_type(&text, result);
    agpu__text_puts(&text, "\n  return %r : ");
  }
  print_type(&text, result);
  agpu__text_puts(&text, "\n}\n");
  agpu__template_replace(op, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
  agpu__text_free(&elements);
}

void agpu__expand_multi_reductions(MlirOperation gpu_module) {
  agpu__ops ops = {0};
  agpu__collect(gpu_module, "vector.multi_reduction", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(ops.data[i], 0));
    const char *combine = combination(
        ops.data[i], mlirTypeIsAFloat(mlirShapedTypeGetElementType(type)));
    shape self;
    if (combine && read_shape(ops.data[i], &self))
      expand(ops.data[i], &self, combine);
  }
  agpu__ops_free(&ops);
}
