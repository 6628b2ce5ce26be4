//===- operand.c - Operands of instructions ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Instruction Operands".
//
//===----------------------------------------------------------------------===//

#include "text/lexer.h"

#include <stdio.h>
#include <string.h>

static ptx_operand make(ptx_operand_kind kind) {
  return (ptx_operand){.kind = kind, .reg = -1, .second = -1};
}

static ptx_variable *find_variable(ptx_parser *p, const char *name) {
  ptx_name *known = ptx_find_name(p, name);
  return known ? known->variable : NULL;
}

/// [base + offset], [variable + offset] or [number]; of a tensor, its
/// coordinates as well.
static ptx_operand take_address(ptx_parser *p) {
  ptx_operand address = make(PTX_ADDRESS);
  if (ptx_next_is_number(p)) {
    address.value = ptx_take_number(p);
  } else {
    char *name = ptx_take_name(p);
    ptx_name *known = ptx_find_name(p, name);
    if (!known)
      ptx_fail(p, "unknown name '%s' in an address", name);
    address.reg = known->reg;
    address.variable = known->variable;
    while (ptx_next_is(p, '+') || ptx_next_is(p, '-')) {
      (void)ptx_take(p, '+');
      address.value += ptx_take_number(p);
    }
  }
  // A tensor: [map, {coordinates}].
  if (ptx_take(p, ',')) {
    ptx_operand coordinates = ptx_take_operand(p);
    if (coordinates.kind != PTX_VECTOR)
      ptx_fail(p, "no coordinates stand behind a tensor map");
    address.elements = coordinates.elements;
    address.count = coordinates.count;
  }
  ptx_expect(p, ']');
  return address;
}

static ptx_operand take_several(ptx_parser *p, ptx_operand_kind kind,
                                char close) {
  ptx_operand all = make(kind);
  if (ptx_take(p, close))
    return all;
  do {
    all.elements =
        ptx_grow(p->module, all.elements, all.count, sizeof *all.elements);
    all.elements[all.count++] = ptx_take_operand(p);
  } while (ptx_take(p, ','));
  ptx_expect(p, close);
  return all;
}

static ptx_operand take_special(ptx_parser *p, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "%s", name);
  if (*p->at == '.' && p->at[1] && strchr("xyzw", p->at[1]) &&
      !ptx_is_word(p->at[2])) {
    snprintf(full, sizeof full, "%s.%c", name, p->at[1]);
    p->at += 2;
  }
  ptx_operand special = make(PTX_SPECIAL);
  special.reg = ptx_special_find(full);
  if (special.reg < 0)
    ptx_fail(p, "unknown register '%s'", full);
  return special;
}

static ptx_operand take_one(ptx_parser *p) {
  if (ptx_take(p, '!')) {
    ptx_operand negated = take_one(p);
    negated.is_negated = !negated.is_negated;
    return negated;
  }
  if (ptx_next_is_number(p)) {
    ptx_operand number = make(PTX_IMMEDIATE);
    number.value = ptx_take_number(p);
    return number;
  }
  if (*p->at == '_' && !ptx_is_word(p->at[1])) {
    ++p->at;
    return make(PTX_SINK);
  }
  char *name = ptx_take_name(p);
  ptx_name *known = ptx_find_name(p, name);
  if (known && known->reg >= 0) {
    ptx_operand reg = make(PTX_REGISTER);
    reg.reg = known->reg;
    reg.bits = p->function->register_bits[known->reg];
    return reg;
  }
  if (find_variable(p, name)) {
    ptx_operand variable = make(PTX_VARIABLE);
    variable.variable = find_variable(p, name);
    while (ptx_take(p, '+'))
      variable.value += ptx_take_number(p);
    return variable;
  }
  if (*name == '%')
    return take_special(p, name);
  if (strcmp(name, "WARP_SZ") == 0) {
    ptx_operand size = make(PTX_IMMEDIATE);
    size.value = 32;
    return size;
  }
  ptx_operand other = make(PTX_NAME);
  other.name = name;
  return other;
}

ptx_operand ptx_take_operand(ptx_parser *p) {
  if (ptx_take(p, '['))
    return take_address(p);
  if (ptx_take(p, '{'))
    return take_several(p, PTX_VECTOR, '}');
  if (ptx_take(p, '('))
    return take_several(p, PTX_LIST, ')');
  ptx_operand operand = take_one(p);
  if (ptx_take(p, '|')) {
    ptx_operand second = take_one(p);
    if (second.kind == PTX_REGISTER)
      operand.second = second.reg;
    else if (second.kind != PTX_SINK)
      ptx_fail(p, "no register stands behind '|'");
  }
  return operand;
}
