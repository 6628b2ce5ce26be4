//===- function.c - Functions and entries --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Kernel and Function Directives". Registers are numbered per
// function; labels are resolved when it ends, calls when the module does.
//
//===----------------------------------------------------------------------===//

#include "text/lexer.h"

#include <stdio.h>
#include <string.h>

static void add_register(ptx_parser *p, ptx_type type, const char *name) {
  ptx_function *f = p->function;
  ptx_declare(p, name)->reg = (int)f->register_count;
  f->register_bits =
      ptx_grow(p->module, f->register_bits, f->register_count, 1);
  f->register_bits[f->register_count++] = (uint8_t)ptx_type_bits(type);
}

/// .reg .type %a, %b<8>;
static void take_registers(ptx_parser *p) {
  ptx_type type = ptx_take_type(p);
  if (!type)
    ptx_fail(p, "registers of an unknown type at '%.20s'", p->at);
  do {
    char *name = ptx_take_name(p);
    if (!ptx_take(p, '<')) {
      add_register(p, type, name);
      continue;
    }
    uint64_t count = ptx_take_number(p);
    ptx_expect(p, '>');
    for (uint64_t i = 0; i < count; ++i) {
      char numbered[128];
      int length = snprintf(numbered, sizeof numbered, "%s%llu", name,
                            (unsigned long long)i);
      add_register(p, type, ptx_copy_text(p->module, numbered, (size_t)length));
    }
  } while (ptx_take(p, ','));
  ptx_expect(p, ';');
}

static bool take_space(ptx_parser *p, ptx_space *out_space) {
  static const struct {
    const char *word;
    ptx_space space;
  } words[] = {{".local", PTX_LOCAL},
               {".shared", PTX_SHARED},
               {".param", PTX_PARAM},
               {".global", PTX_GLOBAL},
               {".const", PTX_CONST}};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (ptx_take_word(p, words[i].word)) {
      *out_space = words[i].space;
      return true;
    }
  return false;
}

static void take_local_variable(ptx_parser *p, ptx_space space) {
  ptx_variable *v = ptx_take_variable(p, space, false);
  ptx_expect(p, ';');
  ptx_declare(p, v->name)->variable = v;
  ptx_module *m = p->module;
  if (space == PTX_SHARED && p->function->is_entry) {
    p->entry_shared = ptx_grow(m, p->entry_shared, p->entry_shared_count,
                               sizeof *p->entry_shared);
    p->entry_shared[p->entry_shared_count++] = v;
  }
  if (space == PTX_GLOBAL || space == PTX_CONST) {
    m->variables =
        ptx_grow(m, m->variables, m->variable_count, sizeof *m->variables);
    m->variables[m->variable_count++] = v;
  }
}

static void take_branch_targets(ptx_parser *p, const char *name) {
  ptx_branch_table table = {.name = name};
  do {
    table.targets =
        ptx_grow(p->module, table.targets, table.count, sizeof *table.targets);
    table.targets[table.count++] = ptx_take_name(p);
  } while (ptx_take(p, ','));
  ptx_expect(p, ';');
  p->tables = ptx_grow(p->module, p->tables, p->table_count, sizeof *p->tables);
  p->tables[p->table_count++] = table;
}

/// name: before an instruction, or before a table.
static bool take_label(ptx_parser *p) {
  ptx_skip_space(p);
  size_t length = 0;
  while (ptx_is_word(p->at[length]))
    ++length;
  size_t colon = length;
  while (p->at[colon] == ' ' || p->at[colon] == '\t')
    ++colon;
  if (!length || p->at[colon] != ':' || p->at[colon + 1] == ':')
    return false;
  char *name = ptx_copy_text(p->module, p->at, length);
  p->at += colon + 1;
  if (ptx_take_word(p, ".branchtargets")) {
    take_branch_targets(p, name);
  } else if (ptx_take_word(p, ".callprototype") ||
             ptx_take_word(p, ".calltargets")) {
    ptx_skip_past(p, ';');
  } else {
    p->labels =
        ptx_grow(p->module, p->labels, p->label_count, sizeof *p->labels);
    p->labels[p->label_count++] =
        (ptx_label){.name = name, .at = (uint32_t)p->module->code_count};
  }
  return true;
}

/// A label is known between the braces that it stands in.
static void close_labels(ptx_parser *p, size_t first_label, uint32_t first) {
  for (size_t i = first_label; i < p->label_count; ++i)
    if (!p->labels[i].end) {
      p->labels[i].first = first;
      p->labels[i].end = (uint32_t)p->module->code_count;
    }
}

/// Up to the brace that closes it.
static void take_body(ptx_parser *p) {
  size_t first_label = p->label_count;
  uint32_t first = (uint32_t)p->module->code_count;
  for (;;) {
    ptx_space space;
    if (ptx_take(p, '{')) {
      ptx_open_scope(p);
      take_body(p);
      ptx_close_scope(p);
    } else if (ptx_take(p, '}')) {
      close_labels(p, first_label, first);
      return;
    } else if (ptx_take_word(p, ".reg")) {
      take_registers(p);
    } else if (take_space(p, &space)) {
      take_local_variable(p, space);
    } else if (ptx_next_is_word(p, ".loc") || ptx_next_is_word(p, ".file")) {
      ptx_skip_past(p, '\n');
    } else if (ptx_next_is_word(p, ".pragma")) {
      ptx_skip_past(p, ';');
    } else if (!ptx_take(p, ';') && !take_label(p)) {
      if (!*p->at)
        ptx_fail(p, "the text ends in function '%s'", p->function->name);
      ptx_take_instruction(p);
    }
  }
}

