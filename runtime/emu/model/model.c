//===- model.c - A machine whose time is modelled -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the format, finds models by name among those that are in the library
// (emu/models), and says where in a file what is wrong.
//
//===----------------------------------------------------------------------===//

#include "emu/model/model.h"

#include "base/report/settings.h"
#include "emu/model/models.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum unit_kind { COUNT, BYTES, TIME, BANDWIDTH, FREQUENCY } unit_kind;

/// Each unit, and how many of the first of its kind it is.
static const struct {
  unit_kind kind;
  const char *name;
  double factor;
} units[] = {
    {BYTES, "B", 1},        {BYTES, "KiB", 1024},      {BYTES, "MiB", 1048576},
    {TIME, "ns", 1},        {TIME, "us", 1e3},         {TIME, "ms", 1e6},
    {BANDWIDTH, "GB/s", 1}, {BANDWIDTH, "MB/s", 1e-3}, {BANDWIDTH, "TB/s", 1e3},
    {FREQUENCY, "GHz", 1},  {FREQUENCY, "MHz", 1e-3},
};

static const struct {
  const char *name;
  unit_kind kind;
  double least, most;
  size_t offset;
} keys[] = {
#define ROW(key, kind, least, most)                                            \
  {#key, kind, least, most, offsetof(agpu__emu_model, key)},
    AGPU__EMU_MODEL_KEYS(ROW)
#undef ROW
};
enum { KEYS = sizeof keys / sizeof *keys };

/// What is read, and how far.
typedef struct reader {
  const char *path;
  const char *line, *at; // its begin, and what comes next in it
  unsigned number;
  agpu__emu_model *model;
  bool has[KEYS], has_name;
} reader;

static agpu_status fail(const reader *self, const char *at, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
static agpu_status fail(const reader *self, const char *at, const char *format,
                        ...) {
  char place[512], text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)snprintf(place, sizeof place, "%s:%u:%d", self->path, self->number,
                 (int)(at - self->line) + 1);
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, place, "%s", text);
}

static void skip_blanks(reader *self) { self->at += strspn(self->at, " \t\r"); }

/// Up to the end of what matters in the line.
static int length_left(const reader *self) {
  size_t length = strcspn(self->at, "#\n");
  while (length && isspace((unsigned char)self->at[length - 1]))
    --length;
  return (int)length;
}

/// The units of a kind, as "GB/s, MB/s or TB/s".
static const char *list_units(unit_kind kind, char *out, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (units[i].kind == kind) {
      int more = snprintf(out + used, size - used, "%s%s", used ? " or " : "",
                          units[i].name);
      used += more > 0 ? (size_t)more : 0;
    }
  return out;
}

static agpu_status read_unit(reader *self, size_t key, double *value) {
  char known[64];
  int length = length_left(self);
  if (keys[key].kind == COUNT)
    return length ? fail(self, self->at, "'%s' is a number without a unit",
                         keys[key].name)
                  : AGPU_OK;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (units[i].kind == keys[key].kind &&
        strlen(units[i].name) == (size_t)length &&
        strncmp(units[i].name, self->at, (size_t)length) == 0) {
      *value *= units[i].factor;
      return AGPU_OK;
    }
  return fail(self, self->at, "'%s' is in %s, not '%.*s'", keys[key].name,
              list_units(keys[key].kind, known, sizeof known), length,
              self->at);
}

static agpu_status read_value(reader *self, size_t key) {
  const char *begin = self->at;
  char *end = NULL;
  errno = 0;
  double value = strtod(begin, &end);
  if (end == begin || errno || !isdigit((unsigned char)*begin))
    return fail(self, begin, "expected a number, as in '%s = 1.5'",
                keys[key].name);
  self->at = end;
  skip_blanks(self);
  agpu_status status = read_unit(self, key, &value);
  if (!status && !(value >= keys[key].least && value <= keys[key].most))
    status = fail(self, begin, "'%s' is from %g to %g", keys[key].name,
                  keys[key].least, keys[key].most);
  if (!status)
    *(double *)((char *)self->model + keys[key].offset) = value;
  return status;
}

static agpu_status read_name(reader *self) {
  int length = length_left(self);
  if (!length || (size_t)length >= sizeof self->model->name)
    return fail(self, self->at, "a name has 1 to %zu characters",
                sizeof self->model->name - 1);
  (void)snprintf(self->model->name, sizeof self->model->name, "%.*s", length,
                 self->at);
  return AGPU_OK;
}

