//===- plan_output.c - The plan as what a tool writes --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the picture of the plan that async-gpu-regions applies, and has
// Graphviz draw it where an SVG is asked for.
//
//===----------------------------------------------------------------------===//

#include "plan_output.h"

#include "about.h"

#include "gpu/plan/picture.h"
#include "lower/pass/source.h"
#include "lower/pass/temporary.h"

#include <errno.h>
#include <stdio.h>
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
}

void agpu__plan_output_watch(agpu__plan_output *self) {
  agpu__plan_on_made(keep, self);
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
  if (form == AGPU_PLAN_SVG)
    return draw(&self->dot, out);
  const agpu__text *text = form == AGPU_PLAN_DOT ? &self->dot : &self->json;
  agpu__text_append(out, text->data, text->size);
  return true;
}

void agpu__plan_output_free(agpu__plan_output *self) {
  agpu__plan_on_made(NULL, NULL);
  agpu__text_free(&self->dot);
  agpu__text_free(&self->json);
}
