//===- instrument_flags.c - What to watch while passes run ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of mlir-opt's flags on times, statistics and IR around passes, which
// both tools have, and what each does to agpu__instruments.
//
//===----------------------------------------------------------------------===//

#include "instrument_flags.h"

#include "help.h"

#include "lower/ir/nearest.h"
#include "lower/pass/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  FLAG_BEFORE,
  FLAG_AFTER,
  FLAG_BEFORE_ALL,
  FLAG_AFTER_ALL,
  FLAG_AFTER_CHANGE,
  FLAG_AFTER_FAILURE,
  FLAG_MODULE_SCOPE,
  FLAG_TREE,
  FLAG_TIMING,
  FLAG_STATISTICS,
  FLAG_STATISTICS_DISPLAY,
};

static const agpu__option table[] = {
    [FLAG_BEFORE] = {"mlir-print-ir-before", AGPU_VALUE_REQUIRED, "pass,...",
                     "Print the IR before these passes, also where others run "
                     "them"},
    [FLAG_AFTER] = {"mlir-print-ir-after", AGPU_VALUE_REQUIRED, "pass,...",
                    "Print the IR after these passes"},
    [FLAG_BEFORE_ALL] = {"mlir-print-ir-before-all", AGPU_VALUE_BOOL, NULL,
                         "Print the IR before each pass"},
    [FLAG_AFTER_ALL] = {"mlir-print-ir-after-all", AGPU_VALUE_BOOL, NULL,
                        "Print the IR after each pass"},
    [FLAG_AFTER_CHANGE] = {"mlir-print-ir-after-change", AGPU_VALUE_BOOL, NULL,
                           "... where the pass changed something"},
    [FLAG_AFTER_FAILURE] = {"mlir-print-ir-after-failure", AGPU_VALUE_BOOL,
                            NULL, "... where the pass failed"},
    [FLAG_MODULE_SCOPE] = {"mlir-print-ir-module-scope", AGPU_VALUE_BOOL, NULL,
                           "... the whole module each time"},
    [FLAG_TREE] = {"mlir-print-ir-tree-dir", AGPU_VALUE_REQUIRED, "folder",
                   "... into files of this folder"},
    [FLAG_TIMING] = {"mlir-timing", AGPU_VALUE_BOOL, NULL,
                     "Print how long each pass took"},
    [FLAG_STATISTICS] =
        {"mlir-pass-statistics", AGPU_VALUE_BOOL, NULL,
         "Print what passes have counted, where LLVM was built to count"},
    [FLAG_STATISTICS_DISPLAY] = {"mlir-pass-statistics-display",
                                 AGPU_VALUE_REQUIRED, "list|pipeline",
                                 "... as a list of passes, or as they are "
                                 "nested (default)"},
};
enum { FLAG_COUNT = sizeof(table) / sizeof(*table) };

/// Appends the names of a comma-separated list.
static void append_names(agpu__name_list *list, const char *text) {
  while (*text) {
    size_t size = strcspn(text, ",");
    char **names = realloc(list->names, (list->count + 1) * sizeof(*names));
    char *name = strndup(text, size);
    if (!names || !name)
      abort();
    list->names = names;
    list->names[list->count++] = name;
    text += size + (text[size] == ',');
  }
}

static void free_names(agpu__name_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    free(list->names[i]);
  free(list->names);
}

static bool parse_display(const char *tool, const char *value,
                          agpu__instruments *o) {
  o->statistics_as_list = strcmp(value, "list") == 0;
  if (o->statistics_as_list || strcmp(value, "pipeline") == 0)
    return true;
  agpu__tool_error(tool,
                   "option '--mlir-pass-statistics-display' is list or "
                   "pipeline, not '%s'",
                   value);
  return false;
}

