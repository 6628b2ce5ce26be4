//===- async_gpu_docs.c - The manual of the passes ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-docs PAGE: prints one of the manual's pages from the pass table and
// the texts beside the passes. The page `passes` has the pipelines and a list
// of the passes; the passes themselves are on one page for each part of the way
// from linalg to LLVM.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"
#include "lower/ir/embedded.h"
#include "lower/ir/text.h"
#include "lower/pass/pass.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
  const char *name, *title;
  const char *first; ///< its first pass; it has all up to the next page's
} page;

/// In the order of the pass table.
static const page pages[] = {
    {"passes-linalg", "Passes: from linalg and tensors",
     "async-gpu-drop-schedules"},
    {"passes-plan", "Passes: regions, streams and graphs",
     "async-gpu-check-input"},
    {"passes-kernels", "Passes: kernels", "async-gpu-kernels-to-nvvm"},
    {"passes-llvm", "Passes: from regions to LLVM", "async-gpu-memory-spaces"},
};

enum { PAGE_COUNT = sizeof(pages) / sizeof(pages[0]) };

/// The name of the page that a pass or a pipeline is on.
static const char *page_of(const char *argument) {
  const char *name = "passes";
  for (size_t i = 0; i < agpu__pass_count; ++i) {
    for (size_t k = 0; k < PAGE_COUNT; ++k)
      if (!strcmp(pages[k].first, agpu__passes[i]->argument))
        name = pages[k].name;
    if (!strcmp(agpu__passes[i]->argument, argument))
      return name;
  }
  return "passes";
}

/// A link to the section of a pass or pipeline, on the page `from`.
static void print_link(const char *from, const char *argument) {
  const char *to = page_of(argument);
  printf("[`--%s`](", argument);
  if (strcmp(from, to) != 0)
    printf("%s.md", to);
  printf("#--%s)", argument);
}

static const char *kind_name(agpu_option_kind kind) {
  switch (kind) {
  case AGPU_OPTION_BOOL: return "true or false";
  case AGPU_OPTION_INT: return "integer";
  case AGPU_OPTION_STRING: return "text";
  case AGPU_OPTION_WORD: break;
  }
  return "";
}

/// A cell of a table: a bar would end it.
static void print_cell(const char *text) {
  for (; *text; ++text) {
    if (*text == '|')
      putchar('\\');
    putchar(*text == '\n' ? ' ' : *text);
  }
}

/// "a|b|c", as a list of code.
static void print_words(const char *words) {
  putchar('`');
  for (; *words; ++words)
    if (*words == '|')
      printf("`, `");
    else
      putchar(*words);
  putchar('`');
}

/// The pass or pipeline before `argument` whose option means the same by the
/// same words; NULL: there is none.
static const char *described_before(const char *argument,
                                    const agpu_pass_option *option) {
  for (size_t i = 0; i < agpu__pipeline_count + agpu__pass_count; ++i) {
    bool is_pass = i >= agpu__pipeline_count;
    const agpu_pipeline *pipeline = is_pass ? NULL : agpu__pipelines[i];
    const agpu_pass *pass =
        is_pass ? agpu__passes[i - agpu__pipeline_count] : NULL;
    const char *other = is_pass ? pass->argument : pipeline->argument;
    if (!strcmp(other, argument))
      return NULL;
    const agpu_pass_option *options =
        is_pass ? pass->options : pipeline->options;
    size_t count = is_pass ? pass->option_count : pipeline->option_count;
    for (size_t k = 0; k < count; ++k)
      if (!strcmp(options[k].name, option->name) &&
          !strcmp(options[k].description, option->description))
        return other;
  }
  return NULL;
}

static void print_options(const char *argument, const agpu_pass_option *options,
                          size_t count) {
  if (!count)
    return;
  printf("\n| option | value | default | meaning |\n"
         "| --- | --- | --- | --- |\n");
  for (size_t i = 0; i < count; ++i) {
    printf("| `%s` | ", options[i].name);
    if (options[i].kind == AGPU_OPTION_WORD)
      print_words(options[i].default_value);
    else
      printf("%s", kind_name(options[i].kind));
    printf(" | ");
    if (*options[i].default_value)
      printf("`%.*s`", agpu__pass_option_default_size(&options[i]),
             options[i].default_value);
    else
      printf("empty");
    printf(" | ");
    const char *other = described_before(argument, &options[i]);
    if (other) {
      printf("As of ");
      print_link(page_of(argument), other);
      printf(".");
    } else {
      print_cell(options[i].description);
    }
    printf(" |\n");
  }
}

