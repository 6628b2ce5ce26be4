//===- module.c - Modules, from their text -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "PTX Module Directives" and "Linking Directives".
//
//===----------------------------------------------------------------------===//

#include "text/lexer.h"

#include <stdlib.h>
#include <string.h>

ptx_function *ptx_module_find_function(const ptx_module *module,
                                       const char *name) {
  ptx_function *declaration = NULL;
  for (size_t i = 0; i < module->function_count; ++i) {
    ptx_function *f = module->functions[i];
    if (strcmp(f->name, name))
      continue;
    if (f->has_body)
      return f;
    declaration = f;
  }
  return declaration;
}

ptx_variable *ptx_module_find_variable(const ptx_module *module,
                                       const char *name) {
  for (size_t i = 0; i < module->variable_count; ++i)
    if (strcmp(module->variables[i]->name, name) == 0)
      return module->variables[i];
  return NULL;
}

/// .target sm_90a, …
static void take_target(ptx_parser *p) {
  char *name = ptx_take_name(p), *end = NULL;
  if (strncmp(name, "sm_", 3) == 0)
    p->module->target = (unsigned)strtoul(name + 3, &end, 10);
  if (!p->module->target || (*end && end[1]))
    ptx_fail(p, "unknown target '%s'", name);
  p->module->variant = *end;
  while (ptx_take(p, ','))
    (void)ptx_take_name(p);
}

/// .section .debug_info { … }
static void skip_section(ptx_parser *p) {
  ptx_skip_past(p, '{');
  for (int depth = 1; depth; ++p->at) {
    if (!*p->at)
      ptx_fail(p, "a section does not end");
    depth += (*p->at == '{') - (*p->at == '}');
    p->line += *p->at == '\n';
  }
}

static void take_module_variable(ptx_parser *p, bool is_extern) {
  static const struct {
    const char *word;
    ptx_space space;
  } words[] = {
      {".global", PTX_GLOBAL}, {".const", PTX_CONST}, {".shared", PTX_SHARED}};
  ptx_module *m = p->module;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (!ptx_take_word(p, words[i].word))
      continue;
    ptx_variable *v = ptx_take_variable(p, words[i].space, is_extern);
    ptx_expect(p, ';');
    ptx_declare(p, v->name)->variable = v;
    m->variables =
        ptx_grow(m, m->variables, m->variable_count, sizeof *m->variables);
    m->variables[m->variable_count++] = v;
    return;
  }
  ptx_fail(p, "unknown directive at '%.30s'", p->at);
}

/// One directive at the top of the module; false at its end.
static bool take_directive(ptx_parser *p) {
  ptx_module *m = p->module;
  ptx_skip_space(p);
  if (!*p->at)
    return false;
  if (ptx_take_word(p, ".version")) {
    m->version_major = (int)strtol(p->at, (char **)&p->at, 10);
    ptx_expect(p, '.');
    m->version_minor = (int)ptx_take_number(p);
    return true;
  }
  if (ptx_take_word(p, ".target")) {
    take_target(p);
    return true;
  }
  if (ptx_take_word(p, ".address_size")) {
    if (ptx_take_number(p) != 64)
      ptx_fail(p, "addresses have 64 bits");
    return true;
  }
  if (ptx_next_is_word(p, ".file") || ptx_next_is_word(p, ".loc")) {
    ptx_skip_past(p, '\n');
    return true;
  }
  if (ptx_take_word(p, ".section")) {
    skip_section(p);
    return true;
  }
  bool is_extern = false;
  while (ptx_take_word(p, ".visible") || ptx_take_word(p, ".weak") ||
         ptx_take_word(p, ".common") ||
         (ptx_next_is_word(p, ".extern") &&
          (is_extern = ptx_take_word(p, ".extern"))))
    ;
  if (ptx_take_word(p, ".entry")) {
    ptx_take_function(p, true);
  } else if (ptx_take_word(p, ".func")) {
    while (ptx_take_word(p, ".attribute"))
      ptx_skip_past(p, ')');
    (void)ptx_take_word(p, ".noreturn");
    ptx_take_function(p, false);
  } else {
    take_module_variable(p, is_extern);
  }
  return true;
}

/// Names that are neither registers nor variables nor labels are functions. The
/// last operand of an indirect call is its prototype, which nothing needs.
static void resolve_functions(ptx_parser *p) {
  for (size_t i = 0; i < p->module->code_count; ++i) {
    ptx_insn *insn = &p->module->code[i];
    if (insn->targets || strcmp(insn->parts[0], "bra") == 0)
      continue;
    bool is_call = strcmp(insn->parts[0], "call") == 0;
    size_t callee = insn->operands[0].kind == PTX_LIST;
    for (size_t j = 0; j < insn->operand_count; ++j) {
      ptx_operand *operand = &insn->operands[j];
      if (operand->kind != PTX_NAME || (is_call && j > callee))
        continue;
      operand->function = ptx_module_find_function(p->module, operand->name);
      p->line = insn->line;
      if (!operand->function)
        ptx_fail(p, "unknown name '%s'", operand->name);
      operand->kind = PTX_FUNCTION;
    }
  }
}

/// What functions and the module share lies before an entry's own.
static void place_shared(ptx_parser *p) {
  enum { OWN_ALIGN = 128 };
  uint64_t begin = ptx_align(p->module_shared, OWN_ALIGN);
  for (size_t i = 0; i < p->entry_shared_count; ++i)
    p->entry_shared[i]->offset += begin;
  for (size_t i = 0; i < p->module->function_count; ++i) {
    ptx_function *f = p->module->functions[i];
    if (f->is_entry)
      f->shared_bytes =
          f->shared_bytes ? begin + f->shared_bytes : p->module_shared;
  }
}

static void parse(ptx_parser *p) {
  ptx_open_scope(p);
  while (take_directive(p))
    ;
  if (!p->module->version_major || !p->module->target)
    ptx_fail(p, "the module has no .version or no .target");
  resolve_functions(p);
  place_shared(p);
}

ptx_module *ptx_module_parse(const char *text, bool is_lenient, char *message,
                             size_t size) {
  ptx_parser *const p = calloc(1, sizeof *p);
  if (!p || !(p->module = calloc(1, sizeof *p->module)))
    abort();
  p->at = text;
  p->is_lenient = is_lenient;
  p->line = 1;
  p->message = message;
  p->message_size = size;
  if (setjmp(p->failed)) {
    ptx_module_free(p->module);
    p->module = NULL;
  } else {
    parse(p);
  }
  ptx_module *module = p->module;
  free(p);
  return module;
}

void ptx_module_free(ptx_module *module) {
  ptx_free_memory(module);
  free(module);
}
