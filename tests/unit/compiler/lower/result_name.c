//===- result_name.c - What the source calls a result ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of the last result that has one, and none where something else
// stands before the op.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "check.h"

/// The name found before the "op" that `text` ends in.
static const char *name_in(const char *text) {
  static char name[64];
  MlirStringRef found = agpu__result_name(text, text + strlen(text) - 2);
  snprintf(name, sizeof(name), "%.*s", (int)found.length, found.data);
  return name;
}

int main(void) {
  CHECK_STR(name_in("%a = op"), "a");
  CHECK_STR(name_in("x\n  %t0, %squares =\n\top"), "squares");
  CHECK_STR(name_in("%a,%b:2=op"), "b");
  CHECK_STR(name_in("%token, %0 = op"), "token");
  CHECK_STR(name_in("%a$b.c-d_e = op"), "a$b.c-d_e");
  CHECK_STR(name_in("%0:3 = op"), "");
  CHECK_STR(name_in("op"), "");
  CHECK_STR(name_in("{ op"), "");
  CHECK_STR(name_in("= op"), "");
  CHECK_STR(name_in("% = op"), "");
  CHECK_STR(name_in("a = op"), "");
  CHECK_STR(name_in("%b %0 = op"), "");
  return 0;
}
