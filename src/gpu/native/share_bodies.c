//===- share_bodies.c - async-gpu-native-share ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model are alike but for their weights, which are constants of
// the module that the kernels name. Here, where nothing else is left to be done
// for native code, such constants become parameters of a body that several
// kernels have then; what runs a block of each hands its own on.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/alike.h"
#include "lower/ir/llvm_ops.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// The body of a kernel, which nothing but its block function calls.
typedef struct body {
  MlirOperation op, call;
  agpu__values constants; ///< addresses, one for each constant that it names
} body;

typedef struct bodies {
  body *data;
  agpu__alike *texts; ///< of each, with numbers for the constants
  size_t count;
} bodies;

static MlirStringRef name_of(MlirOperation address) {
  return mlirFlatSymbolRefAttrGetValue(agpu__attr(address, "global_name"));
}

/// The constant whose address the op is; null where it is of none.
static MlirOperation constant_of(MlirSymbolTable symbols, MlirOperation op) {
  MlirOperation found = {NULL};
  if (agpu__op_is(op, "llvm.mlir.addressof"))
    found = mlirSymbolTableLookup(symbols, name_of(op));
  return !mlirOperationIsNull(found) &&
                 agpu__op_is(found, "llvm.mlir.global") &&
                 agpu__has_attr(found, "constant")
             ? found
             : (MlirOperation){NULL};
}

/// The number of the constant whose address is `address`: the next one where it
/// is new.
static size_t number_of(const body *self, MlirOperation address) {
  size_t i = 0;
  while (i < self->constants.count &&
         !mlirStringRefEqual(
             name_of(mlirOpResultGetOwner(self->constants.data[i])),
             name_of(address)))
    ++i;
  return i;
}

/// Takes down the constants and the text of a body. False: it has no text that
/// could be compared.
static bool read_body(body *self, agpu__alike *text, MlirSymbolTable symbols) {
  MlirOperation copy = mlirOperationClone(self->op);
  agpu__ops own = agpu__ops_in(self->op, "llvm.mlir.addressof");
  agpu__ops copied = agpu__ops_in(copy, "llvm.mlir.addressof");
  for (size_t i = 0; i < own.count; ++i) {
    MlirOperation constant = constant_of(symbols, own.data[i]);
    if (mlirOperationIsNull(constant))
      continue;
    size_t number = number_of(self, own.data[i]);
    if (number == self->constants.count)
      agpu__values_push(&self->constants,
                        mlirOperationGetResult(own.data[i], 0));
    char *name =
        agpu__format("constant.%zu.%lld", number,
                     (long long)agpu__get_int(constant, "alignment", 1));
    agpu__set_attr(copied.data[i], "global_name",
                   agpu__symbol_attr(mlirOperationGetContext(self->op), name));
    free(name);
  }
  bool result = agpu__alike_read(copy, text);
  agpu__ops_free(&own);
  agpu__ops_free(&copied);
  mlirOperationDestroy(copy);
  return result;
}

static void free_body(body *self, agpu__alike *text) {
  agpu__values_free(&self->constants);
  agpu__alike_free(text);
}

/// The bodies of the module that are functions of their own, and which of them
/// are alike.
static bodies find_bodies(MlirOperation gpu_module, MlirSymbolTable symbols) {
  agpu__ops calls = agpu__ops_in(gpu_module, "llvm.call");
  bodies all = {.data = agpu__allocate(calls.count + 1, sizeof(*all.data)),
                .texts = agpu__allocate(calls.count + 1, sizeof(*all.texts))};
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation call = calls.data[i];
    MlirOperation caller = agpu__parent_of(call, "llvm.func");
    MlirAttribute callee = agpu__attr(call, "callee");
    if (mlirAttributeIsNull(callee) || mlirOperationIsNull(caller) ||
        !agpu__has_attr(caller, AGPU__SIMT_PARAM_SIZES))
      continue;
    MlirOperation op =
        mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(callee));
    if (mlirOperationIsNull(op) || !agpu__has_attr(op, "no_inline"))
      continue;
    body *made = &all.data[all.count];
    *made = (body){.op = op, .call = call};
    if (read_body(made, &all.texts[all.count], symbols))
      ++all.count;
    else
      free_body(made, &all.texts[all.count]);
  }
  agpu__ops_free(&calls);
  agpu__alike_find(all.texts, all.count);
  return all;
}

