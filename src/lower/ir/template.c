//===- template.c - IR that is written as text -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is parsed with those that it calls, in a module of their own;
// then a copy of its ops goes to where they are wanted. While a pass runs, what
// was parsed is kept for the next op that needs the same text. Only what is
// filled in can make a text malformed: a user's type that an op of the template
// does not take.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/template.h"

#include "lower/ir/embedded.h"
#include "lower/ir/ir.h"

#include "mlir-c/Diagnostics.h"

#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void fill_hole(agpu__holes *holes, const char *name, char *text) {
  size_t i = 0;
  while (i < holes->count && strcmp(holes->data[i].name, name))
    ++i;
  if (i == AGPU__COUNT(holes->data))
    abort();
  if (i == holes->count)
    holes->data[holes->count++].text = NULL;
  free(holes->data[i].text);
  holes->data[i].name = name;
  holes->data[i].text = text;
}

void agpu__hole(agpu__holes *holes, const char *name, const char *format, ...) {
  agpu__text text = {0};
  va_list arguments;
  va_start(arguments, format);
  agpu__text_vprintf(&text, format, arguments);
  va_end(arguments);
  fill_hole(holes, name, agpu__text_take(&text));
}

void agpu__hole_type(agpu__holes *holes, const char *name, MlirType type) {
  fill_hole(holes, name, agpu__type_text(type));
}

void agpu__holes_free(agpu__holes *holes) {
  for (size_t i = 0; i < holes->count; ++i)
    free(holes->data[i].text);
  holes->count = 0;
}

/// The text of a function of a file: to the brace in the first column that ends
/// it, or the line that declares a place. Of no length where there is none.
static MlirStringRef find_function(const char *file, const char *name,
                                   size_t length) {
  const char *text = agpu__embedded(file);
  const char *const heads[] = {"func.func", "func.func private"};
  const char *const ends[] = {"\n}\n", "\n"};
  for (size_t i = 0; i < 2 && text; ++i) {
    AGPU__OWNED char *head =
        agpu__format("\n%s @%.*s(", heads[i], (int)length, name);
    const char *begin = strstr(text, head);
    if (begin) {
      const char *end = strstr(++begin, ends[i]) + strlen(ends[i]);
      return mlirStringRefCreate(begin, (size_t)(end - begin));
    }
  }
  return mlirStringRefCreate(NULL, 0);
}

static const char *text_of_hole(const agpu__template *template,
                                const char *name, size_t length) {
  const agpu__holes *holes = template->holes;
  for (size_t i = 0; holes && i < holes->count; ++i)
    if (strlen(holes->data[i].name) == length &&
        !memcmp(holes->data[i].name, name, length))
      return holes->data[i].text;
  fprintf(stderr, "async-gpu: internal error: {{%.*s}} of @%s is not filled\n",
          (int)length, name, template->function);
  abort();
}

/// Appends a function of the file with its holes filled, and, once each, those
/// that it calls.
static void append_function(const agpu__template *template, const char *name,
                            size_t length, agpu__text *out) {
  MlirStringRef source = find_function(template->file, name, length);
  if (!source.length) {
    fprintf(stderr, "async-gpu: internal error: no template @%.*s in %s\n",
            (int)length, name, template->file);
    abort();
  }
  size_t begin = out->size;
  const char *at = source.data, *end = source.data + source.length;
  for (const char *hole; (hole = strstr(at, "{{")) && hole < end;) {
    const char *close = strstr(hole, "}}");
    agpu__text_append(out, at, (size_t)(hole - at));
    agpu__text_puts(
        out, text_of_hole(template, hole + 2, (size_t)(close - hole) - 2));
    at = close + 2;
  }
  agpu__text_append(out, at, (size_t)(end - at));
  static const char call[] = "func.call @";
  for (const char *next; (next = strstr(out->data + begin, call));) {
    next += strlen(call);
    begin = (size_t)(next - out->data);
    size_t size = strcspn(next, "(");
    // Calls and what is called look the same but for what stands before.
    AGPU__OWNED char *head = agpu__format(" @%.*s(", (int)size, next);
    bool known = false;
    for (const char *p = out->data; (p = strstr(p, head)) && !known; ++p)
      known = p - out->data < 9 || memcmp(p - 9, "func.call", 9);
    if (!known)
      append_function(template, next, size, out);
  }
}

