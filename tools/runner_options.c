//===- runner_options.c - What async-gpu-runner is asked to do ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runner_options.h"

#include "about.h"
#include "file_uses.h"
#include "gpu_flags.h"
#include "help.h"
#include "instrument_flags.h"

#include "lower/ir/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL AGPU_RUNNER_NAME

enum {
  OPT_ENTRY_POINT,
  OPT_ENTRY_POINT_SHORT,
  OPT_ENTRY,
  OPT_INPUT,
  OPT_OUTPUT,
  OPT_SHARD,
  OPT_REPEAT,
  OPT_REPORT,
  OPT_PROFILE,
  OPT_PRINT_SIGNATURE,
  OPT_RESULT,
  OPT_SHARED_LIBS,
  OPT_MATRIX,
  OPT_MATRIX_CONTRACT,
  OPT_MATRIX_LAYOUT,
  OPT_DEVICE,
  OPT_CHECK,
  OPT_MODEL,
  OPT_MODEL_CPUS,
  OPT_TRACE,
  OPT_REMARKS,
  OPT_REUSE_STREAMS,
  OPT_COLOUR,
  OPT_O0,
  OPT_O1,
  OPT_O2,
  OPT_O3,
  OPT_HELP,
  OPT_HELP_SHORT,
  OPT_VERSION,
};

static const agpu__option table[] = {
    [OPT_ENTRY_POINT] = {"entry-point", AGPU_VALUE_REQUIRED, "function",
                         "The function to call (default: main); can be "
                         "repeated, for one call behind the other"},
    [OPT_ENTRY_POINT_SHORT] = {"e", AGPU_VALUE_REQUIRED, "function",
                               "The same"},
    [OPT_ENTRY] = {"entry", AGPU_VALUE_REQUIRED, "function", "The same"},
    [OPT_INPUT] = {"input", AGPU_VALUE_REQUIRED, "file.npy|4x8xf32=1.5",
                   "Its next argument: an array in a file of NumPy's, or "
                   "written as a type and numbers, iota, random:SEED or @FILE "
                   "with the bytes"},
    [OPT_OUTPUT] = {"output", AGPU_VALUE_REQUIRED, "file.npy",
                    "Where its next result goes (default: to stdout); "
                    "argN=file.npy: where argument N goes behind the call"},
    [OPT_SHARD] = {"shard", AGPU_VALUE_OPTIONAL,
                   "batch|rows,interior=auto|always|never,pieces=n,ranks=n",
                   "Split the program, which is on tensors, among the ranks of "
                   "MPI: as its shard.shard ops say, or the first dimension of "
                   "the first argument that is a tensor with a dimension "
                   "(batch) or of the results (rows); and compute beside "
                   "messages as async-gpu-shard's options say"},
    [OPT_REPEAT] = {"repeat", AGPU_VALUE_REQUIRED, "n",
                    "Make each call n times, with the arguments as they were"},
    [OPT_REPORT] = {"report", AGPU_VALUE_OPTIONAL, "file.json",
                    "Say on stderr, or in the file, how long compiling and "
                    "calls took"},
    [OPT_PROFILE] = {"profile", AGPU_VALUE_OPTIONAL, "file.json",
                     "Say on stderr, or in the file, what limits the program: "
                     "its critical path, kernels, copies, waits"},
    [OPT_PRINT_SIGNATURE] = {"print-signature", AGPU_VALUE_BOOL, NULL,
                             "Print what functions take and give, and run "
                             "none"},
    [OPT_RESULT] = {"entry-point-result", AGPU_VALUE_REQUIRED,
                    "void|i32|i64|f32|f64",
                    "Its result type (default: what it is)"},
    [OPT_SHARED_LIBS] = {"shared-libs", AGPU_VALUE_REQUIRED, "file,...",
                         "Libraries that the program calls; can be repeated"},
    [OPT_MATRIX] = {"enable-matrix", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_MATRIX_CONTRACT] = {"matrix-allow-contract", AGPU_VALUE_NONE, NULL,
                             NULL},
    [OPT_MATRIX_LAYOUT] = {"matrix-default-layout", AGPU_VALUE_REQUIRED,
                           "column-major|row-major",
                           "How llvm.intr.matrix ops see vectors as matrices "
                           "(default: column-major)"},
    [OPT_DEVICE] = {"device", AGPU_VALUE_REQUIRED, "auto|cuda|emu",
                    "Where kernels run (default: ASYNC_GPU_DEVICE, or auto)"},
    [OPT_CHECK] = {"check", AGPU_VALUE_OPTIONAL,
                   "memory|races|arithmetic|lanes",
                   "Look for mistakes on the emulated device: of all "
                   "these kinds, or of those in a list with commas, as "
                   "ASYNC_GPU_EMU_CHECK does"},
    [OPT_MODEL] = {"model", AGPU_VALUE_REQUIRED, "name|file",
                   "Keep the time of a machine, such as h100, on the emulated "
                   "device: traces and profiles are that machine's, as "
                   "ASYNC_GPU_EMU_MODEL does"},
    [OPT_MODEL_CPUS] = {"model-cpus", AGPU_VALUE_REQUIRED, "number",
                        "Workers that the modelled machine's host has, as "
                        "ASYNC_GPU_NUM_THREADS does (default: one for each CPU "
                        "of this machine)"},
    [OPT_TRACE] = {"trace", AGPU_VALUE_REQUIRED, "file.json",
                   "Write what the program does, for ui.perfetto.dev"},
    [OPT_REMARKS] = {"async-gpu-remarks", AGPU_VALUE_BOOL, NULL,
                     "Print what is decided about regions, streams, events and "
                     "waits"},
    [OPT_REUSE_STREAMS] = {"async-gpu-reuse-streams", AGPU_VALUE_BOOL, NULL,
                           "Let a region reuse the stream of the one before "
                           "it (default: true)"},
    [OPT_COLOUR] = {"color", AGPU_VALUE_REQUIRED, "auto|always|never",
                    "Colours in diagnostics: on a terminal (default), always, "
                    "or never"},
    [OPT_O0] = {"O0", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_O1] = {"O1", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_O2] = {"O2", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_O3] = {"O3", AGPU_VALUE_NONE, NULL,
                "... or -O0, -O1, -O2 (default): how to optimise"},
    [OPT_HELP] = AGPU_HELP_OPTION,
    [OPT_HELP_SHORT] = {"h", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_VERSION] = {"version", AGPU_VALUE_NONE, NULL, "Print the version"},
};
enum { OPTION_COUNT = sizeof(table) / sizeof(*table) };

