//===- async_gpu_report.c - A trace and a plan as one page ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-report: puts a trace, and the plan of the same program, into a page
// that shows both and needs nothing else. What the page does is written in
// tools/report; here files are read, checked and put together.
//
//===----------------------------------------------------------------------===//

#include "command_line.h"
#include "file_uses.h"
#include "help.h"
#include "json_check.h"
#include "output_file.h"
#include "trace/convert.h"

#include "lower/ir/embedded.h"
#include "lower/ir/ops.h"
#include "lower/ir/text.h"
#include "lower/pass/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOOL "async-gpu-report"

enum {
  OPT_OUTPUT,
  OPT_TITLE,
  OPT_JSON,
  OPT_PROFILE,
  OPT_HELP,
  OPT_HELP_SHORT,
  OPT_VERSION,
};

static const agpu__option table[] = {
    [OPT_OUTPUT] = {"o", AGPU_VALUE_REQUIRED, "file",
                    "Write to this file instead of stdout"},
    [OPT_TITLE] = {"title", AGPU_VALUE_REQUIRED, "text",
                   "What the page is called (default: the trace's name)"},
    [OPT_JSON] = {"json", AGPU_VALUE_OPTIONAL, "file.json",
                  "Write the trace as Chrome's JSON, for Perfetto, to this "
                  "file or stdout, and no page"},
    [OPT_PROFILE] = {"profile", AGPU_VALUE_OPTIONAL, "file.json",
                     "Write a profile to this file, as JSON or into .txt as "
                     "text, or to stdout, and no page"},
    [OPT_HELP] = AGPU_HELP_OPTION,
    [OPT_HELP_SHORT] = {"h", AGPU_VALUE_NONE, NULL, NULL},
    [OPT_VERSION] = {"version", AGPU_VALUE_NONE, NULL, "Print the version"},
};
enum { OPTION_COUNT = sizeof(table) / sizeof(*table) };

typedef struct report_options {
  const char **traces; ///< paths: one, or those of ranks
  size_t trace_count;
  const char *plan; ///< a path; NULL: not given
  const char *output, *title;
  const char *json, *profile; ///< files, or "-"; NULL: not asked for
} report_options;

static bool print_help(const char *form) {
  if (!agpu__help_begin(form, TOOL, AGPU_VERSION,
                        "shows a trace, and the plan of the same program",
                        "TRACE... [PLAN] -o report.html\n"
                        "TRACE... --json=trace.json --profile=profile.txt"))
    return false;
  agpu__help_text("TRACE is what ASYNC_GPU_TRACE=FILE.trace writes, what "
                  "--trace=FILE.json of async-gpu-runner does, or any other "
                  "trace in Chrome's JSON; '-' is stdin. PLAN is what "
                  "async-gpu-opt writes with "
                  "--emit=plan-json or plan-svg. The page is one file; "
                  "browsers need no network.");
  agpu__help_text("Traces of the ranks of one run, FILE.trace of each, become "
                  "one: their clocks are aligned, and arrows lead from sends "
                  "to receives.");
  agpu__help_text("--json and --profile read FILE.trace. '%p' in the names of "
                  "their files is the number of the process that was traced.");
  agpu__help_heading("Options");
  agpu__help_options(table, OPTION_COUNT);
  agpu__help_end("async-gpu-opt(1), async-gpu-runner(1), async-gpu-info(1)");
  return true;
}

