//===- diagnostics.c - Errors without what an op holds --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failed conversion names the op and its place; an op that does not verify
// has no note with the whole of it.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/diagnostics.h"

#include "lower/ir/ir.h"
#include "lower/ir/text.h"
#include "lower/pass/pipeline.h"

#include "mlir-c/Diagnostics.h"

#include "check.h"

static void keep(const char *text, size_t size, void *data) {
  agpu__text_append(data, text, size);
}

int main(void) {
  MlirContext context = agpu__context_create();
  agpu__text out = {0};
  agpu__diagnostics *diagnostics =
      agpu__diagnostics_attach(context, keep, &out);
  MlirLocation location =
      mlirLocationFileLineColGet(context, agpu__str("a.mlir"), 2, 3);
  mlirEmitError(location,
                "failed to legalize operation 'scf.while' that was explicitly "
                "marked illegal: %0 = scf.while : () -> () {\n}");
  CHECK_STR(agpu__text_get(&out),
            "a.mlir:2:3: error: failed to legalize operation 'scf.while' that "
            "was explicitly marked illegal\n");
  agpu__text_free(&out);

  mlirEmitError(location, "this: that");
  agpu__note(location, "because of %d", 1);
  CHECK_STR(agpu__text_get(&out), "a.mlir:2:3: error: this: that\n"
                                  "a.mlir:2:3: note: because of 1\n");
  agpu__text_free(&out);

  static const char wrong[] = "func.func @f() -> i32 {\n  return\n}\n";
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreate(wrong, strlen(wrong)));
  CHECK(mlirModuleIsNull(module));
  CHECK(strstr(agpu__text_get(&out), "error: 'func.return' op has 0 operands"));
  CHECK(!strstr(out.data, "note: "));
  agpu__text_free(&out);
  agpu__diagnostics_detach(diagnostics);
  mlirContextDestroy(context);
  return 0;
}
