//===- opt_options.c - What async-gpu-opt is asked to do ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "opt_options.h"

#include "about.h"
#include "gpu_flags.h"
#include "help.h"
#include "instrument_flags.h"
#include "opt_files.h"
#include "pass_names.h"
#include "target_options.h"

#include "lower/ir/ir.h"
#include "lower/ir/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL AGPU_OPT_NAME

enum {
  OPT_OUTPUT,
  OPT_PASS_PIPELINE,
  OPT_EMIT,
  OPT_LINK,
  OPT_RUNTIME,
  OPT_TARGET,
  OPT_CPU,
  OPT_SYSROOT,
  OPT_O0,
  OPT_O1,
  OPT_O2,
  OPT_O3,
  OPT_SPLIT,
  OPT_VERIFY_DIAGNOSTICS,
  OPT_REMARKS,
  OPT_VERIFY_EACH,
  OPT_UNREGISTERED,
  OPT_BYTECODE,
  OPT_BYTECODE_VERSION,
  OPT_DUMP_PIPELINE,
  OPT_LIST_PASSES,
  OPT_REMARKS_FILE,
  OPT_REMARK_FORMAT,
  OPT_CRASH_REPRODUCER,
  OPT_LOCAL_REPRODUCER,
  OPT_REPRODUCER,
  OPT_RUN_REPRODUCER,
  OPT_COLOUR,
  OPT_DEBUGINFO,
  OPT_GENERIC,
  OPT_LOCAL_SCOPE,
  OPT_SHOW_DIALECTS,
  OPT_HELP,
  OPT_HELP_SHORT,
  OPT_VERSION,
};

