//===- assembly_text.c - The text of inline assembly ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads PTX as far as straight code goes: statements one after the other,
// without labels. What they mean is not looked at.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include <ctype.h>
#include <stdlib.h>

static void skip_space(agpu__asm_reader *self) {
  while (self->at < self->end) {
    size_t left = (size_t)(self->end - self->at);
    if (isspace((unsigned char)*self->at)) {
      ++self->at;
    } else if (left > 1 && !memcmp(self->at, "//", 2)) {
      while (self->at < self->end && *self->at != '\n')
        ++self->at;
    } else if (left > 1 && !memcmp(self->at, "/*", 2)) {
      self->at += 2;
      while (self->at + 1 < self->end && memcmp(self->at, "*/", 2))
        ++self->at;
      self->at += self->at + 1 < self->end ? 2 : 1;
    } else {
      return;
    }
  }
}

static bool take(agpu__asm_reader *self, char character) {
  skip_space(self);
  if (self->at == self->end || *self->at != character)
    return false;
  ++self->at;
  return true;
}

static void expect(agpu__asm_reader *self, char character) {
  if (!self->failed && !take(self, character))
    self->failed = true;
}

static bool is_word(char c, const char *others) {
  return isalnum((unsigned char)c) || (c && strchr(others, c));
}

/// Reads a word of letters, digits and `others` into `out`; empty where there
/// is none.
static void take_word(agpu__asm_reader *self, const char *others, char *out,
                      size_t size) {
  size_t count = 0;
  skip_space(self);
  while (self->at < self->end && is_word(*self->at, others)) {
    if (count + 1 == size) {
      self->failed = true;
      break;
    }
    out[count++] = *self->at++;
  }
  out[count] = 0;
}

/// Whether one of nvvm.inline_ptx's own stands here, and no list.
static bool at_own(const agpu__asm_reader *self) {
  const char *at = self->at;
  if (self->end - at < 2 || memcmp(at, "{$", 2))
    return false;
  for (at += 2; at < self->end && isalnum((unsigned char)*at); ++at) {
  }
  return at < self->end && *at == '}';
}

static void take_name(agpu__asm_reader *self, char *out) {
  skip_space(self);
  // nvvm.inline_ptx has its own in braces: {$r0}.
  if (at_own(self)) {
    ++self->at;
    take_word(self, "$", out, AGPU__ASM_NAME);
    expect(self, '}');
    return;
  }
  // ${3:x} has a modifier that PTX does not need.
  if (self->end - self->at > 1 && !memcmp(self->at, "${", 2)) {
    self->at += 2;
    out[0] = '$';
    take_word(self, "", out + 1, AGPU__ASM_NAME - 1);
    while (self->at < self->end && *self->at != '}')
      ++self->at;
    expect(self, '}');
    return;
  }
  take_word(self, "$%_.", out, AGPU__ASM_NAME);
  self->failed |= !*out;
}

static bool at_number(const agpu__asm_reader *self) {
  return self->at < self->end &&
         (isdigit((unsigned char)*self->at) || *self->at == '-');
}

/// Integers, and bits of floats: 0f3F800000, 0d3FF0000000000000.
static int64_t take_number(agpu__asm_reader *self) {
  char digits[AGPU__ASM_NAME];
  bool negative = take(self, '-');
  take_word(self, "", digits, sizeof digits);
  char *end = digits;
  bool is_float = digits[0] == '0' && digits[1] && strchr("fFdD", digits[1]);
  size_t length = strlen(digits);
  if (length && strchr("uU", digits[length - 1]))
    digits[length - 1] = 0;
  uint64_t value =
      is_float ? strtoull(digits + 2, &end, 16) : strtoull(digits, &end, 0);
  self->failed |= !*digits || *end;
  return (int64_t)(negative ? 0 - value : value);
}

static void take_operand(agpu__asm_reader *self, agpu__asm_operand *out) {
  skip_space(self);
  *out = (agpu__asm_operand){.kind = AGPU__ASM_REGISTERS};
  if (!at_own(self) && take(self, '{')) {
    do {
      if (out->count == AGPU__ASM_LIST)
        self->failed = true;
      else
        take_name(self, out->names[out->count++]);
    } while (!self->failed && take(self, ','));
    expect(self, '}');
  } else if (take(self, '[')) {
    out->kind = AGPU__ASM_ADDRESS;
    skip_space(self);
    if (!at_number(self)) {
      take_name(self, out->names[0]);
      out->count = 1;
    }
    if (!out->count || take(self, '+'))
      out->value = take_number(self);
    expect(self, ']');
  } else if (at_number(self)) {
    out->kind = AGPU__ASM_IMMEDIATE;
    out->value = take_number(self);
  } else {
    // A predicate may be taken for its opposite; two results stand as a|b.
    bool negated = take(self, '!');
    take_name(self, out->names[out->count++]);
    if (!self->failed && take(self, '|'))
      take_name(self, out->names[out->count++]);
    out->value = negated;
  }
}

/// Passes over `.reg .b32 a, b;`.
static bool skip_declaration(agpu__asm_reader *self) {
  static const char word[] = ".reg";
  size_t left = (size_t)(self->end - self->at);
  if (left < sizeof word || memcmp(self->at, word, sizeof word - 1))
    return false;
  while (self->at < self->end && *self->at != ';')
    ++self->at;
  expect(self, ';');
  return true;
}

bool agpu__asm_next(agpu__asm_reader *self, agpu__asm_statement *out) {
  *out = (agpu__asm_statement){0};
  do
    skip_space(self);
  while (!self->failed && (take(self, '{') || take(self, '}') ||
                           take(self, ';') || skip_declaration(self)));
  if (self->failed || self->at == self->end)
    return false;
  if (take(self, '@')) {
    out->guard_is_negated = take(self, '!');
    take_name(self, out->guard);
  }
  take_word(self, "_.:", out->mnemonic, sizeof out->mnemonic);
  self->failed |= !*out->mnemonic;
  skip_space(self);
  while (!self->failed && self->at < self->end && *self->at != ';') {
    if (out->count == AGPU__ASM_OPERANDS)
      self->failed = true;
    else
      take_operand(self, &out->operands[out->count++]);
    if (!take(self, ','))
      break;
  }
  if (self->at < self->end)
    expect(self, ';');
  return !self->failed;
}
