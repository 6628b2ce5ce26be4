//===- info_writer.c - Nested entries as text or JSON ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "info_writer.h"

#include <inttypes.h>

static void write_json_string(FILE *file, const char *text) {
  fputc('"', file);
  for (const char *c = text; *c; ++c) {
    unsigned char byte = (unsigned char)*c;
    if (byte == '"' || byte == '\\')
      fputc('\\', file);
    if (byte < 0x20)
      fprintf(file, "\\u%04x", byte);
    else
      fputc(byte, file);
  }
  fputc('"', file);
}

/// Where an entry begins: a line of its own, and its name.
static void begin_entry(agpu__info_writer *w, const char *name) {
  if (w->json) {
    if (w->has_entries)
      fputc(',', w->file);
    if (w->depth)
      fprintf(w->file, "\n%*s", 2 * w->depth, "");
    if (name) {
      write_json_string(w->file, name);
      fputs(": ", w->file);
    }
  } else if (name) {
    fprintf(w->file, "%*s%s:", 2 * (w->depth - 1), "", name);
  }
  w->has_entries = true;
}

static void open(agpu__info_writer *w, const char *name, char bracket) {
  begin_entry(w, name);
  if (w->json)
    fputc(bracket, w->file);
  else if (name)
    fputc('\n', w->file);
  else if (w->depth)
    fprintf(w->file, "%*s-\n", 2 * (w->depth - 1), "");
  ++w->depth;
  w->has_entries = false;
}

static void close(agpu__info_writer *w, char bracket) {
  --w->depth;
  if (w->json) {
    if (w->has_entries)
      fprintf(w->file, "\n%*s", 2 * w->depth, "");
    fputc(bracket, w->file);
    if (!w->depth)
      fputc('\n', w->file);
  }
  w->has_entries = true;
}

void agpu__info_begin(agpu__info_writer *writer, const char *name) {
  open(writer, name, '{');
}

void agpu__info_end(agpu__info_writer *writer) { close(writer, '}'); }

void agpu__info_begin_list(agpu__info_writer *writer, const char *name) {
  open(writer, name, '[');
}

void agpu__info_end_list(agpu__info_writer *writer) { close(writer, ']'); }

void agpu__info_string(agpu__info_writer *writer, const char *name,
                       const char *value) {
  begin_entry(writer, name);
  if (writer->json)
    write_json_string(writer->file, value);
  else
    fprintf(writer->file, " %s\n", value);
}

void agpu__info_integer(agpu__info_writer *writer, const char *name,
                        int64_t value) {
  begin_entry(writer, name);
  fprintf(writer->file, writer->json ? "%" PRId64 : " %" PRId64 "\n", value);
}
