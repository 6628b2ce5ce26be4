//===- run_entries.c - The calls that a run makes -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What async-gpu-runner's options about calls mean: which functions, with what,
// where their results go, how often, and what is said of the time. All inputs
// and outputs are looked at before anything is compiled.
//
//===----------------------------------------------------------------------===//

#include "run_entries.h"

#include "entry_point.h"
#include "npy.h"
#include "output_file.h"

#include "host/native/native.h"
#include "lower/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL AGPU_RUNNER_NAME

static const char *entry_name(const agpu__entry *entry) {
  return entry->name ? entry->name : "main";
}

/// False after the diagnostics of `status`, which have been printed.
static bool take(agpu_status status) {
  bool ok = !status;
  agpu_status_release(status);
  return ok;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static size_t results_to_show(const agpu__call *call) {
  size_t count = 0;
  for (size_t i = 0; i < agpu__call_signature(call)->result_count; ++i)
    count += agpu__call_has_result(call, i);
  return count;
}

/// False, with what is wrong with the entry's outputs.
static bool check_outputs(const agpu__entry *entry, const agpu__call *call,
                          agpu__text *error) {
  const agpu_signature *signature = agpu__call_signature(call);
  size_t results = 0, index;
  for (size_t i = 0; i < entry->outputs.count; ++i) {
    const char *output = entry->outputs.data[i];
    if (!agpu__argument_output(output, &index)) {
      ++results;
    } else if (index >= signature->argument_count ||
               signature->arguments[index].kind == AGPU_TYPE_TOKEN) {
      agpu__text_printf(error,
                        "--output=%s: '%s' has no such argument: it is "
                        "%s",
                        output, signature->name, signature->text);
      return false;
    }
  }
  if (results <= results_to_show(call))
    return true;
  agpu__text_printf(error,
                    "--output is for %zu results, and '%s' has %zu: it "
                    "is %s",
                    results, signature->name, results_to_show(call),
                    signature->text);
  return false;
}

static bool write_array(const char *path, const agpu__array *array,
                        agpu__text *error) {
  agpu__text contents = {0};
  agpu__npy_print(array, &contents);
  bool ok =
      agpu__output_write(path, contents.data, contents.size, false, error);
  agpu__text_free(&contents);
  return ok;
}

/// A scalar as mlir-runner prints it, any other array as --input takes it.
static void print_array(const agpu__array *array, bool is_scalar) {
  agpu__text text = {0};
  if (is_scalar)
    agpu__element_print(array->element, array->data, true, &text);
  else
    agpu__array_print(array, &text);
  printf("%s\n", agpu__text_get(&text));
  agpu__text_free(&text);
}

/// Result `index` to `output`, or to stdout where that is NULL.
static bool show_result(const agpu__call *call, size_t index,
                        const char *output, agpu__text *error) {
  const agpu_type *type = &agpu__call_signature(call)->results[index];
  agpu__array array = {0};
  bool ok = agpu__call_result(call, index, &array, error);
  if (ok && output)
    ok = write_array(output, &array, error);
  else if (ok)
    print_array(&array, type->kind == AGPU_TYPE_SCALAR);
  agpu__array_free(&array);
  return ok;
}

static bool show_argument(const agpu__call *call, size_t index,
                          const char *output, agpu__text *error) {
  agpu__array array = {0};
  bool ok = agpu__call_argument(call, index, &array, error) &&
            write_array(output, &array, error);
  agpu__array_free(&array);
  return ok;
}

/// All that the call has given, as the entry's outputs say.
static bool show(const agpu__entry *entry, const agpu__call *call,
                 agpu__text *error) {
  bool ok = true;
  size_t next = 0, index;
  for (size_t i = 0; ok && i < agpu__call_signature(call)->result_count; ++i) {
    if (!agpu__call_has_result(call, i))
      continue;
    while (next < entry->outputs.count &&
           agpu__argument_output(entry->outputs.data[next], &index))
      ++next;
    ok = show_result(call, i,
                     next < entry->outputs.count ? entry->outputs.data[next++]
                                                 : NULL,
                     error);
  }
  for (size_t i = 0; ok && i < entry->outputs.count; ++i) {
    const char *file = agpu__argument_output(entry->outputs.data[i], &index);
    if (file)
      ok = show_argument(call, index, file, error);
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

static bool print_signature(agpu_program *program, const char *name) {
  agpu_signature *signature;
  if (!take(agpu_program_get_signature(program, name, &signature)))
    return false;
  printf("%s\n", signature->text);
  agpu_signature_release(signature);
  return true;
}

bool agpu__run_print_signatures(const agpu__runner_options *options,
                                agpu_program *program, const char *file) {
  const char *name;
  bool ok = true;
  for (size_t i = 0; i < options->entry_count && options->entries[0].name;
       ++i) {
    name = options->entries[i].name;
    ok = agpu__entry_point_exists(agpu__program_module(program), name, file,
                                  "--entry-point") &&
         print_signature(program, name) && ok;
  }
  for (size_t i = 0; !options->entries[0].name &&
                     (name = agpu_program_get_function(program, i));
       ++i)
    ok = print_signature(program, name) && ok;
  return ok;
}

/// Whether the result is what --entry-point-result says.
static bool check_result(const agpu_signature *signature, const char *wanted,
                         MlirLocation location) {
  const char *had = "void";
  if (signature->result_count) {
    const agpu_type *type = &signature->results[0];
    bool is_scalar = signature->result_count == 1 &&
                     type->kind == AGPU_TYPE_SCALAR && !type->is_value;
    had = !is_scalar                        ? type->text
          : !strcmp(type->element, "index") ? "i64"
                                            : type->element;
  }
  if (!wanted || !strcmp(had, wanted))
    return true;
  agpu__error(location,
              "the entry point '%s' has the result type %s, not %s as "
              "--entry-point-result says",
              signature->name, had, wanted);
  return false;
}

static agpu__call *prepare_call(const agpu__runner_options *options,
                                const agpu__entry *entry, agpu_program *program,
                                const char *file) {
  const char *name = entry_name(entry);
  MlirOperation module = agpu__program_module(program);
  agpu_signature *signature;
  if (!agpu__entry_point_exists(module, name, file, "--entry-point") ||
      !take(agpu_program_export(program, name, false, &signature)))
    return NULL;
  MlirLocation location = mlirOperationGetLocation(agpu__lookup(module, name));
  if (!check_result(signature, options->result, location)) {
    agpu_signature_release(signature);
    return NULL;
  }
  agpu__text error = {0};
  agpu__call *call = agpu__call_create(signature, entry->inputs.data,
                                       entry->inputs.count, &error);
  if (call && !check_outputs(entry, call, &error)) {
    agpu__call_free(call);
    call = NULL;
  }
  if (!call)
    agpu__error(location, "%s", agpu__text_get(&error));
  agpu__text_free(&error);
  return call;
}

bool agpu__run_prepare(agpu__run *run, const agpu__runner_options *options,
                       agpu_program *program, const char *file) {
  size_t count = options->entry_count;
  run->options = options;
  run->calls = calloc(count, sizeof(*run->calls));
  run->times = calloc(count, sizeof(*run->times));
  run->symbols = calloc(count + 1, sizeof(*run->symbols));
  if (!run->calls || !run->times || !run->symbols)
    abort();
  for (size_t i = 0; i < count; ++i) {
    const agpu__entry *entry = &options->entries[i];
    run->symbols[i] = agpu__exports_symbol(entry_name(entry));
    run->calls[i] = prepare_call(options, entry, program, file);
    if (!run->calls[i])
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// The ranks of a sharded program all have its results: the first shows them.
static bool is_first_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                      "PMI_RANK"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i) {
    const char *rank = secure_getenv(names[i]);
    if (rank)
      return !strcmp(rank, "0");
  }
  return true;
}

static bool make_calls(const agpu__run *run, size_t index, agpu_jit *jit) {
  const agpu__entry *entry = &run->options->entries[index];
  agpu__call *call = run->calls[index];
  agpu_packed_function function;
  agpu_status status =
      agpu_jit_lookup_export(jit, entry_name(entry), &function);
  if (status) {
    agpu__tool_error(TOOL, "%s", agpu_status_get_message(status));
    return take(status);
  }
  for (int i = 0; i < run->options->repeat; ++i) {
    if (i)
      agpu__call_prepare(call);
    double start = agpu__now();
    agpu__call_run(call, function);
    agpu__times_push(&run->times[index], agpu__now() - start);
  }
  if (run->options->shard && !is_first_rank())
    return true;
  agpu__text error = {0};
  bool ok = show(entry, call, &error);
  if (!ok)
    agpu__tool_error(TOOL, "%s", agpu__text_get(&error));
  agpu__text_free(&error);
  return ok;
}

bool agpu__run_calls(agpu__run *run, agpu_jit *jit) {
  for (size_t i = 0; i < run->options->entry_count; ++i)
    if (!make_calls(run, i, jit))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Reporting
//===----------------------------------------------------------------------===//

static void print_report(const agpu__run *run, const agpu__compile_times *times,
                         agpu__text *out) {
  agpu__text_printf(out,
                    "parsed in %.1f ms, lowered in %.1f ms, compiled in %.1f "
                    "ms\n",
                    times->parse, times->lower, times->compile);
  for (size_t i = 0; i < run->options->entry_count; ++i) {
    agpu__summary summary = agpu__times_summary(&run->times[i]);
    agpu__text_printf(out, "%s: ", agpu__call_signature(run->calls[i])->text);
    agpu__summary_print(&summary, out);
    agpu__text_puts(out, "\n");
  }
}

static void print_json_report(const agpu__run *run,
                              const agpu__compile_times *times,
                              agpu__text *out) {
  agpu__text_puts(out, "{\n  \"file\": ");
  agpu__json_string(run->options->input, out);
  agpu__text_printf(out,
                    ",\n  \"parse_ms\": %.3f, \"lower_ms\": %.3f, "
                    "\"compile_ms\": %.3f,\n  \"entries\": [",
                    times->parse, times->lower, times->compile);
  for (size_t i = 0; i < run->options->entry_count; ++i) {
    agpu__summary summary = agpu__times_summary(&run->times[i]);
    const agpu_signature *signature = agpu__call_signature(run->calls[i]);
    agpu__text_puts(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    agpu__json_string(signature->name, out);
    agpu__text_puts(out, ", \"signature\": ");
    agpu__json_string(signature->text, out);
    agpu__text_puts(out, ",\n     ");
    agpu__summary_print_json(&summary, out);
    agpu__text_puts(out, "}");
  }
  agpu__text_puts(out, "\n  ]\n}\n");
}

bool agpu__run_report(const agpu__run *run, const agpu__compile_times *times) {
  agpu__text report = {0}, error = {0};
  bool ok = true;
  if (run->options->report) {
    print_report(run, times, &report);
    fputs(report.data, stderr);
  } else if (run->options->report_file) {
    print_json_report(run, times, &report);
    ok = agpu__output_write(run->options->report_file, report.data, report.size,
                            false, &error);
    if (!ok)
      agpu__tool_error(TOOL, "%s", agpu__text_get(&error));
  }
  agpu__text_free(&error);
  agpu__text_free(&report);
  return ok;
}

void agpu__run_free(agpu__run *run) {
  for (size_t i = 0; run->calls && i < run->options->entry_count; ++i) {
    agpu__call_free(run->calls[i]);
    agpu__times_free(&run->times[i]);
    free(run->symbols[i]);
  }
  free(run->calls);
  free(run->times);
  free(run->symbols);
  *run = (agpu__run){0};
}