static const agpu__option table[] = {
    [OPT_OUTPUT] = {"o", AGPU_VALUE_REQUIRED, "file",
                    "Write to this file instead of stdout"},
    [OPT_PASS_PIPELINE] = {"pass-pipeline", AGPU_VALUE_REQUIRED, "pipeline",
                           "Passes to run: 'builtin.module(a,b{x=1},...)'"},
    [OPT_EMIT] = {"emit", AGPU_VALUE_REQUIRED,
                  "mlir|llvm|ptx|asm|obj|exe|plan-dot|plan-svg|plan-json",
                  "Write the module, or what is made of it (default: mlir), or "
                  "a picture of what is decided about regions, streams and "
                  "waits; without passes, --async-gpu-lower runs first, or its "
                  "first part, --async-gpu-plan"},
    [OPT_LINK] = {"link", AGPU_VALUE_REQUIRED, "file,...",
                  "For --emit=exe: more to link, files and flags of the C "
                  "compiler"},
    [OPT_RUNTIME] = {"runtime", AGPU_VALUE_REQUIRED, "shared|static",
                     "For --emit=exe: the runtime as a library beside the "
                     "program (default), or inside it"},
    [OPT_TARGET] = {"target", AGPU_VALUE_REQUIRED, "triple",
                    "For --emit: code for this machine, aarch64-linux-gnu or "
                    "x86_64-linux-gnu (default: the one that this runs on)"},
    [OPT_CPU] = {"mcpu", AGPU_VALUE_REQUIRED, "generic|native|name",
                 "For --emit: code for any CPU of the architecture (default), "
                 "for the CPU of this machine, or for one that LLVM knows"},
    [OPT_SYSROOT] = {"sysroot", AGPU_VALUE_REQUIRED, "folder",
                     "For --emit=exe: the root of the target's libraries"},
    [OPT_O0] = {"O0", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_O1] = {"O1", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_O2] = {"O2", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_O3] = {"O3", AGPU_VALUE_NONE, NULL,
                "... or -O0, -O1, -O2 (default): how to optimise for --emit"},
    [OPT_SPLIT] =
        {"split-input-file", AGPU_VALUE_BOOL, NULL,
         "Process the parts between lines of '// -----' as separate files"},
    [OPT_VERIFY_DIAGNOSTICS] = {"verify-diagnostics", AGPU_VALUE_OPTIONAL,
                                "all|only-expected",
                                "Compare diagnostics with the expected-error "
                                "comments of the input"},
    [OPT_REMARKS] = {"async-gpu-remarks", AGPU_VALUE_BOOL, NULL,
                     "Print what is decided about regions, streams, events and "
                     "waits"},
    [OPT_VERIFY_EACH] = {"verify-each", AGPU_VALUE_BOOL, NULL,
                         "Verify the IR after each pass (default: true; with "
                         "--emit of code only at the end)"},
    [OPT_UNREGISTERED] = {"allow-unregistered-dialect", AGPU_VALUE_BOOL, NULL,
                          "Accept ops of unknown dialects"},
    [OPT_BYTECODE] = {"emit-bytecode", AGPU_VALUE_BOOL, NULL,
                      "Write the module as bytecode"},
    [OPT_BYTECODE_VERSION] = {"emit-bytecode-version", AGPU_VALUE_REQUIRED,
                              "number", "... of this version"},
    [OPT_DUMP_PIPELINE] = {"dump-pass-pipeline", AGPU_VALUE_BOOL, NULL,
                           "Print the passes that will run, as a pipeline"},
    [OPT_LIST_PASSES] = {"list-passes", AGPU_VALUE_NONE, NULL,
                         "Print all passes, with what they do"},
    [OPT_REMARKS_FILE] = {"remarks-output-file", AGPU_VALUE_REQUIRED, "file",
                          "Write the remarks to this file, as YAML"},
    [OPT_REMARK_FORMAT] = {"remark-format", AGPU_VALUE_REQUIRED,
                           "emitRemark|yaml", NULL},
    [OPT_CRASH_REPRODUCER] = {"mlir-pass-pipeline-crash-reproducer",
                              AGPU_VALUE_REQUIRED, "file",
                              "If a pass fails or crashes, write its input and "
                              "the passes to this file"},
    [OPT_LOCAL_REPRODUCER] = {"mlir-pass-pipeline-local-reproducer",
                              AGPU_VALUE_BOOL, NULL,
                              "... the input of the pass that failed, and it "
                              "alone; slow"},
    [OPT_REPRODUCER] = {"mlir-generate-reproducer", AGPU_VALUE_REQUIRED, "file",
                        "Write such a file in any case"},
    [OPT_RUN_REPRODUCER] = {"run-reproducer", AGPU_VALUE_BOOL, NULL,
                            "Run the passes that the input, such a file, "
                            "names"},
    [OPT_COLOUR] = {"color", AGPU_VALUE_REQUIRED, "auto|always|never",
                    "Colours in diagnostics: on a terminal (default), always, "
                    "or never"},
    [OPT_DEBUGINFO] = {"mlir-print-debuginfo", AGPU_VALUE_BOOL, NULL,
                       "Print locations in the output"},
    [OPT_GENERIC] = {"mlir-print-op-generic", AGPU_VALUE_BOOL, NULL,
                     "Print ops in their generic form"},
    [OPT_LOCAL_SCOPE] = {"mlir-print-local-scope", AGPU_VALUE_BOOL, NULL,
                         "Print without aliases"},
    [OPT_SHOW_DIALECTS] = {"show-dialects", AGPU_VALUE_NONE, NULL,
                           "Print the names of all dialects"},
    [OPT_HELP] = AGPU_HELP_OPTION,
    [OPT_HELP_SHORT] = {"h", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_VERSION] = {"version", AGPU_VALUE_NONE, NULL, "Print the version"},
};
enum { OPTION_COUNT = sizeof(table) / sizeof(*table) };

/// `--name`, `--name='x=1 y=2'`, `--name={x=1}` or `--name{x=1}` as an element
/// of a pipeline.
static void append_pass_flag(agpu__opt_options *options,
                             const agpu__argument *argument) {
  options->has_pass_flags = true;
  const char *value = argument->value;
  size_t size = value ? strlen(value) : 0;
  if (size < 2 || value[0] != '{' || value[size - 1] != '}') {
    agpu__pipeline_append(&options->pipeline, argument->name, value);
    return;
  }
  char *inner = strndup(value + 1, size - 2);
  if (!inner)
    abort();
  agpu__pipeline_append(&options->pipeline, argument->name, inner);
  free(inner);
}

/// Takes the `builtin.module(...)` off around a textual pipeline.
bool agpu__opt_options_take_pipeline(agpu__opt_options *options,
                                     const char *text) {
  agpu__pipeline_list list = {0};
  agpu__text error = {0};
  bool ok = agpu__pipeline_parse(text, &list, &error);
  if (!ok) {
    agpu__tool_error(TOOL, "%s", error.data);
  } else if (list.count != 1 || !list.nodes[0].nested) {
    agpu__tool_error(TOOL, "expected a pipeline that is wrapped with the op it "
                           "runs on, as in 'builtin.module(...)'");
    ok = false;
  } else if (strcmp(list.nodes[0].name, "builtin.module") != 0 &&
             strcmp(list.nodes[0].name, "any") != 0) {
    agpu__tool_error(TOOL, "a pipeline for '%s' cannot run on 'builtin.module'",
                     list.nodes[0].name);
    ok = false;
  } else {
    agpu__pipeline_free(&options->pipeline);
    options->pipeline = list.nodes[0].children;
    memset(&list.nodes[0].children, 0, sizeof(list.nodes[0].children));
    options->has_pass_pipeline = true;
  }
  agpu__pipeline_free(&list);
  agpu__text_free(&error);
  return ok;
}