static size_t find_key(const char *name, size_t length) {
  size_t i = 0;
  while (i < KEYS && (strlen(keys[i].name) != length ||
                      strncmp(keys[i].name, name, length) != 0))
    ++i;
  return i;
}

static agpu_status read_line(reader *self) {
  skip_blanks(self);
  if (!*self->at || *self->at == '#' || *self->at == '\n')
    return AGPU_OK;
  const char *name = self->at;
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
  bool is_name = length == 4 && strncmp(name, "name", 4) == 0;
  size_t key = is_name ? 0 : find_key(name, length);
  if (key == KEYS)
    return fail(self, name,
                "'%.*s' is no key of a model: docs/modelled-time.md lists them",
                (int)(length ? length : strcspn(name, " \t=#\r\n")), name);
  bool *has = is_name ? &self->has_name : &self->has[key];
  if (*has)
    return fail(self, name, "'%.*s' stands here for the second time",
                (int)length, name);
  *has = true;
  self->at += length;
  skip_blanks(self);
  if (*self->at != '=')
    return fail(self, self->at, "expected '=' behind '%.*s'", (int)length,
                name);
  ++self->at;
  skip_blanks(self);
  return is_name ? read_name(self) : read_value(self, key);
}

agpu_status agpu__emu_model_parse(const char *path, const char *text,
                                  agpu__emu_model *out_model) {
  reader self = {.path = path, .model = out_model};
  agpu_status status = AGPU_OK;
  for (const char *line = text; line && *line && !status;) {
    self.line = self.at = line;
    ++self.number;
    status = read_line(&self);
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  if (status)
    return status;
  for (size_t i = 0; i < KEYS; ++i)
    if (!self.has[i])
      return fail(&self, self.line ? self.line : "",
                  "the model ends without '%s': begin with a copy of one of "
                  "those that are installed",
                  keys[i].name);
  return self.has_name
             ? AGPU_OK
             : fail(&self, self.line, "the model ends without 'name'");
}

static agpu_status read_file(const char *path, agpu__emu_model *out_model) {
  enum { MOST = 65536 };
  FILE *file = fopen(path, "re");
  if (!file)
    return agpu_status_create(AGPU_STATUS_NOT_FOUND, path,
                              "the model cannot be read: %s", strerror(errno));
  char *text = malloc(MOST + 1);
  size_t size = text ? fread(text, 1, MOST, file) : 0;
  bool is_whole = text && size < MOST && !ferror(file);
  (void)fclose(file);
  if (is_whole)
    text[size] = '\0';
  agpu_status status =
      is_whole ? agpu__emu_model_parse(path, text, out_model)
               : agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, path,
                                    "the model cannot be read as a file of "
                                    "less than 64 KiB");
  free(text);
  return status;
}

static agpu_status read_installed(const char *name,
                                  agpu__emu_model *out_model) {
  char list[256] = "";
  for (const agpu__emu_model_file *at = agpu__emu_model_files; at->name; ++at) {
    if (strcmp(at->name, name) == 0)
      return agpu__emu_model_parse(name, at->text, out_model);
    size_t used = strlen(list);
    (void)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                   at->name);
  }
  return agpu_status_create(
      AGPU_STATUS_NOT_FOUND, NULL,
      "there is no model '%s'; there are %s, and files: a path with a '/', or "
      "a name that ends in .model",
      name, list);
}

bool agpu__emu_model_load(agpu__emu_model *model, agpu_status *out_status) {
  const char *name = agpu__setting_text(AGPU__SETTING_EMU_MODEL);
  *out_status = AGPU_OK;
  if (!name)
    return false;
  int64_t seed;
  *out_status = agpu__setting_integer(AGPU__SETTING_SEED, &seed);
  if (!*out_status && seed >= 0)
    *out_status = agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "ASYNC_GPU_SEED draws an order that ASYNC_GPU_EMU_MODEL decides: unset "
        "one of them");
  if (*out_status)
    return false;
  size_t length = strlen(name);
  bool is_path = strchr(name, '/') ||
                 (length > 6 && strcmp(name + length - 6, ".model") == 0);
  *out_status = is_path ? read_file(name, model) : read_installed(name, model);
  return !*out_status;
}