/// Says of the parameters after the first `count` what is true of constants.
static void describe(const body *self, MlirAttribute before, intptr_t count,
                     MlirSymbolTable symbols) {
  MlirContext context = mlirOperationGetContext(self->op);
  intptr_t all = count + (intptr_t)self->constants.count;
  MlirAttribute *each = agpu__allocate((size_t)all, sizeof(*each));
  for (intptr_t i = 0; i < count; ++i)
    each[i] = mlirAttributeIsNull(before) ? agpu__parse_attr(context, "{}")
                                          : mlirArrayAttrGetElement(before, i);
  for (intptr_t i = count; i < all; ++i) {
    MlirOperation constant = constant_of(
        symbols, mlirOpResultGetOwner(self->constants.data[i - count]));
    char *text =
        agpu__format("{llvm.noalias, llvm.readonly, llvm.align = %lld : i64}",
                     (long long)agpu__get_int(constant, "alignment", 1));
    each[i] = agpu__parse_attr(context, text);
    free(text);
  }
  agpu__set_attr(self->op, "arg_attrs", mlirArrayAttrGet(context, all, each));
  free(each);
}

/// Makes parameters of the constants that a body names.
static void take_constants(const body *self, MlirSymbolTable symbols) {
  size_t count = self->constants.count;
  MlirType *types = agpu__allocate(count + 1, sizeof(*types));
  MlirValue *parameters = agpu__allocate(count + 1, sizeof(*parameters));
  for (size_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(self->constants.data[i]);
  MlirAttribute before = agpu__attr(self->op, "arg_attrs");
  intptr_t inputs = mlirBlockGetNumArguments(agpu__entry_block(self->op));
  agpu__simt_add_parameters(self->op, types, (intptr_t)count, parameters);
  describe(self, before, inputs, symbols);
  agpu__ops addresses = agpu__ops_in(self->op, "llvm.mlir.addressof");
  for (size_t i = 0; i < addresses.count; ++i)
    if (!mlirOperationIsNull(constant_of(symbols, addresses.data[i])))
      mlirValueReplaceAllUsesOfWith(
          mlirOperationGetResult(addresses.data[i], 0),
          parameters[number_of(self, addresses.data[i])]);
  agpu__ops_free(&addresses);
  free(parameters);
  free(types);
}

/// Has the block function call `to`, and hand on the constants of its own body.
static void call_instead(const body *self, const body *to) {
  agpu__builder at = agpu__builder_before(self->call);
  agpu__values handed = {0};
  for (size_t i = 0; i < self->constants.count; ++i) {
    MlirOperation address =
        mlirOperationClone(mlirOpResultGetOwner(self->constants.data[i]));
    mlirBlockInsertOwnedOperationBefore(at.block, at.before, address);
    agpu__values_push(&handed, mlirOperationGetResult(address, 0));
  }
  agpu__insert_operands(self->call, mlirOperationGetNumOperands(self->call),
                        handed.data, handed.count, 0);
  agpu__values_free(&handed);
  agpu__set_attr(self->call, "callee",
                 mlirFlatSymbolRefAttrGet(
                     mlirOperationGetContext(self->op),
                     mlirStringAttrGetValue(agpu__attr(to->op, "sym_name"))));
}

static void share(const bodies *all, MlirSymbolTable symbols) {
  bool *is_shared = agpu__allocate(all->count + 1, sizeof(*is_shared));
  for (size_t i = 0; i < all->count; ++i)
    if (all->texts[i].same_as != i)
      is_shared[i] = is_shared[all->texts[i].same_as] = true;
  for (size_t i = 0; i < all->count; ++i)
    if (is_shared[i])
      call_instead(&all->data[i], &all->data[all->texts[i].same_as]);
  for (size_t i = 0; i < all->count; ++i)
    if (all->texts[i].same_as != i)
      mlirSymbolTableErase(symbols, all->data[i].op);
    else if (is_shared[i])
      take_constants(&all->data[i], symbols);
  free(is_shared);
}

static MlirLogicalResult run(MlirOperation gpu_module,
                             const agpu_pass_values *values) {
  (void)values;
  MlirOperation program = agpu__parent_of(gpu_module, "builtin.module");
  if (!agpu__simt_is_meant(gpu_module) || mlirOperationIsNull(program) ||
      !agpu__has_attr(program, AGPU__ALIKE_ATTR))
    return mlirLogicalResultSuccess();
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  bodies all = find_bodies(gpu_module, symbols);
  share(&all, symbols);
  for (size_t i = 0; i < all.count; ++i)
    free_body(&all.data[i], &all.texts[i]);
  free(all.texts);
  free(all.data);
  mlirSymbolTableDestroy(symbols);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_native_share = {
    .argument = AGPU__SIMT_PASS("share"),
    .anchor = "gpu.module",
    .summary =
        "Make one body of those of kernels that are alike but for constants",
    .run = run,
};
