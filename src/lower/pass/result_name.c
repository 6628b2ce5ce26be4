//===- result_name.c - What the source calls a result -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads backwards from an op: white space, an equals sign, and names with
// commas between them. Whatever else stands there is no name, and changes
// nothing.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include <ctype.h>
#include <string.h>

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
