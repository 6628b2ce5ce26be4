//===- async_gpu_runner.c - Compile and run one file ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-runner: lowers a module, compiles it into this process, runs it
// and exits with its outcome, with mlir-runner's habits.
//
//===----------------------------------------------------------------------===//

#include "about.h"
#include "crash.h"
#include "instrument_flags.h"
#include "libraries.h"
#include "progress_line.h"
#include "run_entries.h"
#include "run_trace.h"
#include "runner_options.h"
#include "tree_errors.h"

#include "async_gpu/runtime.h"

#include "host/native/native.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_compat.h"
#include "lower/pass/pipeline.h"
#include "lower/pass/source.h"
#include "lower/pass/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL AGPU_RUNNER_NAME

/// What MLIR's parser advises, and nothing that runs can follow.
static const char unregistered[] = " If this is intended, please use "
                                   "-allow-unregistered-dialect with the MLIR "
                                   "tool used";

static void print_to_stderr(const char *text, size_t size, void *data) {
  (void)data;
  const char *advice =
      memmem(text, size, unregistered, sizeof(unregistered) - 1);
  if (advice) {
    size_t before = (size_t)(advice - text);
    agpu__print_diagnostic(text, before, NULL);
    fputs(" No pass lowers what no dialect defines", stderr);
    text = advice + sizeof(unregistered) - 1;
    size -= before + sizeof(unregistered) - 1;
  }
  agpu__print_diagnostic(text, size, NULL);
}

/// Prints a status, which is consumed, unless that has been done
/// (print_to_stderr). True if it was OK.
static bool check_compiled(agpu_status status) {
  bool ok = !status;
  if (!ok && !*agpu_status_get_location(status))
    agpu__tool_error(TOOL, "%s", agpu_status_get_message(status));
  agpu_status_release(status);
  return ok;
}

/// The same of one of the runtime's.
static bool check_status(agpu_status status) {
  if (status && *agpu_status_get_location(status))
    fprintf(stderr, "%s: error: %s\n", agpu_status_get_location(status),
            agpu_status_get_message(status));
  return check_compiled(status);
}

