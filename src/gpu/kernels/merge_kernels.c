//===- merge_kernels.c - One module for all kernels -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-merge-kernels`.
//
// Outlining makes a gpu.module for every gpu.launch. A program with one module
// has one PTX text, which assembles as a whole, and loads one module.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// A symbol that moved: `@module::@from` is now `@target::@to`.
typedef struct moved_symbol {
  MlirAttribute module, from, to; ///< strings
  unsigned next; ///< the least N for which `from_N` may be free
} moved_symbol;

typedef struct moved_symbols {
  moved_symbol *data;
  size_t count, capacity;
  size_t last; ///< found: launches mostly stand in the order of their kernels
} moved_symbols;

static void push(moved_symbols *list, moved_symbol symbol) {
  AGPU__GROW(list->data, list->count, list->capacity);
  list->data[list->count++] = symbol;
}

static MlirAttribute name_of(MlirOperation op) {
  return agpu__attr(op, "sym_name");
}

/// Modules with attributes of their own (targets, a data layout) stay apart.
static bool can_merge(MlirOperation op) {
  return agpu__op_is(op, "gpu.module") &&
         mlirOperationGetNumAttributes(op) == 1;
}

/// The number after that which the latest symbol called `name` got.
static unsigned next_number(const moved_symbols *moved, MlirAttribute name) {
  for (size_t i = moved->count; i > 0; --i)
    if (mlirAttributeEqual(moved->data[i - 1].from, name))
      return moved->data[i - 1].next;
  return 0;
}

/// The first `name_N` from `*next` on that neither table has. Leaves the number
/// after it in `*next`.
static MlirAttribute free_name(MlirContext context, MlirAttribute name,
                               MlirSymbolTable a, MlirSymbolTable b,
                               unsigned *next) {
  MlirStringRef base = mlirStringAttrGetValue(name);
  for (;;) {
    unsigned n = (*next)++;
    AGPU__OWNED char *text = agpu__format("%.*s_%u", AGPU__STR(base), n);
    bool taken =
        !mlirOperationIsNull(mlirSymbolTableLookup(a, agpu__str(text))) ||
        !mlirOperationIsNull(mlirSymbolTableLookup(b, agpu__str(text)));
    MlirAttribute attribute = agpu__string_attr(context, text);
    if (!taken)
      return attribute;
  }
}

static bool are_alike(MlirOperation a, MlirOperation b) {
  static const char *const names[] = {"type", "initial_value", "constant"};
  bool result =
      agpu__op_is(a, "memref.global") && agpu__op_is(b, "memref.global");
  for (size_t i = 0; i < AGPU__COUNT(names) && result; ++i)
    result =
        mlirAttributeEqual(agpu__attr(a, names[i]), agpu__attr(b, names[i]));
  return result;
}

/// Whether both are copies of one global, which outlining has made. Workgroup
/// memory is each kernel's own.
static bool are_copies(MlirOperation module, MlirOperation a, MlirOperation b) {
  return are_alike(a, b) &&
         are_alike(
             a, agpu__lookup(module, agpu__get_string(a, "sym_name").data)) &&
         mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(
             mlirTypeAttrGetValue(agpu__attr(a, "type"))));
}

/// Moves what `source` holds into the module of `target`, renamed where names
/// collide; copies of one global are one.
static MlirLogicalResult merge(MlirSymbolTable target, MlirOperation source,
                               moved_symbols *moved) {
  MlirContext context = mlirOperationGetContext(source);
  MlirOperation module = mlirOperationGetParentOperation(source);
  MlirSymbolTable table = mlirSymbolTableCreate(source);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) ops = {0};
  MlirBlock body = agpu__module_body(source);
  AGPU__OPS_FOREACH (op, body)
    agpu__ops_push(&ops, op);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirAttribute from = name_of(ops.data[i]);
    if (mlirAttributeIsNull(from))
      continue;
    MlirAttribute to = from;
    unsigned next = next_number(moved, from);
    MlirStringRef name = mlirStringAttrGetValue(from);
    MlirOperation other = mlirSymbolTableLookup(target, name);
    if (are_copies(module, ops.data[i], other)) {
      push(moved, (moved_symbol){name_of(source), from, from, next});
      mlirSymbolTableErase(table, ops.data[i]);
      ops.data[i].ptr = NULL;
      continue;
    }
    if (!mlirOperationIsNull(other)) {
      to = free_name(context, from, target, table, &next);
      if (mlirLogicalResultIsFailure(mlirSymbolTableReplaceAllSymbolUses(
              name, mlirStringAttrGetValue(to), source))) {
        result = agpu__error(mlirOperationGetLocation(ops.data[i]),
                             "cannot rename '%.*s', whose name another kernel "
                             "module uses too: name it differently",
                             AGPU__STR(name));
        break;
      }
      agpu__set_attr(ops.data[i], "sym_name", to);
    }
    push(moved, (moved_symbol){name_of(source), from, to, next});
  }
  for (size_t i = 0; i < ops.count && mlirLogicalResultIsSuccess(result); ++i) {
    if (mlirOperationIsNull(ops.data[i]))
      continue;
    mlirOperationRemoveFromParent(ops.data[i]);
    mlirSymbolTableInsert(target, ops.data[i]);
  }
  mlirSymbolTableDestroy(table);
  return result;
}

