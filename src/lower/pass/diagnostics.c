//===- diagnostics.c - Diagnostics as text --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One handler for each context, which shows a diagnostic with the line of the
// source that it is about. Remarks and warnings of ours come here directly: the
// C API emits nothing but errors.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/diagnostics.h"

#include "lower/ir/ir.h"
#include "lower/pass/pipeline.h"
#include "lower/pass/source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

const char *agpu__severity_name(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError: return "error";
  case MlirDiagnosticWarning: return "warning";
  case MlirDiagnosticNote: return "note";
  case MlirDiagnosticRemark: return "remark";
  }
  return "diagnostic";
}

/// Source lines longer than this say nothing to a person.
enum { MAX_SHOWN_LINE = 1000 };

struct agpu__diagnostics {
  MlirContext context;
  MlirDiagnosticHandlerID handler;
  agpu__diagnostics_sink sink;
  void *data;
  const char *name, *text;
  size_t size;
  agpu__diagnostics_filter filter; ///< or NULL
  void *filter_data;
  bool wants_remarks;
  void (*on_remark)(MlirLocation location, const char *message, void *data);
  void *on_remark_data;
  agpu__diagnostics *next; ///< attached to another context
};

// The handler of a context's remarks.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static agpu__diagnostics *attached; // under the lock

/// A place in a file; `line` is 0 where it is unknown.
typedef struct place {
  const char *file;
  size_t file_size, line, column;
} place;

static place place_of(MlirLocation location) {
  agpu__place found = agpu__place_of(location);
  return (place){.file = found.file.data,
                 .file_size = found.file.length,
                 .line = (size_t)found.line,
                 .column = (size_t)found.column};
}

/// True if `p` is in the source's text. Gives a nameless place its file name.
static bool resolve(const agpu__diagnostics *d, place *p) {
  if (!p->file || !d->name)
    return false;
  size_t name_size = strlen(d->name);
  if (p->file_size == strlen(AGPU_SOURCE_UNNAMED) &&
      memcmp(p->file, AGPU_SOURCE_UNNAMED, p->file_size) == 0) {
    p->file = d->name;
    p->file_size = name_size;
    return true;
  }
  return p->file_size == name_size && memcmp(p->file, d->name, name_size) == 0;
}

/// Where the line of `p` begins in the source's text; NULL: nowhere.
static const char *find_line(const agpu__diagnostics *d, const place *p) {
  const char *at = p->line ? d->text : NULL, *end = d->text + d->size;
  for (size_t line = 1; line < p->line && at; ++line) {
    at = memchr(at, '\n', (size_t)(end - at));
    at = at ? at + 1 : NULL;
  }
  return at;
}

static void append_source_line(const agpu__diagnostics *d, const place *p,
                               agpu__text *out) {
  const char *at = find_line(d, p), *end = d->text + d->size;
  if (!at)
    return;
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  size_t size = (size_t)((newline ? newline : end) - at);
  if (size == 0 || size > MAX_SHOWN_LINE || p->column > size + 1)
    return;
  // What is not text must not reach a terminal as it is.
  for (size_t i = 0; i < size; ++i) {
    bool control =
        ((unsigned char)at[i] < ' ' && at[i] != '\t') || at[i] == 0x7f;
    agpu__text_append(out, control ? "?" : &at[i], 1);
  }
  agpu__text_puts(out, "\n");
  if (p->column == 0)
    return;
  for (size_t i = 0; i + 1 < p->column; ++i)
    agpu__text_append(out, i < size && at[i] == '\t' ? "\t" : " ", 1);
  agpu__text_puts(out, "^\n");
}

/// True if nothing of the source stands after `p`: only the parser says
/// something about that place.
static bool is_end(const agpu__diagnostics *d, const place *p) {
  const char *at = find_line(d, p), *end = d->text + d->size;
  if (!at || p->column < 2 || (size_t)(end - at) < p->column - 1)
    return false;
  at += p->column - 1;
  while (at < end && *at && strchr(" \t\r\n", *at))
    ++at;
  return at == end;
}

static void print(const agpu__diagnostics *d, place p, bool in_source,
                  const char *severity, const char *message) {
  AGPU__SCOPED(text) out = {0};
  if (!p.file)
    agpu__text_printf(&out, "<unknown>:0: ");
  else
    // The place of a module without a line of its own, 0:0, is the beginning.
    agpu__text_printf(&out, "%.*s:%zu:%zu: ", (int)p.file_size, p.file,
                      p.line ? p.line : 1, p.line ? p.column : 1);
  agpu__text_printf(&out, "%s: %s%s\n", severity, message,
                    in_source && is_end(d, &p)
                        ? " (the file ends here: something is not closed)"
                        : "");
  if (in_source)
    append_source_line(d, &p, &out);
  d->sink(out.data, out.size, d->data);
}

static void handle_one(agpu__diagnostics *d, MlirLocation location,
                       MlirDiagnosticSeverity severity, const char *message) {
  if (severity == MlirDiagnosticRemark && d->on_remark) {
    d->on_remark(location, message, d->on_remark_data);
    return;
  }
  place p = place_of(location);
  bool in_source = resolve(d, &p);
  if (!d->filter) {
    print(d, p, in_source, agpu__severity_name(severity), message);
    return;
  }
  if (d->filter(severity, in_source ? p.line : 0, message, d->filter_data))
    return;
  AGPU__SCOPED(text) text = {0};
  agpu__text_printf(&text, "unexpected %s: %s", agpu__severity_name(severity),
                    message);
  print(d, p, in_source, "error", text.data);
}

