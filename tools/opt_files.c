//===- opt_files.c - The files that async-gpu-opt reads and writes --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "opt_files.h"

#include "file_uses.h"

#include "lower/ir/ir.h"
#include "lower/pass/pipeline.h"

#include <stdlib.h>
#include <string.h>

/// Adds the files that passes of upstream's write.
static void add_pass_files(const agpu__pipeline_list *list,
                           agpu__file_uses *files) {
  static const char option[] = "filename=";
  for (size_t i = 0; i < list->count; ++i) {
    const agpu__pipeline_node *node = &list->nodes[i];
    add_pass_files(&node->children, files);
    const char *at = node->options ? strstr(node->options, option) : NULL;
    if (!at || strcmp(node->name, AGPU__SNAPSHOT_PASS) != 0)
      continue;
    at += strlen(option);
    char *file = agpu__format("%.*s", (int)strcspn(at, " "), at);
    agpu__file_uses_write(files, "--" AGPU__SNAPSHOT_PASS, file);
    free(file);
  }
}

bool agpu__opt_files_check(const agpu__opt_options *o) {
  // Without an input, stdin is it, and what follows may have been meant.
  if (o->remarks_file &&
      !agpu__output_name_check(AGPU_OPT_NAME, "--remarks-output-file",
                               o->remarks_file, ".yaml", ".yml"))
    return false;
  agpu__file_uses files = {0};
  agpu__file_uses_read(&files, "", o->input);
  const char *linked = o->link_settings.arguments;
  char *words = strdup(linked ? linked : ""), *rest = words;
  for (char *word; (word = strsep(&rest, ","));)
    agpu__file_uses_read(&files, "--link", *word && *word != '-' ? word : NULL);
  agpu__file_uses_write(&files, "-o", o->output);
  agpu__file_uses_write(&files, "--remarks-output-file", o->remarks_file);
  agpu__file_uses_write(&files, "--mlir-pass-pipeline-crash-reproducer",
                        o->crash_reproducer);
  agpu__file_uses_write(&files, "--mlir-generate-reproducer", o->reproducer);
  add_pass_files(&o->pipeline, &files);
  bool ok = agpu__file_uses_check(&files, AGPU_OPT_NAME);
  agpu__file_uses_free(&files);
  free(words);
  return ok;
}
