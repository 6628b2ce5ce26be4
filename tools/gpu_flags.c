//===- gpu_flags.c - Flags on how kernels are compiled --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu_flags.h"

#include "help.h"

#include "lower/ir/ir.h"
#include "lower/ir/nearest.h"
#include "lower/pass/pass.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "gpu-"

static const agpu_pipeline *find_lower(void) {
  for (size_t i = 0; i < agpu__pipeline_count; ++i)
    if (!strcmp(agpu__pipelines[i]->argument, "async-gpu-lower"))
      return agpu__pipelines[i];
  return NULL;
}

/// Option `i` of the pipeline, if it is about kernels, graphs or sequential
/// programs.
static const agpu_pass_option *option_at(const agpu_pipeline *lower, size_t i) {
  const agpu_pass_option *option = &lower->options[i];
  bool is_flag = !strncmp(option->name, PREFIX, strlen(PREFIX)) ||
                 !strcmp(option->name, "graphs") ||
                 !strcmp(option->name, "sequential") ||
                 !strcmp(option->name, "noalias-arguments") ||
                 !strcmp(option->name, "memory") ||
                 !strcmp(option->name, "host-region-ops") ||
                 !strcmp(option->name, "device-region-ops");
  return is_flag ? option : NULL;
}

bool agpu__gpu_flag_take(const agpu__argument *argument, agpu__text *options) {
  if (!strcmp(argument->name, "g") && !argument->value) {
    agpu__text_puts(options, " gpu-line-info=true");
    return true;
  }
  const agpu_pipeline *lower = find_lower();
  for (size_t i = 0; lower && i < lower->option_count; ++i) {
    const agpu_pass_option *option = option_at(lower, i);
    if (!option || strcmp(option->name, argument->name))
      continue;
    if (argument->value)
      agpu__text_printf(options, " %s={%s}", option->name, argument->value);
    else
      agpu__text_printf(options, " %s", option->name);
    return true;
  }
  return false;
}

void agpu__gpu_flags_nearest(const char *wanted, const char **best,
                             size_t *distance) {
  const agpu_pipeline *lower = find_lower();
  for (size_t i = 0; lower && i < lower->option_count; ++i)
    if (option_at(lower, i))
      agpu__nearest_name(wanted, lower->options[i].name, best, distance);
}

/// `options` as async-gpu-kernels takes them: without the prefix. A new string.
static char *without_prefix(const char *options) {
  agpu__text text = {0};
  const char *rest = options;
  for (const char *hit; (hit = strstr(rest, " " PREFIX));
       rest = hit + strlen(" " PREFIX)) {
    agpu__text_append(&text, rest, (size_t)(hit - rest));
    agpu__text_puts(&text, " ");
  }
  agpu__text_puts(&text, rest);
  return agpu__text_take(&text);
}

/// The option of `options` that async-gpu-from-linalg has, too. A new string.
static char *memory_alone(const char *options) {
  const char *begin = strstr(options, " memory=");
  const char *end = begin ? strchr(begin, '}') : NULL;
  return agpu__format("%.*s", end ? (int)(end + 1 - begin) : 0,
                      begin ? begin : "");
}

static void append_options(agpu__pipeline_node *node, char *own) {
  char *all = agpu__format("%s%s", node->options ? node->options : "", own);
  free(own);
  free(node->options);
  node->options = all;
}

bool agpu__gpu_flags_apply(const char *options, agpu__pipeline_list *pipeline) {
  bool applied = false;
  for (size_t i = 0; i < pipeline->count; ++i) {
    agpu__pipeline_node *node = &pipeline->nodes[i];
    bool kernels = !strcmp(node->name, "async-gpu-kernels");
    if (node->nested) {
      applied |= agpu__gpu_flags_apply(options, &node->children);
    } else if (kernels || !strcmp(node->name, "async-gpu-lower")) {
      append_options(node, kernels ? without_prefix(options)
                                   : agpu__format("%s", options));
      applied = true;
    } else if (!strcmp(node->name, "async-gpu-from-linalg")) {
      append_options(node, memory_alone(options));
    }
  }
  return applied;
}

void agpu__gpu_flags_print(void) {
  agpu__help_heading("How programs are taken, and kernels compiled");
  const agpu_pipeline *lower = find_lower();
  for (size_t i = 0; lower && i < lower->option_count; ++i) {
    const agpu_pass_option *option = option_at(lower, i);
    if (!option)
      continue;
    const char *value = option->kind == AGPU_OPTION_WORD ? option->default_value
                        : option->kind == AGPU_OPTION_STRING ? "text"
                        : option->kind == AGPU_OPTION_INT    ? "number"
                                                             : "true|false";
    char *left = agpu__format("--%s=<%s>", option->name, value);
    agpu__help_entry(left, option->description);
    free(left);
  }
  agpu__help_entry("-g", "The same as --gpu-line-info");
}
