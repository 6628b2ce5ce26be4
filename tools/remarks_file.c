//===- remarks_file.c - Remarks as YAML -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remark knows its place, not its function: that is the last one of the file
// that begins before it.
//
//===----------------------------------------------------------------------===//

#include "remarks_file.h"

#include "lower/ir/ir.h"
#include "lower/pass/progress.h"

#include <stdlib.h>
#include <string.h>

typedef struct function {
  char *file, *name;
  int line;
} function;

struct agpu__remarks_file {
  agpu__text text;
  function *functions; ///< in the order of the module
  size_t count;
};

agpu__remarks_file *agpu__remarks_file_create(void) {
  agpu__remarks_file *self = calloc(1, sizeof(*self));
  if (!self)
    abort();
  return self;
}

static void free_functions(agpu__remarks_file *self) {
  for (size_t i = 0; i < self->count; ++i) {
    free(self->functions[i].file);
    free(self->functions[i].name);
  }
  free(self->functions);
  self->functions = NULL;
  self->count = 0;
}

void agpu__remarks_file_set_module(agpu__remarks_file *self,
                                   MlirOperation module) {
  free_functions(self);
  agpu__ops all = {0};
  agpu__collect(module, NULL, &all);
  self->functions = calloc(all.count + 1, sizeof(*self->functions));
  if (!self->functions)
    abort();
  for (size_t i = 0; i < all.count; ++i) {
    MlirStringRef name = agpu__get_string(all.data[i], "sym_name");
    agpu__place place = agpu__place_of(mlirOperationGetLocation(all.data[i]));
    if (!name.length || !place.file.data ||
        !agpu__has_attr(all.data[i], "function_type"))
      continue;
    self->functions[self->count++] = (function){
        .file = agpu__format("%.*s", (int)place.file.length, place.file.data),
        .name = agpu__format("%.*s", (int)name.length, name.data),
        .line = place.line};
  }
  agpu__ops_free(&all);
}

static const char *find_function(const agpu__remarks_file *self,
                                 const agpu__place *place) {
  const function *best = NULL;
  for (size_t i = 0; i < self->count; ++i) {
    const function *f = &self->functions[i];
    if (f->line <= place->line && (!best || f->line > best->line) &&
        strlen(f->file) == place->file.length &&
        memcmp(f->file, place->file.data, place->file.length) == 0)
      best = f;
  }
  return best ? best->name : "<unknown function>";
}

/// A YAML string: in single quotes, where two stand for one.
static void put(agpu__text *out, const char *data, size_t size) {
  agpu__text_puts(out, "'");
  for (size_t i = 0; i < size; ++i)
    agpu__text_append(out, data[i] == '\'' ? "''" : &data[i],
                      data[i] == '\'' ? 2 : 1);
  agpu__text_puts(out, "'");
}

/// The identifier that a remark is found by: its first word.
static void put_name(agpu__text *out, const char *message) {
  size_t size = strcspn(message, " :");
  agpu__text_append(out, message, size);
}

void agpu__remarks_file_add(MlirLocation location, const char *message,
                            void *data) {
  agpu__remarks_file *self = data;
  agpu__text *out = &self->text;
  agpu__place place = agpu__place_of(location);
  const char *pass = agpu__progress_get_pass();
  agpu__text_printf(out,
                    "--- !Analysis\nPass:            %s\nName:            ",
                    pass ? pass : "async-gpu");
  put_name(out, message);
  if (place.file.data) {
    agpu__text_puts(out, "\nDebugLoc:        { File: ");
    put(out, place.file.data, place.file.length);
    agpu__text_printf(out, ", Line: %d, Column: %d }", place.line,
                      place.column);
  }
  agpu__text_puts(out, "\nFunction:        ");
  const char *around = find_function(self, &place);
  put(out, around, strlen(around));
  agpu__text_puts(out, "\nArgs:\n  - String:          ");
  put(out, message, strlen(message));
  agpu__text_puts(out, "\n...\n");
}

const agpu__text *agpu__remarks_file_text(const agpu__remarks_file *self) {
  return &self->text;
}

void agpu__remarks_file_release(agpu__remarks_file *self) {
  if (!self)
    return;
  free_functions(self);
  agpu__text_free(&self->text);
  free(self);
}
