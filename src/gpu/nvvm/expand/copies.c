//===- copies.c - Copies inside kernels -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/copies.h"

#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include <stdlib.h>

static char *type_text(MlirValue value) {
  agpu__text text = {0};
  mlirTypePrint(mlirValueGetType(value), agpu__text_callback, &text);
  return agpu__text_take(&text);
}

static bool has_rank(MlirValue value) {
  return mlirTypeIsAMemRef(mlirValueGetType(value));
}

/// One loop per dimension, and in the innermost a load and a store.
static void expand(MlirOperation copy) {
  MlirValue source = mlirOperationGetOperand(copy, 0);
  char *from = type_text(source);
  char *to = type_text(mlirOperationGetOperand(copy, 1));
  MlirType type = mlirValueGetType(source);
  agpu__text indices = {0}, text = {0};
  long long rank = mlirShapedTypeGetRank(type);
  agpu__text_printf(&text,
                    "func.func @copy(%%a: %s, %%b: %s) {\n"
                    "  %%zero = arith.constant 0 : index\n"
                    "  %%one = arith.constant 1 : index\n",
                    from, to);
  for (long long i = 0; i < rank; ++i) {
    agpu__text_printf(&text,
                      "  %%d%lld = arith.constant %lld : index\n"
                      "  %%n%lld = memref.dim %%a, %%d%lld : %s\n"
                      "  scf.for %%i%lld = %%zero to %%n%lld step %%one {\n",
                      i, i, i, i, from, i, i);
    agpu__text_printf(&indices, "%s%%i%lld", i ? ", " : "", i);
  }
  const char *at = agpu__text_get(&indices);
  agpu__text_printf(&text,
                    "  %%v = memref.load %%a[%s] : %s\n"
                    "  memref.store %%v, %%b[%s] : %s\n",
                    at, from, at, to);
  for (long long i = 0; i < rank; ++i)
    agpu__text_puts(&text, "  }\n");
  agpu__text_puts(&text, "  return\n}\n");
  agpu__template_replace(copy, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&indices);
  agpu__text_free(&text);
  free(from);
  free(to);
}

MlirLogicalResult agpu__expand_copies(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops ops = {0};
  agpu__collect(gpu_module, "memref.copy", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (has_rank(mlirOperationGetOperand(op, 0)) &&
        has_rank(mlirOperationGetOperand(op, 1)))
      expand(op);
    else
      result = agpu__error(mlirOperationGetLocation(op),
                           "a copy in a kernel needs memrefs with a rank");
  }
  agpu__ops_free(&ops);
  return result;
}
