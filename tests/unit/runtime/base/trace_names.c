//===- trace_names.c - What a trace keeps of names ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// However many events have a name, and however often it is registered and goes,
// one copy of it is kept.
//
//===----------------------------------------------------------------------===//

#include "base/trace/names.h"

#include "check.h"

#include <string.h>

int main(void) {
  static const char code[2] = {0, 0};
  char text[] = "region", file[] = "a.mlir";
  const agpu_trace_name first = {&code[0], text, file, 3, 5, 1, 0};
  const agpu_trace_name *kept = agpu__trace_copy_name(&first);
  CHECK(kept && kept != &first);
  CHECK(agpu__trace_copy_name(&first) == kept);

  // The same texts elsewhere: another run of the same program.
  char text_again[] = "region", file_again[] = "a.mlir";
  const agpu_trace_name again = {&code[0], text_again, file_again, 3, 5, 1, 0};
  CHECK(agpu__trace_copy_name(&again) == kept);

  const agpu_trace_name others[] = {
      {&code[1], text, file, 3, 5, 1, 0}, {&code[0], file, file, 3, 5, 1, 0},
      {&code[0], text, NULL, 3, 5, 1, 0}, {&code[0], text, file, 4, 5, 1, 0},
      {&code[0], text, file, 3, 6, 1, 0}, {&code[0], text, file, 3, 5, 2, 0},
      {&code[0], text, file, 3, 5, 1, 2}};
  for (size_t i = 0; i < sizeof(others) / sizeof(*others); ++i) {
    const agpu_trace_name *other = agpu__trace_copy_name(&others[i]);
    CHECK(other && other != kept && other->line == others[i].line);
    CHECK(agpu__trace_copy_name(&others[i]) == other);
  }

  // What the texts were, when they are gone.
  memset(text, 'x', sizeof(text) - 1);
  memset(file, 'x', sizeof(file) - 1);
  CHECK(strcmp(kept->name, "region") == 0);
  CHECK(strcmp(kept->file, "a.mlir") == 0);
  CHECK(!agpu__trace_copy_name(NULL));
  return 0;
}
