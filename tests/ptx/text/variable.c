//===- variable.c - Declarations of variables ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Variables": [.align n] [.v2|.v4] .type [.ptr …] name[n]… [= {…}].
//
//===----------------------------------------------------------------------===//

#include "text/lexer.h"

#include <string.h>

/// What stands between the space and the name.
static void take_attributes(ptx_parser *p, ptx_variable *v, unsigned *width) {
  for (;;) {
    ptx_type type;
    if (ptx_take_word(p, ".align")) {
      v->align = (uint32_t)ptx_take_number(p);
      if (!v->align || (v->align & (v->align - 1)))
        ptx_fail(p, "an alignment of %u", v->align);
    } else if (ptx_take_word(p, ".v2")) {
      *width = 2;
    } else if (ptx_take_word(p, ".v4")) {
      *width = 4;
    } else if (ptx_take_word(p, ".ptr")) {
      // What a pointer points to, for the optimiser: .ptr .space .align n.
      (void)(ptx_take_word(p, ".global") || ptx_take_word(p, ".shared") ||
             ptx_take_word(p, ".local") || ptx_take_word(p, ".const"));
      if (ptx_take_word(p, ".align"))
        (void)ptx_take_number(p);
    } else if (ptx_take_word(p, ".attribute")) {
      ptx_skip_past(p, ')');
    } else if ((type = ptx_take_type(p))) {
      v->type = type;
    } else {
      return;
    }
  }
}

static void add_relocation(ptx_parser *p, ptx_variable *v, uint64_t at) {
  char *name = ptx_take_name(p);
  if (strcmp(name, "generic") == 0) {
    ptx_expect(p, '(');
    name = ptx_take_name(p);
    ptx_expect(p, ')');
  }
  int64_t addend = ptx_take(p, '+') ? (int64_t)ptx_take_number(p) : 0;
  v->relocations = ptx_grow(p->module, v->relocations, v->relocation_count,
                            sizeof *v->relocations);
  v->relocations[v->relocation_count++] =
      (ptx_relocation){.at = at, .name = name, .addend = addend};
}

/// The elements in their order, however the braces nest.
static void take_initial(ptx_parser *p, ptx_variable *v, unsigned element) {
  v->initial = ptx_allocate(p->module, v->bytes);
  uint64_t at = 0;
  int depth = 0;
  do {
    while (ptx_take(p, '{'))
      ++depth;
    if (depth && ptx_next_is(p, '}'))
      continue; // {}
    if (at + element > v->bytes)
      ptx_fail(p, "'%s' has more initial values than elements", v->name);
    if (ptx_next_is_number(p)) {
      uint64_t value = ptx_take_number(p);
      memcpy(v->initial + at, &value, element);
    } else {
      if (element != 8)
        ptx_fail(p, "an address in '%s' has %u bytes", v->name, element);
      add_relocation(p, v, at);
    }
    at += element;
    while (depth && ptx_take(p, '}'))
      --depth;
  } while (depth && ptx_take(p, ','));
  while (depth--)
    ptx_expect(p, '}');
}

/// At its alignment and, where there is room, at no greater one by chance: what
/// relies on more than it declares is found. Parameters lie as the ABI says.
static uint64_t place_at(const ptx_parser *p, uint64_t end,
                         const ptx_variable *v) {
  enum { ROOM = 32 << 10, PATTERN = 1024 };
  if (p->is_lenient && v->space == PTX_SHARED)
    return ptx_align(end, PATTERN);
  uint64_t at = ptx_align(end, v->align);
  bool is_by_chance = at / v->align % 2 == 0 && v->space != PTX_PARAM;
  return is_by_chance && at + v->bytes < ROOM ? at + v->align : at;
}

static void place(ptx_parser *p, ptx_variable *v) {
  uint64_t *end;
  if (v->space == PTX_SHARED && v->is_extern)
    return;
  if (v->space == PTX_SHARED)
    end = p->function && p->function->is_entry ? &p->entry_shared_bytes
                                               : &p->module_shared;
  else if (v->space == PTX_LOCAL && p->function)
    end = &p->function->local_bytes;
  else if (v->space == PTX_PARAM)
    end = &p->function->param_bytes;
  else
    return; // the driver gives it an address
  v->offset = place_at(p, *end, v);
  *end = v->offset + v->bytes;
}

ptx_variable *ptx_take_variable(ptx_parser *p, ptx_space space,
                                bool is_extern) {
  ptx_variable *v = ptx_allocate(p->module, sizeof *v);
  v->space = space;
  v->is_extern = is_extern;
  unsigned width = 1;
  take_attributes(p, v, &width);
  if (!v->type || ptx_type_bits(v->type) < 8)
    ptx_fail(p, "a variable without a type");
  unsigned element = ptx_type_bits(v->type) / 8;
  if (!v->align)
    v->align = element * width;
  v->name = ptx_take_name(p);
  v->bytes = (uint64_t)element * width;
  while (ptx_take(p, '[')) {
    v->bytes *= ptx_next_is(p, ']') ? 0 : ptx_take_number(p);
    ptx_expect(p, ']');
  }
  if (ptx_take(p, '='))
    take_initial(p, v, element);
  // LLVM 22 makes one byte of an empty array that is dynamic shared memory.
  else if (p->is_lenient && space == PTX_SHARED && v->bytes == 1 &&
           v->align > 1)
    v->is_extern = true;
  place(p, v);
  return v;
}