/// The label of that name as the instruction with number `from` sees it.
static uint32_t find_label(ptx_parser *p, const char *name, size_t from) {
  const ptx_label *best = NULL;
  for (size_t i = 0; i < p->label_count; ++i) {
    const ptx_label *label = &p->labels[i];
    if (strcmp(label->name, name) == 0 && from >= label->first &&
        from < label->end &&
        (!best || label->end - label->first < best->end - best->first))
      best = label;
  }
  if (!best)
    ptx_fail(p, "unknown label '%s'", name);
  return best->at;
}

static void resolve_table(ptx_parser *p, ptx_insn *insn, size_t from,
                          const char *name) {
  for (size_t i = 0; i < p->table_count; ++i) {
    const ptx_branch_table *table = &p->tables[i];
    if (strcmp(table->name, name))
      continue;
    insn->target_count = table->count;
    insn->targets =
        ptx_allocate(p->module, table->count * sizeof *insn->targets);
    for (size_t j = 0; j < table->count; ++j)
      insn->targets[j] = find_label(p, table->targets[j], from);
    return;
  }
  ptx_fail(p, "unknown branch targets '%s'", name);
}

static void resolve_branches(ptx_parser *p) {
  for (size_t i = p->function->first; i < p->module->code_count; ++i) {
    ptx_insn *insn = &p->module->code[i];
    p->line = insn->line;
    if (strcmp(insn->parts[0], "bra") == 0)
      insn->target = find_label(p, insn->operands[0].name, i);
    else if (strcmp(insn->parts[0], "brx") == 0)
      resolve_table(p, insn, i, insn->operands[1].name);
  }
}

/// (.param .b64 a, …): appended to an array.
static void take_parameters(ptx_parser *p, ptx_variable ***array,
                            size_t *count) {
  if (!ptx_take(p, '('))
    return;
  while (!ptx_take(p, ')')) {
    if (!ptx_take_word(p, ".param"))
      ptx_fail(p, "a parameter that is no .param");
    ptx_variable *v = ptx_take_variable(p, PTX_PARAM, false);
    ptx_declare(p, v->name)->variable = v;
    *array = ptx_grow(p->module, *array, *count, sizeof **array);
    (*array)[(*count)++] = v;
    (void)ptx_take(p, ',');
  }
}

static void take_three(ptx_parser *p, uint32_t *sizes) {
  sizes[0] = (uint32_t)ptx_take_number(p);
  for (int i = 1; i < 3; ++i)
    sizes[i] = ptx_take(p, ',') ? (uint32_t)ptx_take_number(p) : 1;
}

/// PTX ISA, "Performance-Tuning Directives".
static void take_tuning(ptx_parser *p) {
  ptx_function *f = p->function;
  for (;;) {
    if (ptx_take_word(p, ".maxntid"))
      take_three(p, f->max_threads);
    else if (ptx_take_word(p, ".reqntid"))
      take_three(p, f->required_threads);
    else if (ptx_take_word(p, ".reqnctapercluster"))
      take_three(p, f->required_cluster);
    else if (ptx_take_word(p, ".minnctapersm") ||
             ptx_take_word(p, ".maxclusterrank") ||
             ptx_take_word(p, ".maxnreg"))
      (void)ptx_take_number(p);
    else if (ptx_next_is_word(p, ".pragma"))
      ptx_skip_past(p, ';');
    else if (!ptx_take_word(p, ".noreturn") &&
             !ptx_take_word(p, ".explicitcluster") &&
             !ptx_take_word(p, ".blocksareclusters"))
      return;
  }
}

/// A body may end without a return.
static void add_return(ptx_parser *p) {
  const char *at = p->at;
  p->at = "ret;";
  ptx_take_instruction(p);
  p->at = at;
}

void ptx_take_function(ptx_parser *p, bool is_entry) {
  ptx_module *m = p->module;
  ptx_function *f = ptx_allocate(m, sizeof *f);
  *f = (ptx_function){.is_entry = is_entry,
                      .module = m,
                      .first = (uint32_t)m->code_count,
                      .number = m->function_count};
  p->function = f;
  p->label_count = p->table_count = 0;
  p->labels = NULL;
  p->tables = NULL;
  p->entry_shared_bytes = 0;
  ptx_open_scope(p);
  if (!is_entry)
    take_parameters(p, &f->results, &f->result_count);
  f->name = ptx_take_name(p);
  take_parameters(p, &f->parameters, &f->parameter_count);
  f->launch_bytes = f->param_bytes;
  take_tuning(p);
  m->functions =
      ptx_grow(m, m->functions, m->function_count, sizeof *m->functions);
  m->functions[m->function_count++] = f;
  if (!ptx_take(p, ';')) {
    ptx_expect(p, '{');
    f->has_body = true;
    take_body(p);
    add_return(p);
    resolve_branches(p);
  }
  f->shared_bytes = p->entry_shared_bytes;
  ptx_close_scope(p);
  p->function = NULL;
}
