//===- about.c - What the tools say of themselves -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "about.h"

#include "gpu_flags.h"
#include "help.h"
#include "instrument_flags.h"

#include "gpu/ptx/ptx.h"
#include "lower/ir/llvm_compat.h"
#include "lower/pass/pass.h"
#include "lower/pass/pipeline.h"

#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>

static const char *value_of(const agpu_pass_option *option) {
  switch (option->kind) {
  case AGPU_OPTION_BOOL: return "true|false";
  case AGPU_OPTION_INT: return "int";
  case AGPU_OPTION_STRING: return "string";
  case AGPU_OPTION_WORD: return option->default_value;
  }
  return "value";
}

static void print_entry(const char *argument, const char *summary,
                        const agpu_pass_option *options, size_t count) {
  char left[128];
  snprintf(left, sizeof(left), "--%s", argument);
  agpu__help_entry(left, summary);
  for (size_t i = 0; i < count; ++i) {
    snprintf(left, sizeof(left), "%s=<%s>", options[i].name,
             value_of(&options[i]));
    agpu__text text = {0};
    agpu__text_puts(&text, options[i].description);
    if (*options[i].default_value)
      agpu__text_printf(&text, " (default: %.*s)",
                        agpu__pass_option_default_size(&options[i]),
                        options[i].default_value);
    agpu__help_nested_entry(left, text.data);
    agpu__text_free(&text);
  }
}

bool agpu__opt_print_help(const char *form, const agpu__option *options,
                          size_t option_count) {
  if (!agpu__help_begin(form, "async-gpu-opt", AGPU_VERSION,
                        "runs passes on an MLIR module", "[options] [file]"))
    return false;
  agpu__help_text("Without a file, or with '-', it reads stdin.");
  agpu__help_heading("Pipelines of async-gpu");
  for (size_t i = 0; i < agpu__pipeline_count; ++i)
    print_entry(agpu__pipelines[i]->argument, agpu__pipelines[i]->summary,
                agpu__pipelines[i]->options, agpu__pipelines[i]->option_count);
  agpu__help_heading(
      "Passes of async-gpu, in the order in which a program meets them");
  for (size_t i = 0; i < agpu__pass_count; ++i)
    print_entry(agpu__passes[i]->argument, agpu__passes[i]->summary,
                agpu__passes[i]->options, agpu__passes[i]->option_count);
  agpu__help_heading("Passes and pipelines of upstream MLIR");
  char text[512];
  snprintf(text, sizeof(text),
           "Any that mlir-opt %d has, under the same name and with the same "
           "options ('--list-passes' lists them), but for the passes of its "
           "own tests (--test-...), which no library has.\n\n"
           "Passes run in the order given. Their options follow in one of the "
           "forms --pass='x=1 y=2' and '--pass{x=1 y=2}'.",
           LLVM_VERSION_MAJOR);
  agpu__help_text(text);
  agpu__help_heading("Options");
  agpu__help_options(options, option_count);
  agpu__gpu_flags_print();
  agpu__instrument_flags_print();
  agpu__help_end("async-gpu-runner(1), async-gpu-info(1), async-gpu-report(1)");
  return true;
}

void agpu__opt_show_dialects(void) {
  MlirContext context = agpu__context_create();
  agpu__text names = {0};
  agpu__compat_dialect_names(context, &names);
  printf("Available Dialects: %s\n", agpu__text_get(&names));
  agpu__text_free(&names);
  mlirContextDestroy(context);
}

void agpu__print_version(const char *tool) {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  printf("%s %s (LLVM %u.%u.%u)\n", tool, AGPU_VERSION, major, minor, patch);
}

/// The handler gets no data of its own.
static const char *fatal_tool;

static void end_fatally(const char *reason) {
  agpu__tool_error(fatal_tool, "LLVM: %s", reason);
  // What exit() would run could rely on what has just failed.
  _Exit(EXIT_FAILURE);
}

void agpu__handle_fatal_errors(const char *tool) {
  fatal_tool = tool;
  agpu__llvm_on_fatal_error(end_fatally);
}
