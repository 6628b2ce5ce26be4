//===- bare_pointers.c - Memrefs as pointers -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/bare_pointers.h"

#include "lower/ir/ir.h"
#include "lower/ir/memref_parts.h"
#include "lower/ir/text.h"

#include "mlir-c/BuiltinTypes.h"

MlirLogicalResult agpu__check_bare_pointer(MlirLocation location,
                                           const char *what, size_t number,
                                           MlirType type) {
  bool is_ranked = mlirTypeIsAMemRef(type);
  if (!is_ranked && !mlirTypeIsAUnrankedMemRef(type))
    return mlirLogicalResultSuccess();
  if (is_ranked && agpu__memref_is_strided(type) &&
      agpu__memref_dynamic_count(type) == 0)
    return mlirLogicalResultSuccess();
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  MlirLogicalResult result = agpu__error(
      location,
      "%s %zu has type %s, which cannot be a bare pointer: its rank, sizes, "
      "strides and offset must be static",
      what, number, agpu__text_get(&text));
  agpu__text_free(&text);
  return result;
}
