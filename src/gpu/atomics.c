//===- atomics.c - Atomic operations without an instruction ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/atomics.h"

#include "lower/ir.h"
#include "lower/template.h"
#include "lower/text.h"

#include "mlir-c/BuiltinAttributes.h"

static void print_type(agpu__text *text, MlirType type) {
  mlirTypePrint(type, agpu__text_callback, text);
}

/// The numbers of these kinds in arith's list.
enum { MULF = 12, MULI = 13 };

static bool multiplies(MlirOperation op) {
  int64_t kind = mlirIntegerAttrGetValueInt(
      mlirOperationGetAttributeByName(op, agpu__str("kind")));
  return kind == MULF || kind == MULI;
}

static void expand(MlirOperation op) {
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirValue memory = mlirOperationGetOperand(op, 1);
  intptr_t indices = mlirOperationGetNumOperands(op) - 2;
  MlirType type = mlirValueGetType(value);
  agpu__text text = {0};
  agpu__text_puts(&text, "func.func @multiply(%v: ");
  print_type(&text, type);
  agpu__text_puts(&text, ", %m: ");
  print_type(&text, mlirValueGetType(memory));
  for (int i = 0; i < indices; ++i)
    agpu__text_printf(&text, ", %%i%d: index", i);
  agpu__text_puts(&text, ") -> ");
  print_type(&text, type);
  agpu__text_puts(&text, " {\n  %r = memref.generic_atomic_rmw %m[");
  for (int i = 0; i < indices; ++i)
    agpu__text_printf(&text, "%s%%i%d", i ? ", " : "", i);
  agpu__text_puts(&text, "] : ");
  print_type(&text, mlirValueGetType(memory));
  agpu__text_puts(&text, " {\n  ^bb0(%now: ");
  print_type(&text, type);
  agpu__text_printf(&text, "):\n    %%next = arith.%s %%now, %%v : ",
                    mlirTypeIsAFloat(type) ? "mulf" : "muli");
  print_type(&text, type);
  agpu__text_puts(&text, "\n    memref.atomic_yield %next : ");
  print_type(&text, type);
  agpu__text_puts(&text, "\n  }\n  return %r : ");
  print_type(&text, type);
  agpu__text_puts(&text, "\n}\n");
  agpu__template_replace(op, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
}

bool agpu__expand_atomics(MlirOperation gpu_module) {
  agpu__ops ops = {0};
  agpu__collect(gpu_module, "memref.atomic_rmw", &ops);
  bool any = false;
  for (size_t i = 0; i < ops.count; ++i)
    if (multiplies(ops.data[i])) {
      expand(ops.data[i]);
      any = true;
    }
  agpu__ops_free(&ops);
  return any;
}