static MlirWalkResult find_gpu_op(MlirOperation op, void *data) {
  if (!agpu__op_in_dialect(op, "gpu"))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

/// Whether a machine's time is modelled, so that kernels have to say what they
/// do.
static bool has_model(void) {
  const char *model = secure_getenv("ASYNC_GPU_EMU_MODEL");
  return model && *model;
}

/// Has the emulated device, which this run has to use then, do what the options
/// --check and --model ask for. Before a trace begins, which may be modelled.
static bool set_emulated(const agpu__runner_options *options) {
  if ((options->check && setenv("ASYNC_GPU_EMU_CHECK", options->check, 1)) ||
      (options->model && setenv("ASYNC_GPU_EMU_MODEL", options->model, 1)))
    return false;
  if (options->model_cpus && !has_model()) {
    agpu__tool_error(TOOL, "option '--model-cpus' is of a modelled machine: "
                           "add --model");
    return false;
  }
  return !options->model_cpus ||
         !setenv("ASYNC_GPU_NUM_THREADS", options->model_cpus, 1);
}

/// Whether it is used, where it is asked for so. Behind the begin of a trace,
/// which sees no work of devices that are in use already.
static bool uses_emulated(const agpu__runner_options *options) {
  agpu_device_kind device;
  if (!options->check && !options->model)
    return true;
  if (!check_status(agpu_runtime_get_device(&device)))
    return false;
  if (device == AGPU_DEVICE_EMU)
    return true;
  agpu__tool_error(TOOL,
                   "option '--%s' is for the emulated device, and "
                   "this program would run on a GPU: add --device=emu",
                   options->check ? "check" : "model");
  return false;
}

/// Whether the emulated device is to check accesses (docs/environment.md), so
/// that the program has to tell it of them. The runtime checks the list itself.
static bool checks_accesses(void) {
  const char *checks = secure_getenv("ASYNC_GPU_EMU_CHECK");
  return checks && *checks;
}

/// How the options of a pipeline say where memory of the host lies for the
/// devices of this run, unless `flags` do; as those do then. Where a card is
/// modelled, which has memory of its own, the program copies. NULL after a
/// message.
static const char *choose_memory(const char *flags, bool is_modelled) {
  bool unified = strstr(flags, " memory={unified}") != NULL;
  if (!strstr(flags, " memory=") && !is_modelled &&
      !check_status(agpu_runtime_get_unified_memory(&unified)))
    return NULL;
  return unified ? "memory=unified" : "memory=discrete";
}

/// Lowers the program, of linalg too, with images only for the device that this
/// run is for, as each kind costs time to make, unless the flags say which.
static bool lower(const agpu__runner_options *options, agpu_program *program) {
  MlirOperation module = agpu__program_module(program);
  if (mlirOperationIsNull(agpu__codegen_find_unlowered(module)))
    return true;
  const char *flags = agpu__text_get(&options->gpu_flags);
  const char *targets = "", *memory = "";
  agpu_device_kind device = AGPU_DEVICE_CUDA;
  const char *front = agpu_program_get_front(program);
  bool has_gpu_op = *front;
  mlirOperationWalk(module, find_gpu_op, &has_gpu_op, MlirWalkPreOrder);
  if (has_gpu_op && !check_status(agpu_runtime_get_device(&device)))
    return false;
  bool is_modelled = has_gpu_op && device == AGPU_DEVICE_EMU && has_model();
  if (has_gpu_op && !strstr(flags, "gpu-targets="))
    targets =
        device == AGPU_DEVICE_CUDA ? " gpu-targets=ptx" : " gpu-targets=native";
  if (has_gpu_op && !(memory = choose_memory(flags, is_modelled)))
    return false;
  // A modelled card runs the kernels that it would run.
  bool is_card = device == AGPU_DEVICE_CUDA || is_modelled;
  int multiprocessors = 0;
  if (*front && is_card &&
      !check_status(agpu_runtime_get_multiprocessors(&multiprocessors)))
    return false;
  if (options->shard && !*front) {
    agpu__tool_error(TOOL, "option '--shard' is for programs on tensors, "
                           "without ops of async and gpu");
    return false;
  }
  agpu__text pipeline = {0};
  if (options->shard)
    agpu__text_printf(
        &pipeline,
        "async-gpu-shard{split=%s interior=%s pieces=%ld ranks=%ld},",
        options->shard, options->shard_interior, options->shard_pieces,
        options->shard_ranks);
  if (*front && is_card)
    agpu__text_printf(&pipeline, "%s{%s device=gpu blocks=%d},", front, memory,
                      multiprocessors);
  else if (*front)
    agpu__text_printf(&pipeline, "%s{%s device=emu},", front, memory);
  agpu__text_printf(
      &pipeline, "async-gpu-lower{reuse-streams=%s%s%s %s%s%s%s%s}",
      options->reuse_streams ? "true" : "false", targets,
      is_card ? "" : " device=emu", strstr(flags, " memory=") ? "" : memory,
      options->trace ? " trace=true" : "",
      checks_accesses() && !strstr(flags, "check-accesses")
          ? " check-accesses=true"
          : "",
      has_model() && !strstr(flags, "gpu-count=") ? " gpu-count=true" : "",
      flags);
  bool ok = check_compiled(agpu_program_lower(program, pipeline.data));
  agpu__text_free(&pipeline);
  return ok;
}

/// Lowers and compiles. NULL after a message.
static agpu_jit *compile(const agpu__runner_options *options,
                         agpu_program *program, const agpu__run *run,
                         agpu__compile_times *times) {
  double start = agpu__now();
  agpu__context_register_passes();
  if (!agpu__instrument_flags_check(
          TOOL, mlirOperationGetContext(agpu__program_module(program)),
          &options->instruments) ||
      (options->instruments.printing.tree_directory &&
       !agpu__tree_errors_begin(TOOL)))
    return NULL;
  agpu__instruments_use(&options->instruments);
  if (!lower(options, program))
    return NULL;
  times->lower = agpu__now() - start;
  agpu__libraries_load(TOOL, agpu__text_get(&options->shared_libs));
  agpu__compat_set_row_major(options->row_major);
  agpu__jit_settings settings = {.level = options->level,
                                 .entries = (const char *const *)run->symbols};
  agpu_jit *jit = NULL;
  start = agpu__now();
  check_compiled(agpu__program_jit(program, &settings, &jit));
  times->compile = agpu__now() - start;
  return jit;
}

/// The compiled program, with nothing of MLIR left. NULL after a message, and
/// where no code is asked for.
static agpu_jit *load(const agpu__runner_options *options, agpu__run *run,
                      agpu__compile_times *times, bool *out_ok) {
  agpu__text input = {0}, error = {0};
  agpu_compiler *compiler = NULL;
  agpu_program *program = NULL;
  agpu_jit *jit = NULL;
  *out_ok = false;
  bool was_read = agpu__source_read(options->input, &input, &error);
  agpu__progress_line_set("compiling");
  agpu__progress_line_clear();
  if (!was_read) {
    agpu__tool_error(TOOL, "%s", agpu__text_get(&error));
  } else if (check_compiled(agpu_compiler_create(&compiler))) {
    const char *name = agpu__source_name(options->input);
    agpu__crash_set_input(name);
    agpu_compiler_set_diagnostic_handler(compiler, print_to_stderr, NULL,
                                         options->remarks);
    double start = agpu__now();
    bool ok = check_compiled(agpu__program_parse_file(
        compiler, name, agpu__text_get(&input), input.size, &program));
    times->parse = agpu__now() - start;
    if (ok && options->print_signature)
      *out_ok = agpu__run_print_signatures(options, program, name);
    else if (ok && agpu__run_prepare(run, options, program, name))
      jit = compile(options, program, run, times);
  }
  agpu_program_release(program);
  agpu_compiler_release(compiler);
  agpu__text_free(&error);
  agpu__text_free(&input);
  *out_ok |= jit != NULL;
  if (!agpu__tree_errors_end(TOOL)) {
    agpu_jit_release(jit);
    jit = NULL;
    *out_ok = false;
  }
  return jit;
}

static const char *describe_code(const void *map, uintptr_t address) {
  return agpu__code_map_find(map, address);
}

/// Compiles the program and makes the calls. The code goes to `*out_jit`.
static bool run_program(const agpu__runner_options *options,
                        agpu_jit **out_jit) {
  agpu__run run = {0};
  agpu__compile_times times = {0, 0, 0};
  bool ok;
  if (!agpu__instrument_flags_print_ir(&options->instruments))
    agpu__progress_line_begin(TOOL, options->input);
  *out_jit = load(options, &run, &times, &ok);
  agpu__progress_line_end();
  if (*out_jit) {
    agpu__crash_program_runs();
    agpu__crash_describe_code(describe_code, agpu__jit_code_map(*out_jit));
    ok = agpu__run_calls(&run, *out_jit) && agpu__run_report(&run, &times);
  }
  agpu__run_free(&run);
  return ok;
}

int main(int argc, char **argv) {
  agpu__runner_options options;
  int status = EXIT_SUCCESS;
  agpu__handle_fatal_errors(TOOL);
  agpu__temporary_remove_on_signals();
  agpu__crash_watch(TOOL);
  if (!agpu__runner_options_parse(argc, argv, &options, &status)) {
    agpu__runner_options_free(&options);
    if (status == EXIT_SUCCESS && !agpu__flush_stdout(TOOL))
      status = EXIT_FAILURE;
    return status;
  }
  if (!check_status(agpu_runtime_check_settings()) ||
      (options.has_device &&
       !check_status(agpu_runtime_set_device(options.device))) ||
      !set_emulated(&options) ||
      !agpu__run_trace_begin(options.trace, options.profile) ||
      !uses_emulated(&options)) {
    agpu__runner_options_free(&options);
    return EXIT_FAILURE;
  }
  agpu__colour_set(options.colour);
  agpu_jit *jit;
  bool ok = run_program(&options, &jit);
  // Tasks of the program may still run: the code goes away behind them.
  ok = check_status(agpu_runtime_shutdown()) && ok;
  ok = agpu__flush_stdout(TOOL) && ok;
  agpu__crash_describe_code(NULL, NULL);
  agpu_jit_release(jit);
  agpu__runner_options_free(&options);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
