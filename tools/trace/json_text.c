//===- json_text.c - Values of JSON ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trace/json_text.h"

#include <string.h>

void agpu__trace_put(agpu__trace_output *to, const char *text) {
  agpu__trace_put_bytes(to, text, strlen(text));
}

/// Bytes of the character of UTF-8 that begins at `text`; 0 where there is
/// none.
static size_t character(const unsigned char *text) {
  if (text[0] < 0x80)
    return 1;
  size_t size = text[0] >= 0xf0   ? 4
                : text[0] >= 0xe0 ? 3
                : text[0] >= 0xc2 ? 2
                                  : 0;
  if (text[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < size; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  // No form that is longer than it needs to be, no surrogate, nothing beyond.
  if ((text[0] == 0xe0 && text[1] < 0xa0) ||
      (text[0] == 0xed && text[1] > 0x9f) ||
      (text[0] == 0xf0 && text[1] < 0x90) ||
      (text[0] == 0xf4 && text[1] > 0x8f))
    return 0;
  return size;
}

void agpu__trace_put_string(agpu__trace_output *to, const char *text) {
  agpu__trace_put_bytes(to, "\"", 1);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    static const char hex[] = "0123456789abcdef";
    size_t size = character(at);
    if (size == 0) {
      agpu__trace_put_bytes(to, "\\ufffd", 6);
      ++at;
      continue;
    }
    if (*at == '"' || *at == '\\') {
      agpu__trace_put_bytes(to, "\\", 1);
      agpu__trace_put_bytes(to, (const char *)at, 1);
    } else if (*at < 0x20) {
      char escape[] = {'\\', 'u', '0', '0', hex[*at >> 4], hex[*at & 15]};
      agpu__trace_put_bytes(to, escape, sizeof(escape));
    } else {
      agpu__trace_put_bytes(to, (const char *)at, size);
    }
    at += size;
  }
  agpu__trace_put_bytes(to, "\"", 1);
}

void agpu__trace_put_number(agpu__trace_output *to, uint64_t number) {
  char digits[24];
  size_t at = sizeof(digits);
  do
    digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  agpu__trace_put_bytes(to, &digits[at], sizeof(digits) - at);
}

void agpu__trace_put_signed(agpu__trace_output *to, int64_t number) {
  if (number < 0)
    agpu__trace_put_bytes(to, "-", 1);
  agpu__trace_put_number(to, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void agpu__trace_put_time(agpu__trace_output *to, int64_t ns) {
  uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
  if (ns < 0)
    agpu__trace_put_bytes(to, "-", 1);
  agpu__trace_put_number(to, size / 1000);
  unsigned rest = (unsigned)(size % 1000);
  char text[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                 (char)('0' + rest % 10)};
  if (rest)
    agpu__trace_put_bytes(to, text, sizeof(text));
}
