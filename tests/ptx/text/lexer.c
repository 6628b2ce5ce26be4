//===- lexer.c - Words of PTX, and memory for them -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16 };

struct ptx_chunk {
  struct ptx_chunk *next;
  size_t used, size;
  _Alignas(max_align_t) unsigned char bytes[];
};

void *ptx_allocate(ptx_module *module, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  struct ptx_chunk *chunk = module->memory;
  if (!chunk || chunk->size - chunk->used < bytes) {
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
      abort();
    chunk->size = size;
    chunk->next = module->memory;
    module->memory = chunk;
  }
  void *result = chunk->bytes + chunk->used;
  chunk->used += bytes;
  return result;
}

void ptx_free_memory(ptx_module *module) {
  while (module->memory) {
    struct ptx_chunk *next = module->memory->next;
    free(module->memory);
    module->memory = next;
  }
}

char *ptx_copy_text(ptx_module *module, const char *text, size_t length) {
  char *copy = ptx_allocate(module, length + 1);
  memcpy(copy, text, length);
  return copy;
}

void *ptx_grow(ptx_module *module, void *array, size_t count, size_t bytes) {
  if (count & (count - 1))
    return array;
  void *larger = ptx_allocate(module, (count ? 2 * count : 1) * bytes);
  if (count)
    memcpy(larger, array, count * bytes);
  return larger;
}

void ptx_fail(ptx_parser *p, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(p->message, p->message_size, "line %u: %s", p->line, text);
  longjmp(p->failed, 1);
}

void ptx_skip_space(ptx_parser *p) {
  for (;; ++p->at) {
    if (*p->at == '\n') {
      ++p->line;
    } else if (p->at[0] == '/' && p->at[1] == '/') {
      while (p->at[1] && p->at[1] != '\n')
        ++p->at;
    } else if (p->at[0] == '/' && p->at[1] == '*') {
      for (p->at += 2; *p->at && !(p->at[0] == '*' && p->at[1] == '/'); ++p->at)
        p->line += *p->at == '\n';
      if (!*p->at)
        ptx_fail(p, "a comment does not end");
      ++p->at;
    } else if (!isspace((unsigned char)*p->at)) {
      return;
    }
  }
}

void ptx_skip_past(ptx_parser *p, char stop) {
  while (*p->at && *p->at != stop)
    p->line += *p->at++ == '\n';
  if (!*p->at)
    ptx_fail(p, "the text ends where '%c' is missing", stop);
  p->line += *p->at++ == '\n';
}

bool ptx_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool ptx_next_is(ptx_parser *p, char c) {
  ptx_skip_space(p);
  return *p->at == c;
}

bool ptx_take(ptx_parser *p, char c) {
  if (!ptx_next_is(p, c))
    return false;
  ++p->at;
  return true;
}

void ptx_expect(ptx_parser *p, char c) {
  if (!ptx_take(p, c))
    ptx_fail(p, "'%c' is expected at '%.30s'", c, p->at);
}

bool ptx_next_is_word(ptx_parser *p, const char *word) {
  ptx_skip_space(p);
  size_t length = strlen(word);
  return strncmp(p->at, word, length) == 0 && !ptx_is_word(p->at[length]);
}

bool ptx_take_word(ptx_parser *p, const char *word) {
  if (!ptx_next_is_word(p, word))
    return false;
  p->at += strlen(word);
  return true;
}

char *ptx_take_name(ptx_parser *p) {
  ptx_skip_space(p);
  const char *begin = p->at;
  if (*p->at == '%')
    ++p->at;
  while (ptx_is_word(*p->at))
    ++p->at;
  if (p->at == begin)
    ptx_fail(p, "a name is expected at '%.30s'", p->at);
  return ptx_copy_text(p->module, begin, (size_t)(p->at - begin));
}

bool ptx_next_is_number(ptx_parser *p) {
  ptx_skip_space(p);
  return isdigit((unsigned char)*p->at) || *p->at == '-';
}

/// PTX ISA, "Floating-Point Constants": 0f and 0d give the bits.
static bool take_float_bits(ptx_parser *p, uint64_t *out_bits) {
  int kind = tolower((unsigned char)p->at[1]);
  if (p->at[0] != '0' || (kind != 'f' && kind != 'd'))
    return false;
  char digits[17] = "";
  size_t length = kind == 'f' ? 8 : 16;
  strncpy(digits, p->at + 2, length);
  char *end;
  *out_bits = strtoull(digits, &end, 16);
  if (end != digits + length)
    ptx_fail(p, "malformed constant at '%.20s'", p->at);
  p->at += 2 + length;
  return true;
}

uint64_t ptx_take_number(ptx_parser *p) {
  uint64_t value;
  bool is_negative = ptx_take(p, '-');
  ptx_skip_space(p);
  if (!is_negative && take_float_bits(p, &value))
    return value;
  char *end;
  errno = 0;
  value = strtoull(p->at, &end, 0);
  if (end == p->at || errno)
    ptx_fail(p, "a number is expected at '%.30s'", p->at);
  p->at = end + (*end == 'U');
  if (*p->at == '.')
    ptx_fail(p, "decimal floating-point constants are not supported");
  return is_negative ? (uint64_t)0 - value : value;
}

ptx_type ptx_take_type(ptx_parser *p) {
  ptx_skip_space(p);
  if (*p->at != '.')
    return PTX_NO_TYPE;
  size_t length = 0;
  while (ptx_is_word(p->at[1 + length]))
    ++length;
  ptx_type type = ptx_type_find(p->at + 1, length);
  if (type)
    p->at += 1 + length;
  return type;
}

static unsigned bucket_of(const char *name) {
  unsigned hash = 5381;
  while (*name)
    hash = hash * 33 + (unsigned char)*name++;
  return hash % PTX_NAME_BUCKETS;
}

void ptx_open_scope(ptx_parser *p) {
  ptx_scope *scope = ptx_allocate(p->module, sizeof *scope);
  scope->outer = p->scope;
  p->scope = scope;
}

void ptx_close_scope(ptx_parser *p) { p->scope = p->scope->outer; }

ptx_name *ptx_declare(ptx_parser *p, const char *name) {
  ptx_name **bucket = &p->scope->buckets[bucket_of(name)];
  for (ptx_name *other = *bucket; other; other = other->next)
    if (strcmp(other->name, name) == 0)
      ptx_fail(p, "'%s' is declared twice", name);
  ptx_name *entry = ptx_allocate(p->module, sizeof *entry);
  *entry = (ptx_name){.next = *bucket, .name = name, .reg = -1};
  return *bucket = entry;
}

ptx_name *ptx_find_name(ptx_parser *p, const char *name) {
  unsigned bucket = bucket_of(name);
  for (ptx_scope *scope = p->scope; scope; scope = scope->outer)
    for (ptx_name *entry = scope->buckets[bucket]; entry; entry = entry->next)
      if (strcmp(entry->name, name) == 0)
        return entry;
  return NULL;
}