static bool apply(const char *tool, const agpu__argument *argument,
                  agpu__instruments *o) {
  bool on = argument->on;
  switch (argument->option) {
  case FLAG_BEFORE: append_names(&o->before, argument->value); break;
  case FLAG_AFTER: append_names(&o->after, argument->value); break;
  case FLAG_BEFORE_ALL: o->printing.before_all = on; break;
  case FLAG_AFTER_ALL: o->printing.after_all = on; break;
  case FLAG_AFTER_CHANGE: o->printing.after_change = on; break;
  case FLAG_AFTER_FAILURE: o->printing.after_failure = on; break;
  case FLAG_MODULE_SCOPE: o->printing.module_scope = on; break;
  case FLAG_TREE: o->printing.tree_directory = argument->value; break;
  case FLAG_TIMING: o->timing = on; break;
  case FLAG_STATISTICS:
    o->statistics = on;
    if (on && !agpu__compat_has_statistics())
      fprintf(stderr,
              "%s: warning: passes count only in an LLVM that was built with "
              "assertions or LLVM_FORCE_ENABLE_STATS\n",
              tool);
    break;
  case FLAG_STATISTICS_DISPLAY: return parse_display(tool, argument->value, o);
  }
  return true;
}

agpu__flag_use agpu__instrument_flag_take(agpu__command_line *line,
                                          agpu__instruments *instruments) {
  // The same argument once more, as one of this table.
  agpu__command_line again = *line;
  again.options = table;
  again.option_count = FLAG_COUNT;
  --again.next;
  agpu__argument mine = agpu__command_line_next(&again);
  if (mine.kind == AGPU_ARGUMENT_ERROR)
    return AGPU_FLAG_ERROR;
  if (mine.kind != AGPU_ARGUMENT_OPTION)
    return AGPU_FLAG_OTHER;
  line->next = again.next;
  return apply(line->tool, &mine, instruments) ? AGPU_FLAG_TAKEN
                                               : AGPU_FLAG_ERROR;
}

static bool check_names(const char *tool, MlirContext context,
                        const char *option, const agpu__name_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    if (!agpu__pass_exists(context, list->names[i])) {
      agpu__tool_error(tool, "option '--%s': no pass is called '%s'", option,
                       list->names[i]);
      return false;
    }
  return true;
}

/// Makes the folder that upstream writes files into, if it is not there:
/// upstream says what fails, and goes on.
static bool make_folder(const char *tool, const char *path) {
  if (!path)
    return true;
  char *part = strdup(path);
  if (!part)
    abort();
  for (char *slash = part; (slash = strchr(slash + 1, '/'));) {
    *slash = '\0';
    (void)mkdir(part, 0777); // the last one says what is wrong
    *slash = '/';
  }
  (void)mkdir(part, 0777);
  free(part);
  struct stat about;
  bool ok = stat(path, &about) == 0;
  if (ok && !S_ISDIR(about.st_mode)) {
    errno = ENOTDIR;
    ok = false;
  }
  ok = ok && access(path, W_OK | X_OK) == 0;
  if (!ok)
    agpu__tool_error(tool, "option '--%s': cannot write to the folder '%s': %s",
                     table[FLAG_TREE].name, path, strerror(errno));
  return ok;
}

bool agpu__instrument_flags_check(const char *tool, MlirContext context,
                                  const agpu__instruments *instruments) {
  return make_folder(tool, instruments->printing.tree_directory) &&
         check_names(tool, context, table[FLAG_BEFORE].name,
                     &instruments->before) &&
         check_names(tool, context, table[FLAG_AFTER].name,
                     &instruments->after);
}

bool agpu__instrument_flags_print_ir(const agpu__instruments *instruments) {
  const agpu__ir_printing *printing = &instruments->printing;
  return printing->before_all || printing->after_all ||
         printing->after_change || printing->after_failure ||
         instruments->before.count || instruments->after.count;
}

void agpu__instrument_flags_print(void) {
  agpu__help_heading("What is shown of the passes");
  agpu__help_options(table, FLAG_COUNT);
}

void agpu__instrument_flags_nearest(const char *wanted, const char **best,
                                    size_t *distance) {
  for (size_t i = 0; i < FLAG_COUNT; ++i)
    agpu__nearest_name(wanted, table[i].name, best, distance);
}

void agpu__instrument_flags_free(agpu__instruments *instruments) {
  free_names(&instruments->before);
  free_names(&instruments->after);
}
