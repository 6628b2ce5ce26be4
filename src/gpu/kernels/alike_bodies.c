//===- alike_bodies.c - Kernels that are alike but for constants ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are compared as text in which constants have numbers. Constants whose
// elements are all one number stay, as passes compute with them; so do kernels
// that assert, which say where they stand.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

#include <stdlib.h>

/// Kernels, and the constants that each names, in order.
typedef struct kernels {
  MlirOperation *ops;
  struct names {
    MlirAttribute *data;
    size_t count, capacity;
  } *constants;
  agpu__alike *texts;
  size_t count;
} kernels;

/// The attribute by which an op names a global; NULL: it names none.
static const char *name_attribute(MlirOperation op) {
  return agpu__op_is(op, "memref.get_global")     ? "name"
         : agpu__op_is(op, "llvm.mlir.addressof") ? "global_name"
                                                  : NULL;
}

/// The constant of this name whose value nothing but loads can see; null: it is
/// none.
static MlirOperation find_constant(MlirSymbolTable symbols,
                                   MlirAttribute name) {
  MlirOperation none = {NULL},
                op = mlirSymbolTableLookup(symbols,
                                           mlirFlatSymbolRefAttrGetValue(name));
  if (mlirOperationIsNull(op) || !agpu__has_attr(op, "constant"))
    return none;
  MlirAttribute value = agpu__attr(
      op, agpu__op_is(op, "memref.global") ? "initial_value" : "value");
  if (mlirAttributeIsNull(value) ||
      (!mlirAttributeIsADenseResourceElements(value) &&
       (!mlirAttributeIsADenseElements(value) ||
        mlirDenseElementsAttrIsSplat(value))))
    return none;
  return op;
}

/// The number of a constant of `self`: the next one where it is new.
static size_t number_of(struct names *self, MlirAttribute name) {
  size_t i = 0;
  while (i < self->count && !mlirAttributeEqual(self->data[i], name))
    ++i;
  if (i == self->count) {
    AGPU__GROW(self->data, self->count, self->capacity);
    self->data[self->count++] = name;
  }
  return i;
}

/// Takes away what a kernel's attributes say of its name and of its launches,
/// which native code does not look at.
static void drop_own_attributes(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i-- > 0;) {
    MlirStringRef name =
        mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (agpu__attribute_is_of_device(name))
      mlirOperationRemoveDiscardableAttributeByName(op, name);
  }
}

/// Reads the text of `op` and its constants. False: it cannot be compared.
static bool read_kernel(MlirOperation op, MlirSymbolTable symbols,
                        struct names *constants, agpu__alike *text) {
  MlirContext context = mlirOperationGetContext(op);
  MlirOperation copy = mlirOperationClone(op);
  bool asserts = false;
  AGPU__OPS_IN_FOREACH (nested, copy, NULL) {
    asserts |= agpu__op_is(nested, "cf.assert");
    const char *attribute = name_attribute(nested);
    if (!attribute)
      continue;
    MlirAttribute name = agpu__attr(nested, attribute);
    MlirOperation constant = find_constant(symbols, name);
    if (mlirOperationIsNull(constant))
      continue;
    AGPU__OWNED char *number =
        agpu__format("constant.%zu.%lld", number_of(constants, name),
                     (long long)agpu__get_int(constant, "alignment", 1));
    agpu__set_attr(nested, attribute, agpu__symbol_attr(context, number));
  }
  drop_own_attributes(copy);
  bool result = !asserts && agpu__alike_read(copy, text);
  mlirOperationDestroy(copy);
  return result;
}

static bool is_kernel(MlirOperation op) {
  return (agpu__has_attr(op, "gpu.kernel") ||
          agpu__has_attr(op, "nvvm.kernel")) &&
         !agpu__is_declaration(op);
}

static kernels read_kernels(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (is_kernel(op))
      agpu__ops_push(&ops, op);
  kernels all = {.ops = agpu__allocate(ops.count, sizeof(*all.ops)),
                 .constants = agpu__allocate(ops.count, sizeof(*all.constants)),
                 .texts = agpu__allocate(ops.count, sizeof(*all.texts))};
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  for (size_t i = 0; i < ops.count; ++i) {
    struct names *constants = &all.constants[all.count];
    agpu__alike *text = &all.texts[all.count];
    if (read_kernel(ops.data[i], symbols, constants, text)) {
      all.ops[all.count++] = ops.data[i];
    } else {
      agpu__alike_free(text);
      free(constants->data);
      *constants = (struct names){0};
    }
  }
  mlirSymbolTableDestroy(symbols);
  agpu__alike_find(all.texts, all.count);
  return all;
}

/// Leaves a kernel that returns.
static void empty(MlirOperation kernel) {
  MlirLocation location = mlirOperationGetLocation(kernel);
  MlirBlock old = agpu__entry_block(kernel),
            entry = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); ++i)
    mlirBlockAddArgument(entry, mlirValueGetType(mlirBlockGetArgument(old, i)),
                         location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, entry);
  mlirRegionTakeBody(mlirOperationGetRegion(kernel, 0), region);
  mlirRegionDestroy(region);
  agpu__builder at = agpu__builder_at_end(entry, location);
  agpu__build_effect(
      &at, agpu__op_is(kernel, "gpu.func") ? "gpu.return" : "llvm.return", NULL,
      0);
}

/// What the program calls the kernel.
static MlirAttribute program_name(MlirOperation kernel) {
  MlirAttribute name = agpu__attr(kernel, AGPU__KERNEL_NAME);
  return mlirAttributeIsNull(name) ? agpu__attr(kernel, "sym_name") : name;
}

void agpu__alike_bodies(MlirOperation gpu_module) {
  MlirContext context = mlirOperationGetContext(gpu_module);
  kernels all = read_kernels(gpu_module);
  AGPU__OWNED bool *is_shared = agpu__allocate(all.count, sizeof(*is_shared));
  for (size_t i = 0; i < all.count; ++i)
    if (all.texts[i].same_as != i)
      is_shared[i] = is_shared[all.texts[i].same_as] = true;
  for (size_t i = 0; i < all.count; ++i) {
    const struct names *constants = &all.constants[i];
    if (is_shared[i])
      agpu__set_attr(all.ops[i], AGPU__ALIKE_CONSTANTS,
                     mlirArrayAttrGet(context, (intptr_t)constants->count,
                                      constants->data));
    if (all.texts[i].same_as != i) {
      agpu__set_attr(all.ops[i], AGPU__ALIKE_TO,
                     program_name(all.ops[all.texts[i].same_as]));
      empty(all.ops[i]);
    }
    agpu__alike_free(&all.texts[i]);
    free(constants->data);
  }
  free(all.ops);
  free(all.constants);
  free(all.texts);
}