static bool parse_verify_mode(agpu__opt_options *options, const char *value) {
  if (!value || strcmp(value, "all") == 0) {
    options->verify_diagnostics = AGPU_VERIFY_ALL;
  } else if (strcmp(value, "only-expected") == 0) {
    options->verify_diagnostics = AGPU_VERIFY_ONLY_EXPECTED;
  } else {
    agpu__tool_error(TOOL,
                     "option '--verify-diagnostics' is all or only-expected, "
                     "not '%s'",
                     value);
    return false;
  }
  return true;
}

static bool parse_runtime(agpu__opt_options *options, const char *value) {
  options->link_settings.static_runtime = strcmp(value, "static") == 0;
  if (options->link_settings.static_runtime || strcmp(value, "shared") == 0)
    return true;
  agpu__tool_error(TOOL, "option '--runtime' is shared or static, not '%s'",
                   value);
  return false;
}

static bool parse_emit(agpu__opt_options *options, const char *value) {
  static const struct {
    const char *name;
    agpu_emit_kind kind;
    agpu__plan_form plan;
  } kinds[] = {
      {"mlir", AGPU_EMIT_MLIR, 0},
      {"llvm", AGPU_EMIT_LLVM, 0},
      {"ptx", AGPU_EMIT_PTX, 0},
      {"asm", AGPU_EMIT_ASM, 0},
      {"obj", AGPU_EMIT_OBJ, 0},
      {"exe", AGPU_EMIT_OBJ, 0},
      {"plan-dot", AGPU_EMIT_MLIR, AGPU_PLAN_DOT},
      {"plan-svg", AGPU_EMIT_MLIR, AGPU_PLAN_SVG},
      {"plan-json", AGPU_EMIT_MLIR, AGPU_PLAN_JSON},
  };
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); ++i)
    if (strcmp(value, kinds[i].name) == 0) {
      options->emit = kinds[i].kind;
      options->plan = kinds[i].plan;
      options->link = strcmp(value, "exe") == 0;
      return true;
    }
  agpu__tool_error(TOOL,
                   "option '--emit' is mlir, llvm, ptx, asm, obj, exe, "
                   "plan-dot, plan-svg or plan-json, not '%s'",
                   value);
  return false;
}

static bool parse_version(agpu__opt_options *options, const char *value) {
  char *end;
  errno = 0;
  options->bytecode_version = strtoll(value, &end, 10);
  if (*value && !*end && !errno && options->bytecode_version >= 0)
    return true;
  agpu__tool_error(
      TOOL, "option '--emit-bytecode-version' is a number, not '%s'", value);
  return false;
}

/// mlir-opt's words for what --remarks-output-file and --async-gpu-remarks say.
static bool parse_remark_format(agpu__opt_options *options, const char *value) {
  options->remarks_as_yaml = strcmp(value, "yaml") == 0;
  if (options->remarks_as_yaml || strcmp(value, "emitRemark") == 0)
    return true;
  agpu__tool_error(
      TOOL, "option '--remark-format' is emitRemark or yaml, not '%s'", value);
  return false;
}

