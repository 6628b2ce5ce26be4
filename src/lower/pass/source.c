//===- source.c - Input text and its modules ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input text on its way to a module: reading it, refusing what is none, and
// giving locations the name of the file, which the C API does not take.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/source.h"

#include "lower/ir/ir.h"
#include "lower/pass/pipeline.h"
#include "lower/pass/progress.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

const char *agpu__source_name(const char *path) {
  return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/// True if what is read there has no end: /dev/zero and its like.
static bool is_endless(int file) {
  struct stat about;
  return fstat(file, &about) == 0 && S_ISCHR(about.st_mode) && !isatty(file);
}

bool agpu__source_read_up_to(const char *path, size_t limit,
                             agpu__text *contents, agpu__text *error) {
  bool is_stdin = strcmp(path, "-") == 0, too_long = false;
  int file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  char buffer[16384];
  ssize_t got = -1;
  while (file >= 0 && !too_long) {
    got = read(file, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    agpu__text_append(contents, buffer, (size_t)got);
    too_long = contents->size > limit || is_endless(file);
  }
  if (got < 0)
    agpu__text_printf(error, "cannot %s input file '%s': %s",
                      file < 0 ? "open" : "read", agpu__source_name(path),
                      strerror(errno));
  else if (too_long && contents->size > limit)
    agpu__text_printf(error, "'%s' has more than %zu bytes",
                      agpu__source_name(path), limit);
  else if (too_long)
    agpu__text_printf(error,
                      "cannot read input file '%s': it is a device, which has "
                      "no end",
                      agpu__source_name(path));
  if (file >= 0 && !is_stdin)
    close(file);
  // Callers rely on a final NUL, also after nothing at all.
  agpu__text_append(contents, "", 0);
  return got == 0;
}

bool agpu__source_read(const char *path, agpu__text *contents,
                       agpu__text *error) {
  return agpu__source_read_up_to(path, SIZE_MAX, contents, error);
}

bool agpu__source_is_blank(const char *text, size_t size) {
  const char *end = text + size;
  while (text < end) {
    if (isspace((unsigned char)*text)) {
      ++text;
    } else if (end - text >= 2 && text[0] == '/' && text[1] == '/') {
      while (text < end && *text != '\n')
        ++text;
    } else {
      return false;
    }
  }
  return true;
}

void agpu__source_report_blank(MlirContext context, const char *name) {
  mlirEmitError(mlirLocationFileLineColGet(context, agpu__str(name), 1, 1),
                "expected at least one operation, the input is empty");
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

typedef struct renaming {
  MlirContext context;
  MlirStringRef name;
  const char *text; ///< NULL: bytecode
  size_t size;
  /// A line of the text that was looked for, and its beginning.
  size_t line;
  const char *line_begin;
} renaming;

/// `location` with the unnamed file called by its name.
static MlirLocation rename_location(MlirLocation location, const renaming *r) {
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file =
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    if (!mlirStringRefEqual(file, agpu__str(AGPU_SOURCE_UNNAMED)))
      return location;
    return mlirLocationFileLineColRangeGet(
        r->context, r->name,
        (unsigned)mlirLocationFileLineColRangeGetStartLine(location),
        (unsigned)mlirLocationFileLineColRangeGetStartColumn(location),
        (unsigned)mlirLocationFileLineColRangeGetEndLine(location),
        (unsigned)mlirLocationFileLineColRangeGetEndColumn(location));
  }
  if (mlirLocationIsAName(location))
    return mlirLocationNameGet(
        r->context, mlirIdentifierStr(mlirLocationNameGetName(location)),
        rename_location(mlirLocationNameGetChildLoc(location), r));
  if (mlirLocationIsACallSite(location))
    return mlirLocationCallSiteGet(
        rename_location(mlirLocationCallSiteGetCallee(location), r),
        rename_location(mlirLocationCallSiteGetCaller(location), r));
  if (mlirLocationIsAFused(location)) {
    unsigned count = mlirLocationFusedGetNumLocations(location);
    AGPU__OWNED MlirLocation *parts = agpu__allocate(count, sizeof(*parts));
    mlirLocationFusedGetLocations(location, parts);
    for (unsigned i = 0; i < count; ++i)
      parts[i] = rename_location(parts[i], r);
    location = mlirLocationFusedGet(r->context, count, parts,
                                    mlirLocationFusedGetMetadata(location));
  }
  return location;
}

/// The place in the text; NULL: it is not there.
static const char *find_place(renaming *r, size_t line, size_t column) {
  if (!r->line || line < r->line) {
    r->line = 1;
    r->line_begin = r->text;
  }
  const char *end = r->text + r->size;
  for (; r->line < line; ++r->line) {
    const char *newline =
        memchr(r->line_begin, '\n', (size_t)(end - r->line_begin));
    if (!newline)
      return NULL;
    r->line_begin = newline + 1;
  }
  return column && (size_t)(end - r->line_begin) >= column - 1
             ? r->line_begin + column - 1
             : NULL;
}

/// What the text calls the result of an op at `location`, the parser's.
static MlirStringRef find_name(MlirLocation location, renaming *r) {
  MlirStringRef none = {NULL, 0};
  if (!r->text || !mlirLocationIsAFileLineColRange(location) ||
      !mlirStringRefEqual(
          mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location)),
          agpu__str(AGPU_SOURCE_UNNAMED)))
    return none;
  const char *op =
      find_place(r, (size_t)mlirLocationFileLineColRangeGetStartLine(location),
                 (size_t)mlirLocationFileLineColRangeGetStartColumn(location));
  return op ? agpu__result_name(r->text, op) : none;
}

