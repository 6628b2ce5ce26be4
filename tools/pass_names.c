//===- pass_names.c - All passes that there are ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of our passes and the list of upstream's, to be printed, and to
// find what a misspelt name was meant to be.
//
//===----------------------------------------------------------------------===//

#include "pass_names.h"

#include "help.h"

#include "command_line.h"

#include "lower/ir/nearest.h"
#include "lower/ir/text.h"
#include "lower/pass/pass.h"
#include "lower/pass/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Upstream's pipelines that have a name, which no header lists.
static const struct {
  const char *name, *description;
} upstream_pipelines[] = {
    {"buffer-deallocation-pipeline", "Deallocations of buffers"},
    {"gpu-lower-to-nvvm-pipeline", "From main dialects to the NVVM dialect"},
    {"gpu-lower-to-xevm-pipeline", "From the gpu dialect to XeVM"},
    {"sparsifier", "Sparsity-agnostic IR to code for sparse tensors"},
    {"tosa-to-linalg-pipeline", "TOSA to linalg"},
};
enum {
  UPSTREAM_PIPELINES = sizeof(upstream_pipelines) / sizeof(*upstream_pipelines)
};

static void print_pass(const char *name, const char *description, void *data) {
  (void)data;
  char *left = agpu__format("--%s", name);
  agpu__help_entry(left, description);
  free(left);
}

void agpu__print_passes(void) {
  MlirContext context = agpu__context_create();
  agpu__context_register_passes();
  printf("Pipelines of async-gpu:\n");
  for (size_t i = 0; i < agpu__pipeline_count; ++i)
    print_pass(agpu__pipelines[i]->argument, agpu__pipelines[i]->summary, NULL);
  printf("Passes of async-gpu:\n");
  for (size_t i = 0; i < agpu__pass_count; ++i)
    print_pass(agpu__passes[i]->argument, agpu__passes[i]->summary, NULL);
  printf("Pipelines of upstream MLIR:\n");
  for (size_t i = 0; i < UPSTREAM_PIPELINES; ++i)
    if (agpu__pass_exists(context, upstream_pipelines[i].name))
      print_pass(upstream_pipelines[i].name, upstream_pipelines[i].description,
                 NULL);
  printf("Passes of upstream MLIR:\n");
  agpu__upstream_each_pass(context, print_pass, NULL);
  mlirContextDestroy(context);
}

typedef struct search {
  const char *wanted;
  size_t distance;
  char *found;
} search;

static void look(const char *name, const char *description, void *data) {
  (void)description;
  search *s = data;
  const char *best = NULL;
  agpu__nearest_name(s->wanted, name, &best, &s->distance);
  if (!best)
    return;
  free(s->found);
  s->found = agpu__format("%s", best);
}

char *agpu__nearest_pass(MlirContext context, const char *wanted,
                         const char *best, size_t distance) {
  search s = {.wanted = wanted,
              .distance = distance,
              .found = best ? agpu__format("%s", best) : NULL};
  for (size_t i = 0; i < agpu__pass_count; ++i)
    look(agpu__passes[i]->argument, NULL, &s);
  for (size_t i = 0; i < agpu__pipeline_count; ++i)
    look(agpu__pipelines[i]->argument, NULL, &s);
  for (size_t i = 0; i < UPSTREAM_PIPELINES; ++i)
    look(upstream_pipelines[i].name, NULL, &s);
  agpu__upstream_each_pass(context, look, &s);
  return s.found;
}