void agpu__out_of_memory(void) {
  static const char message[] = TOOL ": error: out of memory\n";
  (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
  agpu__temporary_remove_all();
  _exit(EXIT_FAILURE);
}

/// Whether the file is a dump, as those of several ranks are.
static bool is_dump(const char *path) {
  char begin[16];
  FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
  size_t got = file ? fread(begin, 1, sizeof begin, file) : 0;
  if (file)
    (void)fclose(file);
  return agpu__dump_is_one(begin, got);
}

/// A trace or a plan. False after a message.
static bool add_input(report_options *o, const char *path) {
  if (!o->trace_count || (!o->plan && is_dump(path))) {
    size_t bytes = (o->trace_count + 1) * sizeof *o->traces;
    const char **traces = realloc(o->traces, bytes);
    if (!traces)
      agpu__out_of_memory();
    o->traces = traces;
    o->traces[o->trace_count++] = path;
  } else if (o->plan) {
    agpu__tool_error(TOOL,
                     "'%s' is one file too many: there are a trace, or those "
                     "of ranks, and a plan",
                     path);
    return false;
  } else {
    o->plan = path;
  }
  return true;
}

/// False where nothing is left to do; `*status` is the exit status then.
static bool parse(int argc, char **argv, report_options *o, int *status) {
  *o = (report_options){.output = "-"};
  *status = EXIT_FAILURE;
  agpu__command_line line = {.tool = TOOL,
                             .options = table,
                             .option_count = OPTION_COUNT,
                             .argc = argc,
                             .argv = argv,
                             .next = 1};
  for (;;) {
    agpu__argument argument = agpu__command_line_next(&line);
    if (argument.kind == AGPU_ARGUMENT_END)
      break;
    if (argument.kind == AGPU_ARGUMENT_ERROR)
      return false;
    if (argument.kind == AGPU_ARGUMENT_UNKNOWN) {
      agpu__report_unknown_option(&line, argument.name);
      return false;
    }
    if (argument.kind == AGPU_ARGUMENT_INPUT) {
      if (!add_input(o, argument.value))
        return false;
      continue;
    }
    *status = EXIT_SUCCESS;
    switch (argument.option) {
    case OPT_OUTPUT: o->output = argument.value; break;
    case OPT_TITLE: o->title = argument.value; break;
    case OPT_JSON: o->json = argument.value ? argument.value : "-"; break;
    case OPT_PROFILE: o->profile = argument.value ? argument.value : "-"; break;
    case OPT_HELP:
    case OPT_HELP_SHORT:
      if (!print_help(argument.value))
        *status = EXIT_FAILURE;
      return false;
    case OPT_VERSION: printf("%s %s\n", TOOL, AGPU_VERSION); return false;
    }
    *status = EXIT_FAILURE;
  }
  if (!o->trace_count)
    agpu__tool_error(TOOL, "there is no trace: name a file, or '-' for stdin "
                           "(--help says how to make one)");
  return o->trace_count > 0;
}

static bool read_file(const char *path, agpu__text *out) {
  bool is_stdin = strcmp(path, "-") == 0;
  errno = 0;
  FILE *file = is_stdin ? stdin : fopen(path, "rb");
  static char buffer[1 << 16];
  size_t got = 0;
  // A device gives data without an end.
  struct stat about;
  bool is_endless = file && fstat(fileno(file), &about) == 0 &&
                    S_ISCHR(about.st_mode) && !isatty(fileno(file));
  while (file && (got = fread(buffer, 1, sizeof(buffer), file)) > 0 &&
         !is_endless)
    agpu__text_append(out, buffer, got);
  bool ok = file && !ferror(file) && !(is_endless && got);
  if (!ok && is_endless)
    agpu__tool_error(TOOL, "cannot read '%s': it is a device, which has no end",
                     path);
  else if (!ok)
    agpu__tool_error(TOOL, "cannot %s '%s': %s", file ? "read" : "open", path,
                     strerror(errno));
  if (file && !is_stdin)
    fclose(file);
  agpu__text_append(out, "", 0);
  return ok;
}

/// Says what a user should know of a trace that was written.
static void warn(const char *note) {
  if (*note)
    fprintf(stderr, TOOL ": warning: %s\n", note);
}

/// Writes JSON of the dumps, of which the first is `text`, to `file`. False
/// after a message.
static bool convert_dumps(const report_options *o, const agpu__text *text,
                          agpu__dump *dumps, agpu__trace_output *to, int file) {
  for (size_t i = 0; i < o->trace_count; ++i) {
    const char *error = i ? agpu__dump_read(&dumps[i], o->traces[i])
                          : agpu__dump_parse(&dumps[i], text->data, text->size);
    if (!error)
      continue;
    agpu__tool_error(TOOL, "cannot read '%s': %s", o->traces[i], error);
    return false;
  }
  agpu__trace_output_open(to, NULL, file);
  agpu__trace_converted made =
      agpu__trace_convert(dumps, o->trace_count, to, NULL, AGPU__PROFILE_TEXT);
  int failed = agpu__trace_output_close(to);
  if (made.error && made.at < o->trace_count)
    agpu__tool_error(TOOL, "cannot join '%s': %s", o->traces[made.at],
                     made.error);
  else if (made.error || failed)
    agpu__tool_error(TOOL, "cannot read '%s': %s", o->traces[0],
                     made.error ? made.error : strerror(failed));
  warn(made.note);
  return !made.error && !failed;
}

/// Makes JSON of dumps, the first of which `text` is.
static bool convert_text(const report_options *o, agpu__text *text) {
  agpu__dump *dumps = calloc(o->trace_count, sizeof *dumps);
  agpu__trace_output *to = agpu__trace_map(sizeof *to);
  if (!dumps || !to)
    agpu__out_of_memory();
  int file = memfd_create("trace", MFD_CLOEXEC);
  if (file < 0)
    agpu__tool_error(TOOL, "cannot read '%s': %s", o->traces[0],
                     strerror(errno));
  bool ok = file >= 0 && convert_dumps(o, text, dumps, to, file);
  char name[64];
  (void)snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  agpu__text_free(text);
  ok = ok && read_file(name, text);
  if (file >= 0)
    (void)close(file);
  for (size_t i = 0; i < o->trace_count; ++i)
    agpu__dump_free(&dumps[i]);
  agpu__trace_unmap(to, sizeof *to);
  free(dumps);
  return ok;
}

/// Says where a file is no JSON.
static void report_json(const char *path, const agpu__json_check *found) {
  fprintf(stderr, "%s:%zu:%zu: error: %s\n",
          strcmp(path, "-") == 0 ? "<stdin>" : path, found->line, found->column,
          found->error);
}

static bool check_trace(const report_options *o, agpu__text *text) {
  const char *path = o->traces[0];
  bool is_one = agpu__dump_is_one(text->data, text->size);
  if (o->trace_count > 1 && !is_one) {
    agpu__tool_error(TOOL,
                     "cannot join '%s': it is no dump of a trace, as "
                     "ASYNC_GPU_TRACE=FILE.trace writes it",
                     path);
    return false;
  }
  if (is_one && !convert_text(o, text))
    return false;
  agpu__json_check found =
      agpu__json_check_text(text->data, text->size, "traceEvents");
  if (!found.error &&
      (found.is_array || (found.member && *found.member == '[')))
    return true;
  if (found.error && (found.is_object || found.is_array))
    report_json(path, &found);
  else
    agpu__tool_error(TOOL,
                     "'%s' is no trace: async-gpu-runner writes one with "
                     "--trace=FILE.json, and ASYNC_GPU_TRACE=FILE.trace has "
                     "any program write one",
                     path);
  return false;
}

/// True if `text` is a drawing, of Graphviz's as far as that can be seen.
static bool is_svg(const agpu__text *text) {
  const char *at = text->data;
  if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
    at += 3;
  at += strspn(at, " \t\r\n");
  return *at == '<' && strstr(at, "<svg");
}

static bool check_plan(const char *path, const agpu__text *text) {
  if (is_svg(text))
    return true;
  static const char format[] = "\"async-gpu-plan\"";
  agpu__json_check found =
      agpu__json_check_text(text->data, text->size, "format");
  if (!found.error && found.member &&
      strncmp(found.member, format, strlen(format)) == 0)
    return true;
  if (found.error && (found.is_object || found.is_array))
    report_json(path, &found);
  else
    agpu__tool_error(TOOL,
                     "'%s' is no plan: async-gpu-opt writes one with "
                     "--emit=plan-json or --emit=plan-svg",
                     path);
  return false;
}

/// JSON that can stand inside of a page: nothing in it ends the element, as '<'
/// stands in strings alone.
static void append_json(agpu__text *page, const char *data, size_t size) {
  for (const char *end = data + size; data < end;) {
    const char *next = memchr(data, '<', (size_t)(end - data));
    agpu__text_append(page, data, (size_t)((next ? next : end) - data));
    if (!next)
      return;
    agpu__text_puts(page, "\\u003c");
    data = next + 1;
  }
}

static void append_html(agpu__text *page, const char *text) {
  for (; *text; ++text)
    switch (*text) {
    case '&': agpu__text_puts(page, "&amp;"); break;
    case '<': agpu__text_puts(page, "&lt;"); break;
    case '>': agpu__text_puts(page, "&gt;"); break;
    default: agpu__text_append(page, text, 1);
    }
}

/// Appends the embedded page with what stands for each `@NAME@` in it.
static void build_page(const report_options *o, const agpu__text *trace,
                       const agpu__text *plan, agpu__text *page) {
  static const char *const scripts[] = {
      "words.js",   "trace.js",  "timeline.js", "timeline_input.js",
      "range.js",   "advice.js", "chains.js",   "plan.js",
      "minimap.js", "table.js",  "page.js"};
  const char *slash = strrchr(o->traces[0], '/');
  const char *title = o->title ? o->title : slash ? slash + 1 : o->traces[0];
  const char *at = agpu__embedded("page.html");
  for (const char *hole; (hole = strchr(at, '@'));
       at = strchr(hole + 1, '@') + 1) {
    agpu__text_append(page, at, (size_t)(hole - at));
    if (strncmp(hole, "@TITLE@", 7) == 0)
      append_html(page, title);
    else if (strncmp(hole, "@STYLE@", 7) == 0)
      agpu__text_puts(page, agpu__embedded("style.css"));
    else if (strncmp(hole, "@TRACE@", 7) == 0)
      append_json(page, trace->data, trace->size);
    else if (strncmp(hole, "@SCRIPT@", 8) == 0)
      for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); ++i)
        agpu__text_puts(page, agpu__embedded(scripts[i]));
    else if (plan->size && is_svg(plan)) {
      agpu__text quoted = {0};
      agpu__text_json(&quoted, plan->data, plan->size);
      append_json(page, quoted.data, quoted.size);
      agpu__text_free(&quoted);
    } else if (plan->size) {
      append_json(page, plan->data, plan->size);
    }
  }
  agpu__text_puts(page, at);
}

