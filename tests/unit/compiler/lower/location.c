//===- location.c - Places in the source ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of location stands for one place: that of what it names, of its
// callee, of the first of its parts that is known.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/ir/ops.h"

#include "check.h"

static void check_text(MlirLocation location, const char *expected) {
  char *text = agpu__location_text(location);
  CHECK_STR(text, expected);
  free(text);
}

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirLocation unknown = mlirLocationUnknownGet(context);
  MlirLocation a = mlirLocationFileLineColGet(context, agpu__str("a"), 1, 2);
  MlirLocation b = mlirLocationFileLineColGet(context, agpu__str("b"), 3, 4);
  check_text(unknown, "");
  check_text(a, "a:1:2");
  check_text(mlirLocationNameGet(context, agpu__str("x"), b), "b:3:4");
  check_text(mlirLocationCallSiteGet(a, b), "a:1:2");
  MlirLocation parts[] = {mlirLocationNameGet(context, agpu__str("x"), unknown),
                          b, a};
  check_text(mlirLocationFusedGet(context, 3, parts, mlirAttributeGetNull()),
             "b:3:4");
  mlirContextDestroy(context);
  return 0;
}