static bool print_help(const char *form) {
  if (!agpu__help_begin(form, TOOL, AGPU_VERSION,
                        "compiles an MLIR module and runs it",
                        "[options] [file]"))
    return false;
  agpu__help_text("Without a file, or with '-', it reads stdin. What is not in "
                  "the LLVM dialect is lowered with the pipeline "
                  "async-gpu-lower. The utilities of mlir-runner "
                  "(printMemrefF32, rtclock, ...) need not be named.");
  agpu__help_heading("Options");
  agpu__help_options(table, OPTION_COUNT);
  agpu__gpu_flags_print();
  agpu__instrument_flags_print();
  agpu__help_end("async-gpu-opt(1), async-gpu-info(1), async-gpu-report(1)");
  return true;
}

static bool parse_device(agpu__runner_options *options, const char *value) {
  static const struct {
    const char *name;
    agpu_device_kind kind;
  } devices[] = {
      {"auto", AGPU_DEVICE_AUTO},
      {"cuda", AGPU_DEVICE_CUDA},
      {"emu", AGPU_DEVICE_EMU},
  };
  for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); ++i)
    if (strcmp(value, devices[i].name) == 0) {
      options->device = devices[i].kind;
      options->has_device = true;
      return true;
    }
  agpu__tool_error(TOOL, "option '--device' is auto, cuda or emu, not '%s'",
                   value);
  return false;
}