/// True if no output replaces what it is made of.
static bool check_files(const report_options *o) {
  agpu__file_uses files = {0};
  for (size_t i = 0; i < o->trace_count; ++i)
    agpu__file_uses_read(&files, "", o->traces[i]);
  agpu__file_uses_read(&files, "", o->plan);
  if (o->json || o->profile) {
    agpu__file_uses_write(&files, "--json", o->json);
    agpu__file_uses_write(&files, "--profile", o->profile);
  } else {
    agpu__file_uses_write(&files, "-o", o->output);
  }
  bool ok = agpu__file_uses_check(&files, TOOL);
  agpu__file_uses_free(&files);
  return ok;
}

static bool write_targets(agpu__trace_targets *targets, const report_options *o,
                          char *message, size_t size) {
  if (strcmp(o->traces[0], "-") == 0)
    o->traces[0] = NULL;
  return agpu__trace_targets_write(targets, o->traces, o->trace_count, message,
                                   size);
}

/// Writes what dumps become, without a page.
static bool convert(const report_options *o) {
  static agpu__trace_targets targets;
  char message[sizeof(agpu__trace_path) + 256];
  if (o->plan || strcmp(o->output, "-") != 0 || o->title) {
    agpu__tool_error(TOOL, "--json and --profile make no page: leave out %s",
                     o->plan    ? "the plan"
                     : o->title ? "--title"
                                : "-o");
    return false;
  }
  if (agpu__trace_targets_set(&targets, o->json, o->profile, message,
                              sizeof message) &&
      write_targets(&targets, o, message, sizeof message)) {
    warn(targets.note);
    return true;
  }
  agpu__tool_error(TOOL, "%s", message);
  return false;
}

