//===- plan_output.c - The plan as what a tool writes --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the picture of the plan that async-gpu-regions applies, and the graphs
// that async-gpu-graphs finds behind it, and has Graphviz draw it where an SVG
// is asked for.
//
//===----------------------------------------------------------------------===//

#include "plan_output.h"

#include "about.h"
#include "progress_line.h"

#include "gpu/plan/picture.h"
#include "lower/ir/ops.h"
#include "lower/pass/source.h"
#include "lower/pass/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void keep(const agpu__plan *plan, void *data) {
  agpu__plan_output *self = data;
  agpu__text_free(&self->dot);
  agpu__text_free(&self->json);
  agpu__picture picture;
  agpu__picture_create(plan, &picture);
  agpu__picture_print_dot(&picture, &self->dot);
  agpu__picture_print_json(&picture, &self->json);
  agpu__picture_free(&picture);
  self->made = true;
  agpu__text_free(&self->dot_parts);
  agpu__text_free(&self->json_parts);
}

static void keep_part(const agpu__picture_part *part, void *data) {
  agpu__plan_output *self = data;
  agpu__picture_print_part_dot(part, &self->dot_parts);
  agpu__text_puts(&self->json_parts,
                  self->json_parts.size ? ",\n    " : "\n    ");
  agpu__picture_print_part_json(part, &self->json_parts);
}

/// Appends `text` with the parts in front of its end, which it has to have.
static void write_with(const agpu__text *text, const char *end,
                       const char *before, const agpu__text *parts,
                       const char *behind, agpu__text *out) {
  size_t length = strlen(end);
  if (!parts->size) {
    agpu__text_append(out, text->data, text->size);
    return;
  }
  agpu__text_append(out, text->data, text->size - length);
  agpu__text_puts(out, before);
  agpu__text_append(out, parts->data, parts->size);
  agpu__text_puts(out, behind);
  agpu__text_puts(out, end);
}

void agpu__plan_output_watch(agpu__plan_output *self) {
  agpu__plan_on_created(keep, self);
  agpu__picture_on_part(keep_part, self);
}

/// Writes `text` where Graphviz can read it.
static bool write_file(const char *path, const agpu__text *text) {
  FILE *file = fopen(path, "w");
  bool ok = file && fwrite(text->data, 1, text->size, file) == text->size;
  if (file && fclose(file) != 0)
    ok = false;
  if (!ok)
    agpu__tool_error(AGPU_OPT_NAME, "cannot write '%s': %s", path,
                     strerror(errno));
  return ok;
}

/// For readers who have it dark; Graphviz writes colours as attributes, which
/// these go before.
static const char dark[] =
    "<style>\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .graph > polygon, .node [fill=\"white\"]:not(text) { fill: #16181d; }\n"
    "  text:not([fill]) { fill: #e8eaee; }\n"
    "  text[fill=\"#5c6370\"] { fill: #a3abb8; }\n"
    "  .edge [stroke=\"#3c4043\"] { stroke: #e8eaee; }\n"
    "  .edge [fill=\"#3c4043\"]:not(text) { fill: #e8eaee; }\n"
    "}\n"
    "</style>\n";

/// Puts the colours of the dark into a picture, behind its beginning.
static void add_style(agpu__text *picture) {
  char *begin = strstr(picture->data, "<svg");
  char *end = begin ? strstr(begin, ">\n") : NULL;
  if (!end)
    return;
  agpu__text styled = {0};
  size_t length = (size_t)(end + 2 - picture->data);
  agpu__text_append(&styled, picture->data, length);
  agpu__text_puts(&styled, dark);
  agpu__text_append(&styled, picture->data + length, picture->size - length);
  agpu__text_free(picture);
  *picture = styled;
}

/// Has `dot` make an SVG of dot text.
static bool draw(const agpu__text *dot, agpu__text *out) {
  agpu__text error = {0};
  agpu__temporary *folder = agpu__temporary_create(&error);
  if (!folder) {
    agpu__tool_error(AGPU_OPT_NAME, "%s", agpu__text_get(&error));
    agpu__text_free(&error);
    return false;
  }
  const char *in = agpu__temporary_file(folder, "plan.dot");
  const char *made = agpu__temporary_file(folder, "plan.svg");
  const char *log = agpu__temporary_file(folder, "log");
  char *command[] = {"dot", "-Tsvg", "-o", (char *)made, (char *)in, NULL};
  int status = 0;
  agpu__progress_line_set("Graphviz draws the plan");
  bool ok = write_file(in, dot);
  int code = ok ? agpu__temporary_run(folder, command, log, &status) : 0;
  if (code) {
    agpu__tool_error(AGPU_OPT_NAME,
                     "--emit=plan-svg needs Graphviz, whose 'dot' cannot be "
                     "run: %s; install graphviz, or take --emit=plan-dot",
                     strerror(code));
    ok = false;
  } else if (ok && (!WIFEXITED(status) || WEXITSTATUS(status))) {
    agpu__text said = {0};
    agpu__source_read(log, &said, &error);
    agpu__tool_error(AGPU_OPT_NAME, "Graphviz could not draw the plan:\n%s",
                     agpu__text_get(&said));
    agpu__text_free(&said);
    ok = false;
  }
  if (ok && !agpu__source_read(made, out, &error)) {
    agpu__tool_error(AGPU_OPT_NAME, "%s", agpu__text_get(&error));
    ok = false;
  }
  if (ok)
    add_style(out);
  agpu__temporary_destroy(folder);
  agpu__text_free(&error);
  return ok;
}

bool agpu__plan_output_write(const agpu__plan_output *self,
                             agpu__plan_form form, agpu__text *out) {
  if (!self->made) {
    agpu__tool_error(AGPU_OPT_NAME,
                     "there is no plan, as the pass async-gpu-regions did not "
                     "run: name it or --async-gpu-lower, or no pass");
    return false;
  }
  if (form == AGPU_PLAN_JSON) {
    write_with(&self->json, "\n}\n", ",\n  \"parts\": [", &self->json_parts,
               "\n  ]", out);
    return true;
  }
  agpu__text dot = {0};
  write_with(&self->dot, "}\n", "", &self->dot_parts, "", &dot);
  bool ok = true;
  if (form == AGPU_PLAN_SVG)
    ok = draw(&dot, out);
  else
    agpu__text_append(out, dot.data, dot.size);
  agpu__text_free(&dot);
  return ok;
}

void agpu__plan_output_free(agpu__plan_output *self) {
  agpu__plan_on_created(NULL, NULL);
  agpu__picture_on_part(NULL, NULL);
  agpu__text_free(&self->dot);
  agpu__text_free(&self->json);
  agpu__text_free(&self->dot_parts);
  agpu__text_free(&self->json_parts);
}