static bool is_check(const char *name, size_t length) {
  static const char *const names[] = {"memory", "races", "arithmetic", "lanes"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (strlen(names[i]) == length && !memcmp(names[i], name, length))
      return true;
  return false;
}

/// A list of checks, or all of them.
static bool parse_check(agpu__runner_options *o, const char *value) {
  static const char all[] = "memory,races,arithmetic,lanes";
  o->check = value ? value : all;
  for (const char *at = o->check;;) {
    size_t length = strcspn(at, ",");
    if (!is_check(at, length)) {
      agpu__tool_error(TOOL,
                       "option '--check' is a list of memory, races, "
                       "arithmetic and lanes, not '%s'",
                       value);
      return false;
    }
    if (!at[length])
      return true;
    at += length + 1;
  }
}

static bool parse_result(agpu__runner_options *options, const char *value) {
  static const char *const names[] = {"void", "i32", "i64", "f32", "f64"};
  options->result = value;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (strcmp(value, names[i]) == 0)
      return true;
  agpu__tool_error(TOOL,
                   "option '--entry-point-result' is void, i32, i64, f32 or "
                   "f64, not '%s'",
                   value);
  return false;
}

static bool parse_layout(agpu__runner_options *options, const char *value) {
  options->row_major = strcmp(value, "row-major") == 0;
  if (options->row_major || strcmp(value, "column-major") == 0)
    return true;
  agpu__tool_error(TOOL,
                   "option '--matrix-default-layout' is column-major or "
                   "row-major, not '%s'",
                   value);
  return false;
}

static void add(agpu__strings *strings, const char *text) {
  strings->data =
      realloc(strings->data, (strings->count + 1) * sizeof(*strings->data));
  if (!strings->data)
    abort();
  strings->data[strings->count++] = text;
}

/// The entry that options are about now.
static agpu__entry *current(agpu__runner_options *o) {
  return &o->entries[o->entry_count - 1];
}

static void add_entry(agpu__runner_options *o, const char *name) {
  if (!o->entry_count || current(o)->name) {
    o->entries =
        realloc(o->entries, (o->entry_count + 1) * sizeof(*o->entries));
    if (!o->entries)
      abort();
    o->entries[o->entry_count++] = (agpu__entry){0};
  }
  current(o)->name = name;
}

static bool parse_repeat(agpu__runner_options *o, const char *value) {
  char *end;
  long count = strtol(value, &end, 10);
  if (end != value && !*end && count >= 1 && count <= 1000000000) {
    o->repeat = (int)count;
    return true;
  }
  agpu__tool_error(TOOL,
                   "option '--repeat' is how often to call, 1 or more, "
                   "not '%s'",
                   value);
  return false;
}

static bool parse_model_cpus(agpu__runner_options *o, const char *value) {
  enum { MOST = 1024 }; // of ASYNC_GPU_NUM_THREADS
  char *end;
  long count = strtol(value, &end, 10);
  o->model_cpus = value;
  if (end != value && !*end && count >= 1 && count <= MOST)
    return true;
  agpu__tool_error(TOOL,
                   "option '--model-cpus' is a number from 1 to %d, not '%s'",
                   MOST, value);
  return false;
}

/// What an option does. False to stop, with `*status` set.
static bool apply(agpu__runner_options *o, const agpu__argument *argument,
                  int *status) {
  switch (argument->option) {
  case OPT_ENTRY_POINT:
  case OPT_ENTRY_POINT_SHORT:
  case OPT_ENTRY: add_entry(o, argument->value); return true;
  case OPT_INPUT: add(&current(o)->inputs, argument->value); return true;
  case OPT_OUTPUT: add(&current(o)->outputs, argument->value); return true;
  case OPT_SHARD: return agpu__runner_shard_parse(o, argument->value);
  case OPT_REPEAT: return parse_repeat(o, argument->value);
  case OPT_PROFILE:
    o->profile = argument->value ? argument->value : "1";
    return true;
  case OPT_REPORT:
    o->report = !argument->value;
    o->report_file = argument->value;
    return true;
  case OPT_PRINT_SIGNATURE: o->print_signature = argument->on; return true;
  case OPT_RESULT: return parse_result(o, argument->value);
  case OPT_SHARED_LIBS:
    agpu__text_printf(&o->shared_libs, ",%s", argument->value);
    return true;
  // mlir-runner's: such ops are lowered anyway, and rounding stays as it is.
  case OPT_MATRIX:
  case OPT_MATRIX_CONTRACT: return true;
  case OPT_MATRIX_LAYOUT: return parse_layout(o, argument->value);
  case OPT_DEVICE: return parse_device(o, argument->value);
  case OPT_CHECK: return parse_check(o, argument->value);
  case OPT_MODEL: o->model = argument->value; return true;
  case OPT_MODEL_CPUS: return parse_model_cpus(o, argument->value);
  case OPT_TRACE: o->trace = argument->value; return true;
  case OPT_REMARKS: o->remarks = argument->on; return true;
  case OPT_REUSE_STREAMS: o->reuse_streams = argument->on; return true;
  case OPT_COLOUR: return agpu__colour_parse(TOOL, argument->value, &o->colour);
  case OPT_O0: o->level = 0; return true;
  case OPT_O1: o->level = 1; return true;
  case OPT_O2: o->level = 2; return true;
  case OPT_O3: o->level = 3; return true;
  case OPT_HELP:
  case OPT_HELP_SHORT:
    if (!print_help(argument->value))
      return false;
    break;
  case OPT_VERSION: agpu__print_version(TOOL); break;
  }
  *status = EXIT_SUCCESS;
  return false;
}

const char *agpu__argument_output(const char *output, size_t *out_index) {
  if (strncmp(output, "arg", 3) != 0)
    return NULL;
  char *end;
  unsigned long index = strtoul(output + 3, &end, 10);
  *out_index = index;
  return end != output + 3 && *end == '=' ? end + 1 : NULL;
}

/// The file of an --input: "FILE.npy", "@FILE" or "4xf32=@FILE"; NULL: none.
static const char *input_file(const char *input) {
  size_t size = strlen(input);
  const char *at = input[0] == '@' ? input : strstr(input, "=@");
  if (at)
    return strchr(at, '@') + 1;
  return size > 4 && strcmp(input + size - 4, ".npy") == 0 ? input : NULL;
}

static void add_entry_files(const agpu__entry *entry, agpu__file_uses *files) {
  for (size_t i = 0; i < entry->inputs.count; ++i)
    agpu__file_uses_read(files, "--input", input_file(entry->inputs.data[i]));
  for (size_t i = 0; i < entry->outputs.count; ++i) {
    size_t index;
    const char *output = entry->outputs.data[i],
               *file = agpu__argument_output(output, &index);
    agpu__file_uses_write(files, "--output", file ? file : output);
  }
}

/// True if no file is lost: each output has a name that tells what it is, and
/// none is an input.
static bool check_files(const agpu__runner_options *o) {
  const char *profile =
      o->profile && strcmp(o->profile, "1") != 0 ? o->profile : NULL;
  if ((o->trace &&
       !agpu__output_name_check(TOOL, "--trace", o->trace, ".json", NULL)) ||
      (profile &&
       !agpu__output_name_check(TOOL, "--profile", profile, ".json", ".txt")) ||
      (o->report_file && !agpu__output_name_check(
                             TOOL, "--report", o->report_file, ".json", NULL)))
    return false;
  agpu__file_uses files = {0};
  agpu__file_uses_read(&files, "", o->input);
  char *libraries = strdup(agpu__text_get(&o->shared_libs)), *rest = libraries;
  for (char *file; (file = strsep(&rest, ","));)
    agpu__file_uses_read(&files, "--shared-libs", *file ? file : NULL);
  for (size_t i = 0; i < o->entry_count; ++i)
    add_entry_files(&o->entries[i], &files);
  if (o->trace)
    agpu__file_uses_write(&files, "--trace", o->trace);
  else
    agpu__file_uses_write(&files, "ASYNC_GPU_TRACE",
                          secure_getenv("ASYNC_GPU_TRACE"));
  agpu__file_uses_write(&files, "--profile", profile);
  agpu__file_uses_write(&files, "--report", o->report_file);
  bool ok = agpu__file_uses_check(&files, TOOL);
  agpu__file_uses_free(&files);
  free(libraries);
  return ok;
}

static void report_unknown(const char *name) {
  const char *best = NULL;
  size_t distance = (size_t)-1;
  for (size_t i = 0; i < OPTION_COUNT; ++i)
    agpu__nearest_name(name, table[i].name, &best, &distance);
  agpu__instrument_flags_nearest(name, &best, &distance);
  agpu__gpu_flags_nearest(name, &best, &distance);
  agpu__tool_error(TOOL, "unknown option '--%s'%s%s%s (--help lists them)",
                   name, best ? ", did you mean '--" : "", best ? best : "",
                   best ? "'?" : "");
}

/// Where an option was given without its value, the file behind it may have
/// been meant to be that.
static void report_second_input(const agpu__runner_options *o,
                                const char *second) {
  const char *option = o->report                                ? "--report"
                       : o->profile && !strcmp(o->profile, "1") ? "--profile"
                                                                : NULL;
  agpu__tool_error(TOOL, "more than one input: '%s' and '%s'%s%s%s", o->input,
                   second, option ? "; a file for the output is written " : "",
                   option ? option : "", option ? "=FILE.json" : "");
}

bool agpu__runner_options_parse(int argc, char **argv,
                                agpu__runner_options *out_options,
                                int *out_status) {
  agpu__runner_options *o = out_options;
  *o = (agpu__runner_options){.level = 2, .repeat = 1, .reuse_streams = true};
  add_entry(o, NULL);
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
    case AGPU_ARGUMENT_UNKNOWN:
      switch (agpu__instrument_flag_take(&line, &o->instruments)) {
      case AGPU_FLAG_ERROR: return false;
      case AGPU_FLAG_TAKEN: continue;
      case AGPU_FLAG_OTHER: break;
      }
      if (agpu__gpu_flag_take(&argument, &o->gpu_flags))
        continue;
      if (!agpu__report_level(TOOL, &argument))
        report_unknown(argument.name);
      return false;
    case AGPU_ARGUMENT_INPUT:
      if (o->input) {
        report_second_input(o, argument.value);
        return false;
      }
      o->input = argument.value;
      continue;
    case AGPU_ARGUMENT_OPTION:
      if (!apply(o, &argument, out_status))
        return false;
      continue;
    case AGPU_ARGUMENT_END: break;
    }
    break;
  }
  if (!o->input)
    o->input = "-";
  return check_files(o);
}

void agpu__runner_options_free(agpu__runner_options *options) {
  for (size_t i = 0; i < options->entry_count; ++i) {
    free(options->entries[i].inputs.data);
    free(options->entries[i].outputs.data);
  }
  free(options->entries);
  agpu__instrument_flags_free(&options->instruments);
  agpu__text_free(&options->shared_libs);
  agpu__text_free(&options->gpu_flags);
}
