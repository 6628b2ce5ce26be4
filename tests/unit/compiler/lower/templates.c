//===- templates.c - Templates are well formed ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function of each template file is parsed with its holes filled in all
// the ways that the top of its file names; the alternatives of all holes with
// the same number belong together. A hole that the top does not name ends the
// process; one that only the top names fails here. What is built again is not
// parsed again.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/embedded.h"
#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/pass/pipeline.h"

#include "check.h"

#include <stdbool.h>

enum { MAX_HOLES = 20 };

/// A line "// {{name}}: alternative; alternative".
typedef struct declared {
  char name[32];
  char alternatives[4][128];
  size_t count;
} declared;

static size_t read_declared(const char *text, declared *out) {
  size_t count = 0;
  for (const char *line = text; (line = strstr(line, "\n// {{")); ++line) {
    const char *name = line + strlen("\n// {{");
    size_t size = strcspn(name, "}");
    CHECK(count < MAX_HOLES && size < sizeof(out->name));
    declared *hole = &out[count++];
    *hole = (declared){0};
    memcpy(hole->name, name, size);
    const char *at = name + size + strlen("}}");
    do {
      at += strlen(": ");
      size_t length = strcspn(at, ";\n");
      CHECK(hole->count < 4 && length < sizeof(hole->alternatives[0]));
      memcpy(hole->alternatives[hole->count++], at, length);
      at += length;
    } while (*at == ';');
    const char *use = at;
    while ((use = strstr(use, "{{")) && strncmp(use + 2, hole->name, size))
      ++use;
    CHECK(use && !strncmp(use + 2 + size, "}}", 2));
  }
  return count;
}

static void check_function(MlirContext context, const char *file,
                           const char *name, const declared *holes,
                           size_t hole_count, size_t alternative) {
  agpu__holes filled = {0};
  for (size_t i = 0; i < hole_count; ++i) {
    size_t last = holes[i].count - 1;
    agpu__hole(&filled, holes[i].name, "%s",
               holes[i].alternatives[alternative < last ? alternative : last]);
  }
  const agpu__template template = {
      .file = file, .function = name, .holes = &filled};
  char *text = agpu__template_text(&template);
  MlirModule module = mlirModuleCreateParse(context, agpu__str(text));
  if (mlirModuleIsNull(module)) {
    fprintf(stderr, "%s: @%s is malformed:\n%s", file, name, text);
    exit(1);
  }
  mlirModuleDestroy(module);
  free(text);
  agpu__holes_free(&filled);
}

static size_t check_file(MlirContext context, const agpu__embedded_file *file) {
  declared holes[MAX_HOLES];
  size_t hole_count = read_declared(file->text, holes), most = 1, found = 0;
  for (size_t i = 0; i < hole_count; ++i)
    most = holes[i].count > most ? holes[i].count : most;
  static const char head[] = "\nfunc.func @";
  for (const char *at = file->text; (at = strstr(at, head)); ++found) {
    char name[64];
    at += strlen(head);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "("), at);
    for (size_t i = 0; i < most; ++i)
      check_function(context, file->name, name, holes, hole_count, i);
  }
  return found;
}

/// The ops of two texts, each built twice, and how many texts were parsed.
static void check_parsed_once(MlirContext context) {
  static const char *const texts[] = {
      "func.func @k(%v: f32) -> f32 {\n%r = arith.negf %v : f32\n"
      "return %r : f32\n}\n",
      "func.func @k(%v: f32) -> f32 {\n%r = math.absf %v : f32\n"
      "return %r : f32\n}\n"};
  MlirModule module = mlirModuleCreateParse(
      context, agpu__str("func.func @f(%v: f32) {\nreturn\n}\n"));
  MlirOperation function =
      mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock block = agpu__entry_block(function);
  agpu__builder at = agpu__builder_before(mlirBlockGetTerminator(block));
  MlirValue value = mlirBlockGetArgument(block, 0);
  agpu__templates *templates = agpu__templates_begin();
  for (size_t i = 0; i < 4; ++i) {
    const agpu__template template = {
        .file = "k", .function = "k", .text = texts[i % 2]};
    CHECK(mlirLogicalResultIsSuccess(
        agpu__template_build(&at, &template, &value, &value)));
  }
  CHECK(agpu__templates_end(templates) == 2);
  static const char *const names[] = {"arith.negf", "math.absf"};
  MlirOperation op = mlirBlockGetFirstOperation(block);
  for (size_t i = 0; i < 4; ++i, op = mlirOperationGetNextInBlock(op))
    CHECK(agpu__op_is(op, names[i % 2]));
  CHECK(mlirOperationVerify(function));
  mlirModuleDestroy(module);
}

int main(void) {
  MlirContext context = agpu__context_create();
  check_parsed_once(context);
  size_t files = 0;
  for (const agpu__embedded_file *file = agpu__embedded_files; file->name;
       ++file) {
    size_t size = strlen(file->name);
    bool is_template = size > 5 && !strcmp(file->name + size - 5, ".mlir") &&
                       !strstr(file->name, ".irdl.");
    if (!is_template)
      continue;
    CHECK(check_file(context, file) > 0);
    ++files;
  }
  CHECK(files > 0);
  mlirContextDestroy(context);
  return 0;
}