static void append_template(const agpu__template *template, agpu__text *out) {
  if (template->text)
    agpu__text_puts(out, template->text);
  else
    append_function(template, template->function, strlen(template->function),
                    out);
}

char *agpu__template_text(const agpu__template *template) {
  agpu__text out = {0};
  append_template(template, &out);
  return agpu__text_take(&out);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static MlirWalkResult set_location(MlirOperation op, void *data) {
  const MlirLocation *location = data;
  mlirOperationSetLocation(op, *location);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, r))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        mlirBlockArgumentSetLocation(mlirBlockGetArgument(block, i), *location);
  return MlirWalkResultAdvance;
}

static void inline_function(agpu__builder *at, MlirOperation module,
                            const char *name, const agpu__template *template,
                            const MlirValue *arguments, MlirValue *out_results);

/// Replaces a call of the template by what it stands for.
static void resolve(MlirOperation call, MlirOperation module,
                    const agpu__template *template) {
  // The context keeps strings with a NUL after them.
  const char *callee =
      mlirFlatSymbolRefAttrGetValue(agpu__attr(call, "callee")).data;
  agpu__builder at = agpu__builder_before(call);
  MlirValue results[8];
  if (mlirOperationGetNumResults(call) > 8)
    abort();
  if (agpu__is_declaration(agpu__lookup(module, callee))) {
    template->fill(&at, callee, call, results, template->data);
  } else {
    AGPU__SCOPED(values) arguments = agpu__operands(call, 0);
    inline_function(&at, module, callee, template, arguments.data, results);
  }
  agpu__replace_op(call, results);
}

/// Builds the body of a function of `module` at `at`.
static void inline_function(agpu__builder *at, MlirOperation module,
                            const char *name, const agpu__template *template,
                            const MlirValue *arguments,
                            MlirValue *out_results) {
  MlirOperation function = mlirOperationClone(agpu__lookup(module, name));
  mlirOperationWalk(function, set_location, &at->location, MlirWalkPreOrder);
  MlirBlock block = agpu__entry_block(function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, i), arguments[i]);
  AGPU__SCOPED(ops) calls = agpu__ops_in(function, "func.call");
  MlirOperation end = mlirBlockGetTerminator(block);
  agpu__move_ops(at, mlirBlockGetFirstOperation(block), end);
  for (size_t i = 0; i < calls.count; ++i)
    resolve(calls.data[i], module, template);
  // A call may have been what is returned: read it now.
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    out_results[i] = mlirOperationGetOperand(end, i);
  mlirOperationDestroy(function);
}

/// Keeps the first line of the first error.
static MlirLogicalResult keep_error(MlirDiagnostic diagnostic, void *data) {
  agpu__text *error = data;
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError ||
      error->size)
    return mlirLogicalResultSuccess();
  mlirDiagnosticPrint(diagnostic, agpu__text_callback, error);
  error->size = strcspn(agpu__text_get(error), "\n");
  error->data[error->size] = '\0';
  return mlirLogicalResultSuccess();
}

/// A text, and the module that was parsed of it.
typedef struct parsed {
  char *text;
  size_t size;
  uint64_t hash;
  MlirContext context;
  MlirOperation module;
} parsed;

struct agpu__templates {
  parsed *data;
  size_t count, capacity;
  agpu__templates *outer;
};

/// What the pass that runs on this thread has parsed; NULL: none runs.
static _Thread_local agpu__templates *kept;