static MlirWalkResult rename_op(MlirOperation op, void *data) {
  renaming *r = data;
  MlirLocation location = mlirOperationGetLocation(op);
  MlirLocation renamed = rename_location(location, r);
  MlirStringRef name = {NULL, 0};
  if (agpu__op_is(op, "async.execute"))
    name = find_name(location, r);
  mlirOperationSetLocation(
      op,
      name.length ? mlirLocationNameGet(r->context, name, renamed) : renamed);
  for (MlirRegion region = mlirOperationGetFirstRegion(op);
       !mlirRegionIsNull(region); region = mlirRegionGetNextInOperation(region))
    AGPU__BLOCKS_FOREACH (block, region)
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        mlirBlockArgumentSetLocation(
            argument, rename_location(mlirValueGetLocation(argument), r));
      }
  return MlirWalkResultAdvance;
}

static bool is_bytecode(const char *text, size_t size) {
  static const char magic[] = "ML\xEFR";
  return size >= 4 && memcmp(text, magic, 4) == 0;
}

/// Of `at` within the text, which begins at `text`.
static MlirLocation location_of(MlirContext context, const char *name,
                                const char *text, const char *at) {
  unsigned line = 1;
  const char *begin = text;
  for (const char *c = text; c < at; ++c)
    if (*c == '\n') {
      ++line;
      begin = c + 1;
    }
  return mlirLocationFileLineColGet(context, agpu__str(name), line,
                                    (unsigned)(at - begin) + 1);
}

/// MLIR's parser takes NULs for white space, so that a binary file can pass for
/// an empty module. Reports the first NUL of a text; false if there is one.
static bool check_text(MlirContext context, const char *name, const char *text,
                       size_t size) {
  const char *nul = memchr(text, '\0', size);
  if (nul)
    mlirEmitError(location_of(context, name, text, nul),
                  "unexpected NUL character: this is not MLIR text");
  return !nul;
}

static MlirLogicalResult note_error(MlirDiagnostic diagnostic, void *data) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError)
    *(bool *)data = true;
  return mlirLogicalResultFailure(); // others print it
}

/// MLIR's parser refuses an op of a dialect that was loaded as IRDL, as ours
/// is, without a word where it is not in quotes.
static void report_silent(MlirContext context, const char *name,
                          const char *text, size_t size) {
  static const char prefix[] = "agpu.";
  const char *at = text, *end = text + size;
  while ((at = memmem(at, (size_t)(end - at), prefix, sizeof prefix - 1)) &&
         at > text && !isspace((unsigned char)at[-1]))
    ++at;
  mlirEmitError(location_of(context, name, text, at ? at : text),
                at ? "ops of the agpu dialect are written in their generic "
                     "form, with the name in quotes: \"agpu.NAME\"(...)"
                   : "MLIR's parser refuses this file without saying why");
}

MlirModule agpu__source_parse(MlirContext context, const char *name,
                              const char *text, size_t size) {
  bool binary = is_bytecode(text, size);
  const char *foreign = agpu__parse_foreign(name);
  if (foreign) {
    agpu__error(mlirLocationFileLineColGet(context, agpu__str(name), 0, 0),
                "this is %s, and what is compiled here is MLIR: kernels are "
                "written in the gpu dialect, or come from linalg",
                foreign);
    return (MlirModule){NULL};
  }
  if (!binary && !check_text(context, name, text, size))
    return (MlirModule){NULL};
  const char *before = agpu__progress_set("it read the file");
  AGPU__SCOPED(text) rewritten = {0};
  MlirStringRef source = mlirStringRefCreate(text, size);
  if (!binary && agpu__has_tm_tensor(text, size)) {
    mlirContextSetAllowUnregisteredDialects(context, true);
    agpu__tm_tensor_rewrite(text, size, &rewritten);
    source = mlirStringRefCreate(rewritten.data, rewritten.size);
  }
  bool said_why = false;
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, note_error, &said_why, NULL);
  MlirModule module = mlirModuleCreateParse(context, source);
  mlirContextDetachDiagnosticHandler(context, handler);
  (void)agpu__progress_set(before);
  if (mlirModuleIsNull(module)) {
    if (!said_why)
      report_silent(context, name, text, binary ? 0 : size);
    return module;
  }
  renaming r = {.context = context,
                .name = agpu__str(name),
                .text = binary ? NULL : text,
                .size = size};
  mlirOperationWalk(mlirModuleGetOperation(module), rename_op, &r,
                    MlirWalkPreOrder);
  return module;
}

//===----------------------------------------------------------------------===//
// What the source calls a result
//
// Reads backwards from an op: white space, an equals sign, and names with
// commas between them. Whatever else stands there is no name, and changes
// nothing.
//===----------------------------------------------------------------------===//

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' ||
         c == '-';
}

MlirStringRef agpu__result_name(const char *text, const char *op) {
  MlirStringRef none = {NULL, 0};
  const char *at = op;
  char before = '='; // what has to stand after the next name
  for (;; before = ',') {
    while (at > text && isspace((unsigned char)at[-1]))
      --at;
    if (at == text || at[-1] != before)
      return none;
    --at;
    while (at > text && isspace((unsigned char)at[-1]))
      --at;
    const char *end = at;
    while (at > text && (is_name_char(at[-1]) || at[-1] == ':'))
      --at;
    if (at == text || at[-1] != '%' || at == end)
      return none;
    // `%name:2` is two results.
    const char *colon = memchr(at, ':', (size_t)(end - at));
    MlirStringRef name = {at, (size_t)((colon ? colon : end) - at)};
    if (name.length && !isdigit((unsigned char)*name.data))
      return name;
    --at;
  }
}