/// The note that MLIR attaches to each error of an op, which the C API cannot
/// turn off: the whole op, with all that it holds.
static bool is_dump(MlirDiagnosticSeverity severity, const char *message) {
  static const char dump[] = "see current operation: ";
  return severity == MlirDiagnosticNote &&
         strncmp(message, dump, strlen(dump)) == 0;
}

/// What a failed conversion says ends with the op and all that it holds. Its
/// name is enough beside its place.
static void drop_op(agpu__text *message) {
  static const char begin[] = "failed to legalize operation '";
  if (strncmp(agpu__text_get(message), begin, strlen(begin)) != 0)
    return;
  const char *dump = strstr(message->data, ": ");
  if (!dump)
    return;
  message->size = (size_t)(dump - message->data);
  message->data[message->size] = '\0';
}

static MlirLogicalResult handle(MlirDiagnostic diagnostic, void *data) {
  agpu__diagnostics *d = data;
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  AGPU__SCOPED(text) message = {0};
  mlirDiagnosticPrint(diagnostic, agpu__text_callback, &message);
  if (is_dump(severity, agpu__text_get(&message)))
    return mlirLogicalResultSuccess();
  drop_op(&message);
  MlirLocation location = mlirDiagnosticGetLocation(diagnostic);
  // Tests of diagnostics expect what upstream says.
  AGPU__SCOPED(text) advice = {0};
  bool is_advised = severity == MlirDiagnosticError && !d->filter &&
                    agpu__parse_advice(d->context, diagnostic,
                                       agpu__text_get(&message), &advice);
  handle_one(d, location, severity,
             agpu__text_get(is_advised ? &advice : &message));
  if (is_advised)
    return mlirLogicalResultSuccess(); // notes list what there is

  while (!d->filter && mlirLocationIsACallSite(location)) {
    location = mlirLocationCallSiteGetCaller(location);
    handle_one(d, location, MlirDiagnosticNote, "called from");
  }
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    handle(mlirDiagnosticGetNote(diagnostic, i), d);
  return mlirLogicalResultSuccess();
}

void agpu__diagnostics_report(agpu__diagnostics *diagnostics, size_t line,
                              const char *message) {
  const char *name = diagnostics->name;
  place p = {
      .file = name, .file_size = strlen(name), .line = line, .column = 1};
  print(diagnostics, p, true, "error", message);
}

agpu__diagnostics *agpu__diagnostics_attach(MlirContext context,
                                            agpu__diagnostics_sink sink,
                                            void *data) {
  agpu__diagnostics *d = agpu__allocate(1, sizeof(*d));
  d->context = context;
  d->sink = sink;
  d->data = data;
  d->handler = mlirContextAttachDiagnosticHandler(context, handle, d, NULL);
  pthread_mutex_lock(&lock);
  d->next = attached;
  attached = d;
  pthread_mutex_unlock(&lock);
  return d;
}

void agpu__diagnostics_set_source(agpu__diagnostics *diagnostics,
                                  const char *name, const char *text,
                                  size_t size) {
  diagnostics->name = name;
  diagnostics->text = text;
  diagnostics->size = size;
}

void agpu__diagnostics_set_filter(agpu__diagnostics *diagnostics,
                                  agpu__diagnostics_filter filter, void *data) {
  diagnostics->filter = filter;
  diagnostics->filter_data = data;
}

void agpu__diagnostics_detach(agpu__diagnostics *diagnostics) {
  mlirContextDetachDiagnosticHandler(diagnostics->context,
                                     diagnostics->handler);
  pthread_mutex_lock(&lock);
  agpu__diagnostics **link = &attached;
  while (*link != diagnostics)
    link = &(*link)->next;
  *link = diagnostics->next;
  pthread_mutex_unlock(&lock);
  free(diagnostics);
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static agpu__diagnostics *find_attached(MlirContext context) {
  pthread_mutex_lock(&lock);
  agpu__diagnostics *found = attached;
  while (found && !mlirContextEqual(found->context, context))
    found = found->next;
  pthread_mutex_unlock(&lock);
  return found;
}

void agpu__diagnostics_want_remarks(agpu__diagnostics *diagnostics, bool want) {
  diagnostics->wants_remarks = want;
}

void agpu__diagnostics_on_remark(agpu__diagnostics *diagnostics,
                                 void (*on_remark)(MlirLocation location,
                                                   const char *message,
                                                   void *data),
                                 void *data) {
  diagnostics->on_remark = on_remark;
  diagnostics->on_remark_data = data;
}

bool agpu__diagnostics_wants_remarks(MlirContext context) {
  const agpu__diagnostics *d = find_attached(context);
  return d && d->wants_remarks;
}

__attribute__((format(printf, 3, 0))) static void
emit(MlirLocation location, MlirDiagnosticSeverity severity, const char *format,
     va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0)
    agpu__out_of_memory();
  agpu__diagnostics *d = find_attached(mlirLocationGetContext(location));
  if (d) {
    handle_one(d, location, severity, text);
  } else {
    char *where = agpu__location_text(location);
    fprintf(stderr, "%s: %s: %s\n", *where ? where : "<unknown>",
            agpu__severity_name(severity), text);
    free(where);
  }
  free(text);
}

void agpu__remark(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit(location, MlirDiagnosticRemark, format, arguments);
  va_end(arguments);
}

void agpu__note(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit(location, MlirDiagnosticNote, format, arguments);
  va_end(arguments);
}

void agpu__warning(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit(location, MlirDiagnosticWarning, format, arguments);
  va_end(arguments);
}