agpu__templates *agpu__templates_begin(void) {
  agpu__templates *self = agpu__allocate(1, sizeof(*self));
  self->outer = kept;
  return kept = self;
}

size_t agpu__templates_end(agpu__templates *self) {
  size_t count = self->count;
  for (size_t i = 0; i < self->count; ++i) {
    mlirOperationDestroy(self->data[i].module);
    free(self->data[i].text);
  }
  kept = self->outer;
  free(self->data);
  free(self);
  return count;
}

/// FNV-1a.
static uint64_t hash_of(const char *text, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  return hash;
}

/// The module of `wanted` that was parsed before; null: there is none.
static MlirOperation find_parsed(const parsed *wanted) {
  for (size_t i = 0; kept && i < kept->count; ++i) {
    const parsed *one = &kept->data[i];
    if (one->hash == wanted->hash && one->size == wanted->size &&
        mlirContextEqual(one->context, wanted->context) &&
        !memcmp(one->text, wanted->text, one->size))
      return one->module;
  }
  return (MlirOperation){NULL};
}

/// Parses the text of `self`; null after a diagnostic.
static MlirOperation parse(const parsed *self, MlirLocation location,
                           const char *what) {
  // What the parser says is about a text that nobody has seen.
  AGPU__SCOPED(text) error = {0};
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      self->context, keep_error, &error, NULL);
  MlirOperation module = mlirOperationCreateParse(
      self->context, mlirStringRefCreate(self->text, self->size),
      agpu__str("template"));
  mlirContextDetachDiagnosticHandler(self->context, handler);
  if (mlirOperationIsNull(module))
    agpu__error(location,
                "'%s' with these types and attributes cannot be expressed by "
                "other ops: %s",
                what, agpu__text_get(&error));
  return module;
}

static MlirLogicalResult build(agpu__builder *at,
                               const agpu__template *template, const char *what,
                               const MlirValue *arguments,
                               MlirValue *out_results) {
  agpu__text text = {0};
  agpu__text_puts(&text, "module {\n");
  append_template(template, &text);
  agpu__text_puts(&text, "}\n");
  parsed self = {.text = text.data,
                 .size = text.size,
                 .hash = hash_of(text.data, text.size),
                 .context = at->context};
  MlirOperation found = find_parsed(&self);
  self.module =
      mlirOperationIsNull(found) ? parse(&self, at->location, what) : found;
  if (!mlirOperationIsNull(self.module))
    inline_function(at, self.module, template->function, template, arguments,
                    out_results);
  if (mlirOperationIsNull(found) && !mlirOperationIsNull(self.module) && kept) {
    AGPU__GROW(kept->data, kept->count, kept->capacity);
    kept->data[kept->count++] = self;
    return mlirLogicalResultSuccess();
  }
  free(self.text);
  if (mlirOperationIsNull(self.module))
    return mlirLogicalResultFailure();
  if (mlirOperationIsNull(found))
    mlirOperationDestroy(self.module);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__template_build(agpu__builder *at,
                                       const agpu__template *template,
                                       const MlirValue *arguments,
                                       MlirValue *out_results) {
  return build(at, template, template->function, arguments, out_results);
}

MlirLogicalResult agpu__template_replace(MlirOperation op,
                                         const agpu__template *template,
                                         const MlirValue *extra,
                                         size_t extra_count) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) arguments = agpu__operands(op, 0);
  for (size_t i = 0; i < extra_count; ++i)
    agpu__values_push(&arguments, extra[i]);
  intptr_t count = mlirOperationGetNumResults(op);
  AGPU__OWNED MlirValue *results =
      agpu__allocate((size_t)count, sizeof(*results));
  MlirLogicalResult result =
      build(&at, template, agpu__op_name(op).data, arguments.data, results);
  if (mlirLogicalResultIsSuccess(result))
    agpu__replace_op(op, results);
  return result;
}
