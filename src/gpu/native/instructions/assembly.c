//===- assembly.c - Inline assembly on a host -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX in a kernel's source, as far as it is straight code of instructions that
// are known (assembly_table.c), becomes ops that do the same, which the rest of
// the way treats as it does a kernel's own. A guard becomes a choice between
// the old value and the new one, or a branch around what has effects.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "lower/ir/template.h"

#include "mlir-c/Dialect/LLVM.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NAMES = 96, MOST_VALUES = 32 };

/// What a register holds so far.
typedef struct binding {
  char name[AGPU__ASM_NAME];
  bool is_set;
  MlirValue value; ///< null where nothing is built
} binding;

/// An op on its way. Without a builder it is only looked at.
typedef struct assembly {
  MlirOperation op;
  bool builds;
  agpu__builder at;
  binding bindings[MOST_NAMES];
  size_t count;
  bool is_guarded; ///< the next statement, by what GUARD is bound to
  char wrong[160]; ///< empty: nothing is
} assembly;

#define GUARD "@" // no name of a text's

#define FAIL(self, ...)                                                        \
  ((void)snprintf((self)->wrong, sizeof((self)->wrong), __VA_ARGS__))

static binding *find(assembly *self, const char *name) {
  for (size_t i = 0; i < self->count; ++i)
    if (!strcmp(self->bindings[i].name, name))
      return &self->bindings[i];
  return NULL;
}

static void bind(assembly *self, const char *name, bool is_set,
                 MlirValue value) {
  binding *known = find(self, name);
  if (!strcmp(name, "_"))
    return;
  if (!known && self->count == MOST_NAMES) {
    FAIL(self, "too many registers");
    return;
  }
  if (!known) {
    known = &self->bindings[self->count++];
    (void)snprintf(known->name, sizeof known->name, "%s", name);
  }
  known->is_set = is_set;
  known->value = value;
}

//===----------------------------------------------------------------------===//
// The op's own operands
//===----------------------------------------------------------------------===//

static bool is_nvvm(MlirOperation op) {
  return agpu__op_is(op, "nvvm.inline_ptx");
}

/// Registers that the op gives: as results, or in the structure of one.
static intptr_t output_count(MlirOperation op) {
  if (!mlirOperationGetNumResults(op) || is_nvvm(op))
    return mlirOperationGetNumResults(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  return mlirTypeIsALLVMStructType(type)
             ? mlirLLVMStructTypeGetNumElementTypes(type)
             : 1;
}

static void bind_number(assembly *self, const char *prefix, intptr_t number,
                        bool is_set, MlirValue value) {
  char name[AGPU__ASM_NAME];
  (void)snprintf(name, sizeof name, "%s%d", prefix, (int)number);
  bind(self, name, is_set, value);
}

/// Of nvvm.inline_ptx: $w0 is a result, $r0 an operand, $rw0 one that is
/// written too. GUARD has a value where there is a predicate, which stands in
/// front of the text, and so is the first statement's alone.
static void bind_segments(assembly *self) {
  MlirAttribute sizes = agpu__attr(self->op, "operandSegmentSizes");
  intptr_t results = mlirOperationGetNumResults(self->op), operand = 0;
  MlirValue none = {NULL};
  for (intptr_t i = 0; i < results; ++i) {
    bind_number(self, "$w", i, false, none);
    bind_number(self, "$", i, false, none);
  }
  for (intptr_t segment = 0; segment < 3; ++segment)
    for (intptr_t i = 0; i < mlirDenseI32ArrayGetElement(sizes, segment); ++i) {
      MlirValue value = mlirOperationGetOperand(self->op, operand);
      if (segment == 2) {
        bind(self, GUARD, true, value);
        self->is_guarded = true;
        continue;
      }
      bind_number(self, segment ? "$rw" : "$r", i, true, value);
      bind_number(self, "$", results + operand, true, value);
      ++operand;
    }
}

/// Binds $0, $1, ...: results come first, then operands; an operand whose
/// constraint is a number is what that result holds at first.
static void bind_operands(assembly *self) {
  MlirStringRef constraints = agpu__get_string(self->op, "constraints");
  intptr_t outputs = output_count(self->op), number = 0, operand = 0;
  const char *at = constraints.data, *end = at + constraints.length;
  while (at < end) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *next = comma ? comma : end;
    char name[AGPU__ASM_NAME];
    if (*at == '~') { // what the text destroys
      at = next + 1;
      continue;
    }
    (void)snprintf(name, sizeof name, "$%d", (int)number);
    MlirValue value = {NULL};
    bool given =
        number >= outputs && operand < mlirOperationGetNumOperands(self->op);
    if (given)
      value = mlirOperationGetOperand(self->op, operand++);
    bind(self, name, given, value);
    if (*at >= '0' && *at <= '9') {
      (void)snprintf(name, sizeof name, "$%.*s", (int)(next - at), at);
      bind(self, name, given, value);
    }
    ++number;
    at = next + 1;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static unsigned bits_of(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type);
  if (mlirTypeIsAVector(type))
    return bits_of(mlirShapedTypeGetElementType(type)) *
           (unsigned)mlirShapedTypeGetDimSize(type, 0);
  return 64; // addresses
}

/// `value` as another type for the same register. Narrower integers are cut off
/// wider ones, and zero-extended.
static MlirValue cast(agpu__builder *at, MlirValue value, MlirType type) {
  MlirType from = mlirValueGetType(value);
  if (mlirTypeEqual(from, type))
    return value;
  MlirContext context = at->context;
  if (mlirTypeIsALLVMPointerType(from) && mlirTypeIsALLVMPointerType(type))
    return agpu__build_unary(at, "llvm.addrspacecast", value, type);
  if (mlirTypeIsALLVMPointerType(from)) {
    value =
        agpu__build_unary(at, "llvm.ptrtoint", value, agpu__i64_type(context));
    return cast(at, value, type);
  }
  if (mlirTypeIsALLVMPointerType(type))
    return agpu__build_unary(at, "llvm.inttoptr",
                             cast(at, value, agpu__i64_type(context)), type);
  if (!mlirTypeIsAInteger(from))
    return cast(at,
                agpu__build_unary(at, "llvm.bitcast", value,
                                  mlirIntegerTypeGet(context, bits_of(from))),
                type);
  unsigned wanted = bits_of(type), has = bits_of(from);
  if (wanted != has)
    return cast(at,
                agpu__build_unary(at, wanted < has ? "llvm.trunc" : "llvm.zext",
                                  value, mlirIntegerTypeGet(context, wanted)),
                type);
  return agpu__build_unary(at, "llvm.bitcast", value, type);
}

/// An address that does not have the host's bits.
static bool is_short_address(MlirValue value) {
  if (mlirValueIsNull(value))
    return false;
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) < 64;
}

