//===- instruction.c - Instructions, from their text ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Format and Semantics of Instruction Descriptions": a guard, the
// operation with its qualifiers, operands. What the qualifiers mean is up to
// the operation; those that mean the same everywhere are noted here.
//
//===----------------------------------------------------------------------===//

#include "text/lexer.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *part;
  uint32_t flag;
} flags[] = {{"ftz", PTX_FTZ},       {"sat", PTX_SAT},
             {"satfinite", PTX_SAT}, {"approx", PTX_APPROX},
             {"full", PTX_APPROX},   {"hi", PTX_HI},
             {"wide", PTX_WIDE},     {"cc", PTX_CARRY_OUT},
             {"NaN", PTX_NAN},       {"abs", PTX_ABS},
             {"relu", PTX_RELU},     {"l", PTX_LEFT},
             {"wrap", PTX_WRAP},     {"shiftamt", PTX_SHIFT_AMOUNT},
             {"to", PTX_TO},         {"trans", PTX_TRANSPOSED}};

static const struct {
  const char *part;
  ptx_rounding rounding;
  bool is_integer;
} roundings[] = {{"rn", PTX_NEAREST, false},
                 {"rz", PTX_TO_ZERO, false},
                 {"rm", PTX_DOWN, false},
                 {"rp", PTX_UP, false},
                 {"rna", PTX_NEAREST_AWAY, false},
                 {"rni", PTX_NEAREST, true},
                 {"rzi", PTX_TO_ZERO, true},
                 {"rmi", PTX_DOWN, true},
                 {"rpi", PTX_UP, true}};

static const struct {
  const char *part;
  ptx_space space;
} spaces[] = {{"global", PTX_GLOBAL},
              {"shared", PTX_SHARED},
              {"local", PTX_LOCAL},
              {"param", PTX_PARAM},
              {"const", PTX_CONST}};

bool ptx_insn_has(const ptx_insn *insn, const char *part) {
  for (size_t i = 1; i < insn->part_count; ++i)
    if (strcmp(insn->parts[i], part) == 0)
      return true;
  return false;
}

static void note_part(ptx_insn *insn, const char *part) {
  ptx_type type = ptx_type_find(part, strlen(part));
  if (type && !insn->type)
    insn->type = type;
  else if (type && !insn->type2)
    insn->type2 = type;
  else if (type && !insn->type3)
    insn->type3 = type;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (strcmp(flags[i].part, part) == 0)
      insn->flags |= flags[i].flag;
  for (size_t i = 0; i < sizeof roundings / sizeof *roundings; ++i)
    if (strcmp(roundings[i].part, part) == 0) {
      insn->rounding = roundings[i].rounding;
      insn->has_integer_rounding = roundings[i].is_integer;
    }
  // shared::cta, param::entry
  size_t length = strcspn(part, ":");
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i)
    if (!insn->space && strlen(spaces[i].part) == length &&
        strncmp(spaces[i].part, part, length) == 0)
      insn->space = spaces[i].space;
  if ((part[0] == 'v' || part[0] == 'x') && strchr("1248", part[1]) &&
      part[1] && !part[2])
    insn->vector = (uint8_t)(part[1] - '0');
}

static void take_mnemonic(ptx_parser *p, ptx_insn *insn) {
  ptx_skip_space(p);
  const char *begin = p->at;
  while (ptx_is_word(*p->at) || *p->at == '.' || *p->at == ':')
    ++p->at;
  if (p->at == begin)
    ptx_fail(p, "an instruction is expected at '%.30s'", p->at);
  size_t length = (size_t)(p->at - begin);
  insn->mnemonic = ptx_copy_text(p->module, begin, length);
  char *parts = ptx_copy_text(p->module, begin, length), *rest = NULL;
  for (char *part = strtok_r(parts, ".", &rest); part;
       part = strtok_r(NULL, ".", &rest)) {
    if (insn->part_count == PTX_MAX_PARTS)
      ptx_fail(p, "'%s' has too many qualifiers", insn->mnemonic);
    insn->parts[insn->part_count++] = part;
    if (insn->part_count > 1)
      note_part(insn, part);
  }
}

static void take_guard(ptx_parser *p, ptx_insn *insn) {
  insn->guard = -1;
  if (!ptx_take(p, '@'))
    return;
  insn->guard_is_negated = ptx_take(p, '!');
  char *name = ptx_take_name(p);
  ptx_name *known = ptx_find_name(p, name);
  if (!known || known->reg < 0)
    ptx_fail(p, "unknown predicate '%s'", name);
  insn->guard = known->reg;
}

/// The text on one line, for messages.
static char *copy_line(ptx_parser *p, const char *begin) {
  char *text = ptx_copy_text(p->module, begin, (size_t)(p->at - begin));
  char *out = text;
  for (char *in = text; *in; ++in) {
    bool is_space = *in == ' ' || *in == '\t' || *in == '\n';
    if (!is_space)
      *out++ = *in;
    else if (out > text && out[-1] != ' ')
      *out++ = ' ';
  }
  *out = 0;
  return text;
}

void ptx_take_instruction(ptx_parser *p) {
  ptx_skip_space(p);
  const char *begin = p->at;
  ptx_insn insn = {.line = p->line, .mask = -1};
  take_guard(p, &insn);
  take_mnemonic(p, &insn);
  if (!ptx_take(p, ';')) {
    do {
      if (insn.operand_count == PTX_MAX_OPERANDS)
        ptx_fail(p, "'%s' has too many operands", insn.mnemonic);
      insn.operands[insn.operand_count++] = ptx_take_operand(p);
    } while (ptx_take(p, ','));
    ptx_expect(p, ';');
  }
  insn.text = copy_line(p, begin);
  char reason[256] = "";
  if (!ptx_insn_select(&insn, reason, sizeof reason)) {
    p->line = insn.line;
    ptx_fail(p, "'%s' is not supported by the interpreter%s%s", insn.text,
             *reason ? ": " : "", reason);
  }
  ptx_module *module = p->module;
  module->code =
      ptx_grow(module, module->code, module->code_count, sizeof *module->code);
  module->code[module->code_count++] = insn;
}