static bool run(const report_options *o) {
  if (o->json || o->profile)
    return check_files(o) && convert(o);
  if (strcmp(o->output, "-") == 0 && isatty(STDOUT_FILENO)) {
    agpu__tool_error(TOOL, "the page is not for a terminal: name a file with "
                           "-o, or redirect stdout");
    return false;
  }
  if (!check_files(o))
    return false;
  agpu__text trace = {0}, plan = {0}, page = {0}, error = {0};
  bool ok =
      read_file(o->traces[0], &trace) && check_trace(o, &trace) &&
      (!o->plan || (read_file(o->plan, &plan) && check_plan(o->plan, &plan)));
  if (ok) {
    build_page(o, &trace, &plan, &page);
    ok = agpu__output_write(o->output, page.data, page.size, false, &error);
    if (!ok)
      agpu__tool_error(TOOL, "%s", error.data);
  }
  agpu__text_free(&trace);
  agpu__text_free(&plan);
  agpu__text_free(&page);
  agpu__text_free(&error);
  return ok;
}

int main(int argc, char **argv) {
  report_options options = {0};
  int status;
  agpu__temporary_remove_on_signals();
  if (parse(argc, argv, &options, &status))
    status = run(&options) ? EXIT_SUCCESS : EXIT_FAILURE;
  else if (status == EXIT_SUCCESS && !agpu__flush_stdout(TOOL))
    status = EXIT_FAILURE;
  free(options.traces);
  return status;
}