/// What an option does. False to stop, with `*status` set.
static bool apply(agpu__opt_options *o, const agpu__argument *argument,
                  int *status) {
  bool on = argument->on;
  switch (argument->option) {
  case OPT_OUTPUT: o->output = argument->value; return true;
  case OPT_PASS_PIPELINE:
    return agpu__opt_options_take_pipeline(o, argument->value);
  case OPT_EMIT: return parse_emit(o, argument->value);
  case OPT_LINK: o->link_settings.arguments = argument->value; return true;
  case OPT_RUNTIME: return parse_runtime(o, argument->value);
  case OPT_TARGET: o->target.triple = argument->value; return true;
  case OPT_CPU: o->target.cpu = argument->value; return true;
  case OPT_SYSROOT: o->link_settings.sysroot = argument->value; return true;
  case OPT_O0: o->level = 0; return true;
  case OPT_O1: o->level = 1; return true;
  case OPT_O2: o->level = 2; return true;
  case OPT_O3: o->level = 3; return true;
  case OPT_SPLIT: o->split_input_file = on; return true;
  case OPT_VERIFY_DIAGNOSTICS: return parse_verify_mode(o, argument->value);
  case OPT_REMARKS: o->remarks = on; return true;
  case OPT_VERIFY_EACH:
    o->verify_each = on;
    o->has_verify_each = true;
    return true;
  case OPT_UNREGISTERED: o->allow_unregistered_dialect = on; return true;
  case OPT_BYTECODE: o->bytecode = on; return true;
  case OPT_BYTECODE_VERSION: return parse_version(o, argument->value);
  case OPT_DUMP_PIPELINE: o->dump_pipeline = on; return true;
  case OPT_LIST_PASSES: agpu__print_passes(); break;
  case OPT_REMARKS_FILE: o->remarks_file = argument->value; return true;
  case OPT_REMARK_FORMAT: return parse_remark_format(o, argument->value);
  case OPT_CRASH_REPRODUCER: o->crash_reproducer = argument->value; return true;
  case OPT_LOCAL_REPRODUCER: o->local_reproducer = on; return true;
  case OPT_REPRODUCER: o->reproducer = argument->value; return true;
  case OPT_RUN_REPRODUCER: o->run_reproducer = on; return true;
  case OPT_COLOUR: return agpu__colour_parse(TOOL, argument->value, &o->colour);
  case OPT_DEBUGINFO: o->print_debuginfo = on; return true;
  case OPT_GENERIC: o->print_generic = on; return true;
  case OPT_LOCAL_SCOPE: o->print_local_scope = on; return true;
  case OPT_SHOW_DIALECTS: agpu__opt_show_dialects(); break;
  case OPT_HELP:
  case OPT_HELP_SHORT:
    if (!agpu__opt_print_help(argument->value, table, OPTION_COUNT))
      return false;
    break;
  case OPT_VERSION: agpu__print_version(TOOL); break;
  }
  *status = EXIT_SUCCESS;
  return false;
}

static bool add_input(agpu__opt_options *options, const char *value) {
  if (options->input) {
    agpu__tool_error(TOOL, "more than one input: '%s' and '%s'", options->input,
                     value);
    return false;
  }
  options->input = value;
  return true;
}

/// Options that only make sense together, or not together.
static bool check_combinations(const agpu__opt_options *o) {
  bool emits = o->emit != AGPU_EMIT_MLIR || o->plan;
  const char *error = NULL;
  if (o->bytecode && emits)
    error = "'--emit-bytecode' is a form of the module, and '--emit' names "
            "another";
  else if (o->bytecode && o->split_input_file)
    error = "'--split-input-file' gives several modules, '--emit-bytecode' "
            "writes one";
  else if (o->bytecode_version >= 0 && !o->bytecode)
    error = "'--emit-bytecode-version' needs '--emit-bytecode'";
  else if (o->local_reproducer && !o->crash_reproducer)
    error = "'--mlir-pass-pipeline-local-reproducer' needs "
            "'--mlir-pass-pipeline-crash-reproducer', which names the file";
  else if (o->run_reproducer && (o->has_pass_flags || o->has_pass_pipeline))
    error =
        "'--run-reproducer' takes the passes from the input: name no others";
  else if (o->remarks_as_yaml && !o->remarks_file)
    error = "'--remark-format=yaml' needs '--remarks-output-file'";
  else if (o->run_reproducer && o->split_input_file)
    error = "'--run-reproducer' and '--split-input-file' exclude each other";
  if (error)
    agpu__tool_error(TOOL, "%s", error);
  return !error;
}