/// A section: the text of ARGUMENT.md, with the options ahead of its example.
static bool print_section(const char *argument, const char *anchor,
                          const char *summary, const agpu_pass_option *options,
                          size_t count) {
  char *file = agpu__format("%s.md", argument);
  const char *text = agpu__embedded(file);
  if (!text) {
    fprintf(stderr,
            "async-gpu-docs: error: there is no %s: write what the "
            "pass does beside its source\n",
            file);
    free(file);
    return false;
  }
  free(file);
  printf("\n## `--%s`\n\n%s.", argument, summary);
  if (anchor)
    printf(" Runs on each `%s`.", anchor);
  const char *example = strstr(text, "\nBefore:\n");
  size_t size = example ? (size_t)(example - text) : strlen(text);
  printf("\n\n%.*s", (int)size, text);
  print_options(argument, options, count);
  if (example)
    printf("%s", example);
  return true;
}

static bool print_pass(const agpu_pass *pass) {
  return print_section(pass->argument, pass->anchor, pass->summary,
                       pass->options, pass->option_count);
}

/// Those that programs have, and then those that passes leave each other.
static void print_attributes(void) {
  printf("\n## Attributes\n\n"
         "Those of programs are first. The others are what passes leave each "
         "other, and what\nIR between passes may have. The first pass of "
         "ours in a pipeline checks where they stand and what they are, and\n"
         "`async-gpu-check-input` warns of a name that is none of these.\n\n"
         "| attribute | on | value | what it says |\n"
         "| --- | --- | --- | --- |\n");
  for (size_t i = 0; i < agpu__attribute_count; ++i) {
    const agpu__attribute *of = &agpu__attributes[i];
    printf("| `%s` | ", of->name);
    for (size_t k = 0; of->on[k]; ++k)
      printf("%s`%s`", k ? ", " : "", of->on[k]);
    char *values = agpu__attribute_values(of);
    printf("%s | ", of->on[0] ? "" : "any op");
    print_cell(values);
    printf(" | ");
    print_cell(of->meaning);
    printf(" |\n");
    free(values);
  }
}

/// The page of all pipelines, with a list of the passes.
static bool print_overview(void) {
  printf(
      "# Passes\n"
      "\n"
      "Every name is a flag of `async-gpu-opt` and an element of\n"
      "`--pass-pipeline='builtin.module(...)'`. Options are written\n"
      "`--name='x=1 y=2'` or `name{x=1 y=2}`. A pass runs on the\n"
      "`builtin.module` unless its section names another op: then it stands\n"
      "inside `op(...)` in a pipeline, and its flag puts it there.\n"
      "\n"
      "The first five are pipelines. Below are all passes, in the order in\n"
      "which a program meets them.\n");
  bool ok = true;
  for (size_t i = 0; i < agpu__pipeline_count; ++i) {
    const agpu_pipeline *pipeline = agpu__pipelines[i];
    ok &= print_section(pipeline->argument, pipeline->anchor, pipeline->summary,
                        pipeline->options, pipeline->option_count);
  }
  printf("\n## All passes\n\n| pass | what it does |\n| --- | --- |\n");
  for (size_t i = 0; i < agpu__pass_count; ++i) {
    printf("| ");
    print_link("passes", agpu__passes[i]->argument);
    printf(" | ");
    print_cell(agpu__passes[i]->summary);
    printf(" |\n");
  }
  print_attributes();
  return ok;
}

static bool print_page(const page *wanted) {
  printf("# %s\n\n[All pipelines and passes](passes.md).\n", wanted->title);
  bool ok = true;
  for (size_t i = 0; i < agpu__pass_count; ++i)
    if (!strcmp(page_of(agpu__passes[i]->argument), wanted->name))
      ok &= print_pass(agpu__passes[i]);
  return ok;
}

static const page *find_page(const char *name) {
  for (size_t i = 0; i < PAGE_COUNT; ++i)
    if (!strcmp(pages[i].name, name))
      return &pages[i];
  return NULL;
}

int main(int argc, char **argv) {
  bool help =
      argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
  if (argc == 2 && !strcmp(argv[1], "--version")) {
    printf("async-gpu-docs %s\n", AGPU_VERSION);
    return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  const page *wanted = argc == 2 ? find_page(argv[1]) : NULL;
  if (argc != 2 || (!wanted && strcmp(argv[1], "passes") != 0)) {
    fprintf(help ? stdout : stderr,
            "usage: async-gpu-docs PAGE\n\nPrints docs/PAGE.md, a page of the "
            "manual of the passes, to stdout.\nPages: passes");
    for (size_t i = 0; i < PAGE_COUNT; ++i)
      fprintf(help ? stdout : stderr, ", %s", pages[i].name);
    fprintf(help ? stdout : stderr, "\n");
    return help ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  printf("<!-- Printed by async-gpu-docs from the pass table: do not edit. "
         "-->\n\n");
  bool ok = wanted ? print_page(wanted) : print_overview();
  if (fflush(stdout) != 0) {
    perror("async-gpu-docs: error: cannot write to <stdout>");
    return EXIT_FAILURE;
  }
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
