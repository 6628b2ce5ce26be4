//===- reproducer.c - Files that repeat a failure -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of the file is put together before a pass runs, so that a crash has
// nothing left to do but to write it (crash.h).
//
//===----------------------------------------------------------------------===//

#include "reproducer.h"

#include "command_line.h"
#include "crash.h"
#include "output_file.h"

#include "lower/ir/ir.h"
#include "lower/pass/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agpu__reproducer_take(agpu__reproducer *self, MlirOperation module) {
  agpu__crash_set_reproducer(NULL, NULL);
  self->text.size = 0;
  mlirOperationPrint(module, agpu__text_callback, &self->text);
  agpu__text_puts(&self->text, "\n\n{-#\n  external_resources: {\n"
                               "    mlir_reproducer: {\n      pipeline: ");
  agpu__text_json(&self->text, self->pipeline, strlen(self->pipeline));
  agpu__text_printf(&self->text,
                    ",\n      disable_threading: true,\n      verify_each: "
                    "%s\n    }\n  }\n#-}\n",
                    self->verify_each ? "true" : "false");
  agpu__crash_set_reproducer(self->path, self->text.data);
}

void agpu__reproducer_on_pass(MlirOperation op, const char *pipeline,
                              void *data) {
  agpu__reproducer *self = data;
  MlirStringRef name = agpu__op_name(op),
                symbol = agpu__get_string(op, "sym_name");
  snprintf(self->op, sizeof(self->op), "'%.*s'%s%.*s", (int)name.length,
           name.data, symbol.length ? " @" : "", (int)symbol.length,
           symbol.data);
  agpu__progress_set_op(self->op);
  for (MlirOperation up = op; !mlirOperationIsNull(up);
       up = mlirOperationGetParentOperation(up))
    op = up;
  self->pipeline = pipeline;
  agpu__reproducer_take(self, op);
}

bool agpu__reproducer_write(const char *tool, const agpu__reproducer *self) {
  agpu__text error = {0};
  bool ok = agpu__output_write(self->path, agpu__text_get(&self->text),
                               self->text.size, false, &error);
  if (ok)
    fprintf(stderr, "%s: note: '%s' repeats this: %s --run-reproducer %s\n",
            tool, self->path, tool, self->path);
  else
    agpu__tool_error(tool, "%s", agpu__text_get(&error));
  agpu__text_free(&error);
  return ok;
}

/// Behind `word` and white space in `text`, or NULL.
static char *behind(char *text, const char *word) {
  char *found = text ? strstr(text, word) : NULL;
  if (!found)
    return NULL;
  found += strlen(word);
  return found + strspn(found, " \t\r\n:{");
}

/// Leaves spaces in the place of what stands from `begin` to the brace behind
/// `end`, and of a comma there.
static void blank(char *begin, const char *end) {
  char *at = begin;
  for (; *at && (at < end || *at != '}'); ++at)
    if (*at != '\n')
      *at = ' ';
  if (*at)
    *at++ = ' ';
  at += strspn(at, " \t\r\n");
  if (*at == ',')
    *at = ' ';
}

char *agpu__reproducer_pipeline(const char *tool, agpu__text *text) {
  static const char key[] = "mlir_reproducer";
  // Resources stand at the end, behind all text that may say the same.
  char *file = text->data, *section = file;
  for (char *at = file; (at = strstr(at, "{-#")); at += 3)
    section = at;
  char *begin = behind(behind(section, key), "pipeline:");
  agpu__text pipeline = {0};
  bool ends = false;
  const char *at = begin;
  if (begin && *begin == '"')
    for (++at; *at && !ends; ++at) {
      ends = *at == '"';
      if (*at == '\\' && at[1])
        ++at;
      if (!ends)
        agpu__text_append(&pipeline, at, 1);
    }
  if (ends && pipeline.size) {
    blank(strstr(section, key), at);
    return agpu__text_take(&pipeline);
  }
  agpu__text_free(&pipeline);
  agpu__tool_error(tool, "the input is no reproducer: it has no "
                         "'mlir_reproducer' with a pipeline");
  return NULL;
}

void agpu__reproducer_free(agpu__reproducer *self) {
  agpu__crash_set_reproducer(NULL, NULL);
  agpu__text_free(&self->text);
}
