//===- conversions.c - Floats of 8, 6 and 4 bits, on a host ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.convert of pairs, by templates: PTX ISA, cvt. To small floats all round
// to nearest, and what is too large becomes the largest number (.satfinite); to
// scales (ue8m0) they round as asked.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "lower/convert/convert.h"

/// The ops, and the templates for small floats and for scales; no name where
/// there is no such conversion.
static const struct row {
  const char *op, *type; ///< `type`: the attribute with the small one
  const char *floats, *scales;
  const char *half; ///< element of the larger one
} rows[] = {
    {"nvvm.convert.f32x2.to.f8x2", "dstTy", "pair", "scales", "f16"},
    {"nvvm.convert.f32x2.to.f6x2", "dstTy", "pair", NULL, "f16"},
    {"nvvm.convert.f32x2.to.f4x2", "dstTy", "pair", NULL, "f16"},
    {"nvvm.convert.f16x2.to.f8x2", "dstTy", "pair_of_halves", NULL, "f16"},
    {"nvvm.convert.bf16x2.to.f8x2", "dstTy", NULL, "scales_of_halves", "bf16"},
    {"nvvm.convert.f8x2.to.f16x2", "srcType", "halves_of_bytes", NULL, "f16"},
    {"nvvm.convert.f8x2.to.bf16x2", "srcType", NULL, "powers", "bf16"},
    {"nvvm.convert.f6x2.to.f16x2", "srcType", "halves_of_bytes", NULL, "f16"},
    {"nvvm.convert.f4x2.to.f16x2", "srcType", "halves_of_nibbles", NULL, "f16"},
};

/// The row of `op`, its small type, NULL for a scale, and the template.
static const struct row *find(MlirOperation op,
                              const agpu__small_float **out_type,
                              const char **out_function) {
  bool is_one = agpu__op_in_dialect(op, "nvvm");
  for (size_t i = 0; is_one && i < AGPU__COUNT(rows); ++i) {
    if (!agpu__op_is(op, rows[i].op))
      continue;
    bool is_scale = agpu__simt_attr_has(op, rows[i].type, "f8E8M0FNU");
    *out_type = agpu__small_float_find(
        mlirTypeAttrGetValue(agpu__attr(op, rows[i].type)));
    *out_function = is_scale ? rows[i].scales : rows[i].floats;
    return *out_function && (is_scale || *out_type) ? &rows[i] : NULL;
  }
  return NULL;
}

bool agpu__simt_is_conversion(MlirOperation op) {
  const agpu__small_float *type;
  const char *function;
  return find(op, &type, &function) != NULL;
}

void agpu__simt_expand_conversion(MlirOperation op) {
  const agpu__small_float *type;
  const char *function;
  const struct row *row = find(op, &type, &function);
  AGPU__SCOPED(holes) holes = {0};
  bool relu = agpu__simt_attr_has(op, "relu", "true"),
       encodes = row->type[0] == 'd';
  agpu__hole_type(&holes, "result", mlirValueGetType(agpu__result(op, 0)));
  if (type) {
    agpu__small_float_holes(type, encodes, &holes);
    agpu__hole(&holes, "negative", relu ? "zero" : "signed");
    agpu__hole(&holes, "wanted", relu ? "positive" : "bits");
    agpu__hole(&holes, "field", type->bits == 4 ? "4" : "8");
    agpu__hole(&holes, "packed", type->bits == 4 ? "i8" : "i16");
    agpu__hole(&holes, "half", "%s", row->half);
  } else {
    agpu__hole(&holes, "rounded",
               agpu__simt_attr_has(op, "rnd", "<rp>") ? "up" : "down");
  }
  const agpu__template template = {.file = type ? "small_floats.mlir"
                                                : "scales.mlir",
                                   .function = function,
                                   .holes = &holes};
  agpu__template_replace(op, &template, NULL, 0);
}