/// Lets references to moved symbols say where they are now.
static void update_references(MlirOperation op, MlirAttribute target,
                              moved_symbols *moved) {
  MlirContext context = mlirOperationGetContext(op);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    if (!mlirAttributeIsASymbolRef(named.attribute) ||
        mlirSymbolRefAttrGetNumNestedReferences(named.attribute) != 1)
      continue;
    MlirStringRef root = mlirSymbolRefAttrGetRootReference(named.attribute);
    MlirStringRef leaf = mlirSymbolRefAttrGetLeafReference(named.attribute);
    for (size_t k = 0; k < moved->count; ++k) {
      size_t at = (moved->last + k) % moved->count;
      const moved_symbol *symbol = &moved->data[at];
      if (!mlirStringRefEqual(root, mlirStringAttrGetValue(symbol->module)) ||
          !mlirStringRefEqual(leaf, mlirStringAttrGetValue(symbol->from)))
        continue;
      moved->last = at;
      MlirAttribute nested =
          mlirFlatSymbolRefAttrGet(context, mlirStringAttrGetValue(symbol->to));
      mlirOperationSetAttributeByName(
          op, mlirIdentifierStr(named.name),
          mlirSymbolRefAttrGet(context, mlirStringAttrGetValue(target), 1,
                               &nested));
      break;
    }
  }
}

/// Outlining asks for a block's place in its cluster whether the kernel uses it
/// or not, and not every chip can say. Removes what is unused.
static void drop_unused_places(MlirOperation module) {
  static const char prefix[] = "gpu.cluster_";
  AGPU__OPS_IN_FOREACH (op, module, NULL) {
    MlirStringRef name = agpu__op_name(op);
    if (name.length >= sizeof(prefix) - 1 &&
        !memcmp(name.data, prefix, sizeof(prefix) - 1) &&
        agpu__op_is(mlirOperationGetParentOperation(op), "gpu.func") &&
        mlirOpOperandIsNull(mlirValueGetFirstUse(agpu__result(op, 0))))
      mlirOperationDestroy(op);
  }
}

static MlirLogicalResult run(MlirOperation module) {
  drop_unused_places(module);
  AGPU__SCOPED(ops) modules = {0}, ops = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (can_merge(op))
      agpu__ops_push(&modules, op);

  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (modules.count > 1) {
    moved_symbols moved = {0};
    MlirSymbolTable target = mlirSymbolTableCreate(modules.data[0]);
    for (size_t i = 1; i < modules.count && mlirLogicalResultIsSuccess(result);
         ++i)
      result = merge(target, modules.data[i], &moved);
    mlirSymbolTableDestroy(target);
    if (mlirLogicalResultIsSuccess(result)) {
      agpu__collect(module, NULL, &ops);
      for (size_t i = 0; i < ops.count; ++i)
        update_references(ops.data[i], name_of(modules.data[0]), &moved);
      for (size_t i = 1; i < modules.count; ++i)
        mlirOperationDestroy(modules.data[i]);
    }
    free(moved.data);
  }
  return result;
}

const agpu_pass agpu__pass_merge_kernels = {
    .argument = "async-gpu-merge-kernels",
    .summary = "Put all kernels into one gpu.module",
    .run = run,
};
