//===- types.c - The types and state spaces of PTX -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/types.h"

#include <string.h>

enum { BITS, SIGNED, FLOAT };

static const struct {
  const char *name;
  unsigned bits;
  int kind;
} types[] = {{"", 0, BITS},
#define ENTRY(name, bits, kind) {#name, bits, kind},
             PTX_TYPES(ENTRY)
#undef ENTRY
};

ptx_type ptx_type_find(const char *name, size_t length) {
  for (size_t i = 1; i < sizeof types / sizeof *types; ++i)
    if (strlen(types[i].name) == length &&
        memcmp(types[i].name, name, length) == 0)
      return (ptx_type)i;
  return PTX_NO_TYPE;
}

unsigned ptx_type_bits(ptx_type type) { return types[type].bits; }
bool ptx_type_is_signed(ptx_type type) { return types[type].kind == SIGNED; }
bool ptx_type_is_float(ptx_type type) { return types[type].kind == FLOAT; }