static MlirValue read_number(assembly *self, int64_t number, MlirType type) {
  if (!self->builds)
    return (MlirValue){NULL};
  return cast(&self->at, agpu__llvm_i64(&self->at, number), type);
}

/// What the register is, in a type.
static MlirValue read_name(assembly *self, const char *name, MlirType type) {
  if (isdigit((unsigned char)*name))
    return read_number(self, strtoll(name, NULL, 0), type);
  const char *special = agpu__asm_special(name);
  binding *known = find(self, name);
  if (!special && (!known || !known->is_set) && !*self->wrong)
    FAIL(self, "reading '%s', into which nothing has been put,", name);
  if (known && mlirTypeIsALLVMPointerType(type) &&
      is_short_address(known->value) && !*self->wrong)
    FAIL(self, "an address of 32 bits ('%s'; pass the pointer)", name);
  if (*self->wrong || !self->builds)
    return (MlirValue){NULL};
  MlirValue value = special
                        ? agpu__build_value(&self->at, special, NULL, 0,
                                            agpu__i32_type(self->at.context))
                        : known->value;
  return cast(&self->at, value, type);
}

/// Appends the values of an operand, whose types are the next in `types`.
static void read_operand(assembly *self, const agpu__asm_operand *operand,
                         const MlirType *types, size_t type_count,
                         MlirValue *out, size_t *count) {
  size_t wanted = operand->kind == AGPU__ASM_REGISTERS ? operand->count : 1;
  for (size_t i = 0; i < wanted; ++i) {
    if (*count == type_count) {
      FAIL(self, "has too many operands");
      return;
    }
    MlirType type = types[*count];
    MlirValue value;
    if (operand->kind == AGPU__ASM_IMMEDIATE) {
      value = read_number(self, operand->value, type);
    } else if (operand->kind == AGPU__ASM_REGISTERS) {
      value = read_name(self, operand->names[i], type);
      if (operand->value && bits_of(type) != 1 && !*self->wrong)
        FAIL(self, "the opposite of '%s', which is no predicate,",
             operand->names[i]);
      if (operand->value && self->builds && !*self->wrong)
        value = agpu__build_binary(&self->at, "llvm.xor", value,
                                   agpu__llvm_bool(&self->at, true));
    } else if (!operand->count) {
      value = read_number(self, operand->value, type);
    } else {
      value = read_name(self, operand->names[0], type);
      if (operand->value && self->builds && !*self->wrong)
        value = agpu__llvm_byte(&self->at, value, operand->value);
    }
    out[(*count)++] = value;
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The types that stand in `names`.
static size_t read_types(MlirContext context, const char *names,
                         MlirType *out) {
  size_t count = 0;
  while (*names) {
    size_t length = strcspn(names, ",");
    AGPU__OWNED char *name = agpu__format("%.*s", (int)length, names);
    out[count++] = agpu__parse_type(context, name);
    names += length + (names[length] == ',');
  }
  return count;
}

/// Builds what the instruction means.
static void build(assembly *self, const agpu__asm_meaning *meaning,
                  const MlirType *types, const MlirValue *sources, size_t count,
                  const MlirType *result_types, size_t result_count,
                  MlirValue *out_results) {
  if (meaning->is_product) {
    agpu__simt_build_product(&self->at, meaning->mode, sources, count,
                             result_types, result_count, out_results);
    return;
  }
  if (!*meaning->body)
    return;
  AGPU__SCOPED(text) text = {0};
  agpu__text_puts(&text, "func.func @statement(");
  for (size_t i = 0; i < count; ++i) {
    AGPU__OWNED char *type = agpu__type_text(types[i]);
    agpu__text_printf(&text, "%s%%%zu: %s", i ? ", " : "", i, type);
  }
  agpu__text_printf(&text, ") -> (%s) {\n%s\nreturn ", meaning->results,
                    meaning->body);
  for (size_t i = 0; i < result_count; ++i)
    agpu__text_printf(&text, "%s%%r%zu", i ? ", " : "", i);
  agpu__text_printf(&text, "%s%s\n}\n", result_count ? " : " : "",
                    meaning->results);
  const agpu__template template = {.file = "assembly",
                                   .function = "statement",
                                   .text = agpu__text_get(&text)};
  if (mlirLogicalResultIsFailure(
          agpu__template_build(&self->at, &template, sources, out_results)))
    abort();
}

/// Where the guard holds, and what follows goes on.
typedef struct guarded {
  MlirBlock rest;
  MlirValue holds;
} guarded;

static guarded enter(assembly *self, const agpu__asm_statement *statement,
                     bool branches) {
  guarded result = {{NULL}, {NULL}};
  MlirType bit = agpu__i1_type(mlirOperationGetContext(self->op));
  if (!*statement->guard)
    return result;
  MlirValue holds = read_name(self, statement->guard, bit);
  if (!self->builds || *self->wrong)
    return result;
  if (statement->guard_is_negated)
    holds = agpu__build_binary(&self->at, "llvm.xor", holds,
                               agpu__llvm_bool(&self->at, true));
  result.holds = holds;
  if (!branches)
    return result;
  // The op stays in front of what was after it.
  MlirBlock rest = agpu__split_after(self->op);
  MlirBlock inside = agpu__block_after(mlirOperationGetBlock(self->op));
  agpu__llvm_branch_if(&self->at, holds, inside, NULL, 0, rest);
  mlirOperationMoveBefore(self->op, mlirBlockGetFirstOperation(rest));
  self->at = agpu__builder_at_end(inside, mlirOperationGetLocation(self->op));
  result.rest = rest;
  return result;
}

static void leave(assembly *self, const guarded *guard) {
  if (mlirBlockIsNull(guard->rest))
    return;
  agpu__llvm_branch(&self->at, guard->rest, NULL, 0);
  self->at = agpu__builder_before(self->op);
}

static void do_statement(assembly *self, const agpu__asm_statement *statement) {
  agpu__asm_meaning meaning;
  if (!agpu__asm_find(statement->mnemonic, &meaning)) {
    FAIL(self, "the instruction '%s'", statement->mnemonic);
    return;
  }
  MlirContext context = mlirOperationGetContext(self->op);
  MlirType results[MOST_VALUES], types[MOST_VALUES];
  MlirValue sources[MOST_VALUES], values[MOST_VALUES] = {{NULL}};
  size_t result_count = read_types(context, meaning.results, results);
  size_t type_count = read_types(context, meaning.sources, types), count = 0;
  bool branches = *statement->guard && meaning.has_effects && !result_count;
  if (*statement->guard && meaning.has_effects && result_count) {
    FAIL(self, "a guard of '%s'", statement->mnemonic);
    return;
  }
  guarded guard = enter(self, statement, branches);
  size_t first = result_count ? 1 : 0;
  for (size_t i = first; i < statement->count; ++i)
    read_operand(self, &statement->operands[i], types, type_count, sources,
                 &count);
  const agpu__asm_operand *to = &statement->operands[0];
  if (!*self->wrong &&
      (count != type_count ||
       (result_count && (!statement->count || to->count < result_count))))
    FAIL(self, "'%s' with so many operands", statement->mnemonic);
  if (*self->wrong)
    return;
  if (self->builds)
    build(self, &meaning, types, sources, count, results, result_count, values);
  for (size_t i = 0; i < result_count; ++i) {
    const binding *old = find(self, to->names[i]);
    if (self->builds && !mlirValueIsNull(guard.holds)) {
      MlirValue before = old && old->is_set
                             ? cast(&self->at, old->value, results[i])
                             : agpu__llvm_undef(&self->at, results[i]);
      values[i] = agpu__llvm_select(&self->at, guard.holds, values[i], before);
    }
    bind(self, to->names[i], true, values[i]);
  }
  // What the instruction gives beside that is not known.
  for (size_t i = result_count; result_count && i < to->count; ++i)
    bind(self, to->names[i], false, (MlirValue){NULL});
  leave(self, &guard);
}

/// What the text has put into a result of the op; NULL where it names none.
static const binding *find_output(assembly *self, intptr_t number) {
  char name[AGPU__ASM_NAME], own[AGPU__ASM_NAME];
  (void)snprintf(name, sizeof name, "$%d", (int)number);
  (void)snprintf(own, sizeof own, "$w%d", (int)number);
  const binding *written = find(self, own);
  return written && written->is_set ? written : find(self, name);
}

static void read_text(assembly *self) {
  MlirStringRef text =
      agpu__get_string(self->op, is_nvvm(self->op) ? "ptxCode" : "asm_string");
  agpu__asm_reader reader = {text.data, text.data + text.length, false};
  agpu__asm_statement statement;
  if (is_nvvm(self->op))
    bind_segments(self);
  else
    bind_operands(self);
  while (!*self->wrong && agpu__asm_next(&reader, &statement)) {
    if (self->is_guarded && *statement.guard)
      FAIL(self, "a guard beside the op's own");
    else if (self->is_guarded)
      (void)snprintf(statement.guard, sizeof statement.guard, "%s", GUARD);
    self->is_guarded = false;
    if (!*self->wrong)
      do_statement(self, &statement);
  }
  if (reader.failed && !*self->wrong)
    FAIL(self, "what stands at '%.*s'",
         (int)(reader.end - reader.at > 20 ? 20 : reader.end - reader.at),
         reader.at);
  for (intptr_t i = 0; i < output_count(self->op) && !*self->wrong; ++i) {
    const binding *output = find_output(self, i);
    if (!output || !output->is_set)
      FAIL(self, "a result without a value ('$%d')", (int)i);
  }
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

bool agpu__simt_knows_assembly(MlirOperation op, char *out, size_t size) {
  if (!agpu__op_is(op, "llvm.inline_asm") && !is_nvvm(op))
    return false;
  AGPU__OWNED assembly *self = agpu__allocate(1, sizeof *self);
  self->op = op;
  read_text(self);
  bool known = !*self->wrong;
  if (out)
    (void)snprintf(out, size, "%s in inline assembly", self->wrong);
  return known;
}

static void expand(MlirOperation op) {
  AGPU__OWNED assembly *self = agpu__allocate(1, sizeof *self);
  self->op = op;
  self->builds = true;
  self->at = agpu__builder_before(op);
  read_text(self);
  intptr_t outputs = output_count(op);
  MlirValue all = {NULL};
  for (intptr_t i = 0; i < outputs; ++i) {
    MlirValue value = find_output(self, i)->value;
    MlirValue result = agpu__result(op, is_nvvm(op) ? i : 0);
    MlirType type = mlirValueGetType(result);
    if (is_nvvm(op) || !mlirTypeIsALLVMStructType(type)) {
      mlirValueReplaceAllUsesOfWith(result, cast(&self->at, value, type));
      continue;
    }
    if (i == 0)
      all = agpu__llvm_undef(&self->at, type);
    value = cast(&self->at, value, mlirLLVMStructTypeGetElementType(type, i));
    all = agpu__llvm_insert(&self->at, all, value, i);
    if (i + 1 == outputs)
      mlirValueReplaceAllUsesOfWith(result, all);
  }
  mlirOperationDestroy(op);
}

void agpu__simt_expand_assembly(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(gpu_module, "llvm.inline_asm");
  agpu__collect(gpu_module, "nvvm.inline_ptx", &ops);
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__simt_knows_assembly(ops.data[i], NULL, 0))
      expand(ops.data[i]);
}
