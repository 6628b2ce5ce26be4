//===- label.c - What a region is called ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same words for the ranges that a tool for NVTX gets while the program
// runs, and for readers of its dump: file, line and name, else a symbol, else
// the address of the code.
//
//===----------------------------------------------------------------------===//

#include "base/trace/names.h"

#include <stdint.h>
#include <string.h>

static void add(char *label, const char *text) {
  size_t used = strlen(label), size = strlen(text);
  if (size > AGPU__LABEL - 1 - used)
    size = AGPU__LABEL - 1 - used;
  memcpy(label + used, text, size);
  label[used + size] = '\0';
}

static void add_digits(char *label, uint64_t number, unsigned base) {
  char digits[24];
  size_t at = sizeof(digits);
  digits[--at] = '\0';
  do
    digits[--at] = "0123456789abcdef"[number % base];
  while (number /= base);
  add(label, &digits[at]);
}

const char *agpu__trace_label(char *label, const agpu_trace_name *name,
                              const char *symbol, const void *code) {
  label[0] = '\0';
  if (name) {
    const char *slash = name->file ? strrchr(name->file, '/') : NULL;
    if (name->file) {
      add(label, slash ? slash + 1 : name->file);
      add(label, ":");
      add_digits(label, name->line, 10);
      add(label, " ");
    }
    add(label, name->name);
    return label;
  }
  if (symbol) {
    add(label, symbol);
    return label;
  }
  add(label, "task");
  if (code) {
    add(label, " 0x");
    add_digits(label, (uintptr_t)code, 16);
  }
  return label;
}