bool agpu__opt_options_parse(int argc, char **argv,
                             agpu__opt_options *out_options, int *out_status) {
  agpu__opt_options *o = out_options;
  memset(o, 0, sizeof(*o));
  o->output = "-";
  o->emit = AGPU_EMIT_MLIR;
  o->level = 2;
  o->bytecode_version = -1;
  *out_status = EXIT_FAILURE;
  agpu__command_line line = {.tool = TOOL,
                             .options = table,
                             .option_count = OPTION_COUNT,
                             .argc = argc,
                             .argv = argv,
                             .next = 1};
  for (;;) {
    agpu__argument argument = agpu__command_line_next(&line);
    switch (argument.kind) {
    case AGPU_ARGUMENT_ERROR: return false;
    case AGPU_ARGUMENT_INPUT:
      if (!add_input(o, argument.value))
        return false;
      continue;
    case AGPU_ARGUMENT_OPTION:
      if (!apply(o, &argument, out_status))
        return false;
      continue;
    case AGPU_ARGUMENT_UNKNOWN:
      if (agpu__report_level(TOOL, &argument))
        return false;
      switch (agpu__instrument_flag_take(&line, &o->instruments)) {
      case AGPU_FLAG_ERROR: return false;
      case AGPU_FLAG_TAKEN: continue;
      case AGPU_FLAG_OTHER: break;
      }
      if (!agpu__gpu_flag_take(&argument, &o->gpu_flags))
        append_pass_flag(o, &argument);
      continue;
    case AGPU_ARGUMENT_END: break;
    }
    break;
  }
  if (o->has_pass_pipeline && o->has_pass_flags) {
    agpu__tool_error(TOOL, "'--pass-pipeline' and flags of single passes "
                           "exclude each other");
    return false;
  }
  bool emits = o->emit != AGPU_EMIT_MLIR || o->plan;
  // Who compiles with our pipeline does not look for the pass that breaks it.
  if (!o->has_verify_each)
    o->verify_each = o->emit == AGPU_EMIT_MLIR;
  if (emits && o->split_input_file) {
    agpu__tool_error(TOOL, "'--split-input-file' gives several modules, "
                           "'--emit' writes one");
    return false;
  }
  // Flags that are about lowering may be about the plan, too.
  bool lowers = !o->plan || o->gpu_flags.size;
  if (emits && !o->has_pass_pipeline && !o->has_pass_flags)
    agpu__pipeline_append(&o->pipeline,
                          lowers ? "async-gpu-lower" : "async-gpu-plan", NULL);
  if (o->gpu_flags.size &&
      !agpu__gpu_flags_apply(o->gpu_flags.data, &o->pipeline)) {
    agpu__tool_error(TOOL, "the flags on how kernels are compiled need "
                           "--async-gpu-lower or --async-gpu-kernels");
    return false;
  }
  if (!o->input)
    o->input = "-";
  o->settings.nest_implicitly = !o->has_pass_pipeline;
  agpu__colour_set(o->colour);
  return check_combinations(o) && agpu__target_options_check(o) &&
         agpu__opt_files_check(o);
}

/// An element of --pass-pipeline that is no pass: what may have been meant goes
/// at the end of the first line.
static void report_element(MlirContext context, const char *name,
                           const char *message) {
  char *nearest = agpu__nearest_pass(context, name, NULL, (size_t)-1);
  size_t line = strcspn(message, "\n");
  agpu__tool_error(TOOL, "%.*s%s%s%s%s", (int)line, message,
                   nearest ? ", did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'?" : "", message + line);
  free(nearest);
}

void agpu__opt_report_pipeline_error(const agpu__opt_options *options,
                                     MlirContext context, const char *message) {
  if (!agpu__compat_is_unknown_pass(message)) {
    agpu__tool_error(TOOL, "%s", message);
    return;
  }
  const char *begin = strchr(message, '\'');
  const char *end = begin ? strchr(begin + 1, '\'') : NULL;
  char name[128] = "";
  if (end && (size_t)(end - begin) <= sizeof(name))
    memcpy(name, begin + 1, (size_t)(end - begin) - 1);
  if (options->has_pass_pipeline) {
    report_element(context, name, message);
    return;
  }
  // The flag of a pass that does not exist: more likely an option misspelt.
  const char *best = NULL;
  size_t distance = (size_t)-1;
  for (size_t i = 0; i < OPTION_COUNT; ++i)
    agpu__nearest_name(name, table[i].name, &best, &distance);
  agpu__instrument_flags_nearest(name, &best, &distance);
  agpu__gpu_flags_nearest(name, &best, &distance);
  char *nearest = agpu__nearest_pass(context, name, best, distance);
  if (strncmp(name, "test-", 5) == 0)
    agpu__tool_error(TOOL,
                     "unknown pass '--%s': upstream's tests have passes of "
                     "their own, which no library has%s",
                     name,
                     strstr(name, "erase-schedule")
                         ? "; --async-gpu-drop-schedules does the same"
                         : "");
  else
    agpu__tool_error(TOOL,
                     "unknown option or pass '--%s'%s%s%s (--help lists "
                     "the options)",
                     name, nearest ? ", did you mean '--" : "",
                     nearest ? nearest : "", nearest ? "'?" : "");
  free(nearest);
}

void agpu__opt_options_free(agpu__opt_options *options) {
  agpu__pipeline_free(&options->pipeline);
  agpu__text_free(&options->gpu_flags);
  agpu__instrument_flags_free(&options->instruments);
}
