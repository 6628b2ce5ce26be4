//===- share_bodies.c - async-gpu-native-share ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of bodies that several kernels have: the constants of the one
// that it was made of become parameters, and what runs a block of each hands
// its own on.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

#include <stdlib.h>

/// What runs a block of a kernel by a body that others have, too.
typedef struct block {
  MlirOperation call, body;
  MlirAttribute constants; ///< of the kernel, an array of symbols
  bool is_first;           ///< the body is of this kernel
} block;

typedef struct blocks {
  block *data;
  size_t count;
  MlirSymbolTable symbols;
} blocks;

static MlirStringRef constant_name(const block *self, intptr_t number) {
  return mlirFlatSymbolRefAttrGetValue(
      mlirArrayAttrGetElement(self->constants, number));
}

static intptr_t constant_count(const block *self) {
  return mlirArrayAttrGetNumElements(self->constants);
}

/// The block functions whose attributes say that their body is shared.
static blocks find_blocks(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) calls = agpu__ops_in(gpu_module, "llvm.call");
  blocks all = {.data = agpu__allocate(calls.count, sizeof(*all.data)),
                .symbols = mlirSymbolTableCreate(gpu_module)};
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation call = calls.data[i];
    MlirOperation caller = agpu__parent_of(call, "llvm.func");
    MlirAttribute callee = agpu__attr(call, "callee");
    if (mlirAttributeIsNull(callee) || mlirOperationIsNull(caller) ||
        !agpu__has_attr(caller, AGPU__SIMT_PARAM_SIZES) ||
        !agpu__has_attr(caller, AGPU__ALIKE_CONSTANTS))
      continue;
    MlirOperation body = mlirSymbolTableLookup(
        all.symbols, mlirFlatSymbolRefAttrGetValue(callee));
    // Functions of the runtime are called, too.
    if (mlirOperationIsNull(body) || agpu__is_declaration(body))
      continue;
    all.data[all.count++] =
        (block){.call = call,
                .body = body,
                .constants = agpu__attr(caller, AGPU__ALIKE_CONSTANTS),
                .is_first = !agpu__has_attr(caller, AGPU__ALIKE_TO)};
  }
  return all;
}

/// The alignment that this constant has in all kernels with the same body.
static long long alignment_of(const blocks *all, const block *self,
                              intptr_t number) {
  int64_t least = 0;
  for (size_t i = 0; i < all->count; ++i) {
    if (!mlirOperationEqual(all->data[i].body, self->body))
      continue;
    MlirOperation constant = mlirSymbolTableLookup(
        all->symbols, constant_name(&all->data[i], number));
    int64_t own = mlirOperationIsNull(constant)
                      ? 1
                      : agpu__get_int(constant, "alignment", 1);
    least = least && least < own ? least : own;
  }
  return (long long)least;
}

/// Says of the parameters after the first `count` what is true of constants.
static void describe(const blocks *all, const block *self, MlirAttribute before,
                     intptr_t count) {
  MlirContext context = mlirOperationGetContext(self->body);
  intptr_t parameters = count + constant_count(self);
  AGPU__OWNED MlirAttribute *each =
      agpu__allocate((size_t)parameters, sizeof(*each));
  for (intptr_t i = 0; i < count; ++i)
    each[i] = mlirAttributeIsNull(before) ? agpu__parse_attr(context, "{}")
                                          : mlirArrayAttrGetElement(before, i);
  for (intptr_t i = count; i < parameters; ++i) {
    AGPU__OWNED char *text =
        agpu__format("{llvm.noalias, llvm.readonly, llvm.align = %lld : i64}",
                     alignment_of(all, self, i - count));
    each[i] = agpu__parse_attr(context, text);
  }
  agpu__set_attr(self->body, "arg_attrs",
                 mlirArrayAttrGet(context, parameters, each));
}

/// Makes parameters of the constants that a body names.
static void take_constants(const blocks *all, const block *self) {
  intptr_t count = constant_count(self);
  AGPU__OWNED MlirType *types = agpu__allocate((size_t)count, sizeof(*types));
  AGPU__OWNED MlirValue *parameters =
      agpu__allocate((size_t)count, sizeof(*parameters));
  for (intptr_t i = 0; i < count; ++i)
    types[i] = agpu__ptr_type(mlirOperationGetContext(self->body));
  MlirAttribute before = agpu__attr(self->body, "arg_attrs");
  intptr_t inputs = mlirBlockGetNumArguments(agpu__entry_block(self->body));
  agpu__simt_add_parameters(self->body, types, count, parameters);
  describe(all, self, before, inputs);
  AGPU__OPS_IN_FOREACH (address, self->body, "llvm.mlir.addressof") {
    MlirStringRef name =
        mlirFlatSymbolRefAttrGetValue(agpu__attr(address, "global_name"));
    for (intptr_t k = 0; k < count; ++k)
      if (mlirStringRefEqual(constant_name(self, k), name))
        mlirValueReplaceAllUsesOfWith(agpu__result(address, 0), parameters[k]);
  }
}

/// Hands the constants of a kernel on to its body.
static void hand_on(const block *self) {
  agpu__builder at = agpu__builder_before(self->call);
  AGPU__SCOPED(values) handed = {0};
  for (intptr_t i = 0; i < constant_count(self); ++i)
    agpu__values_push(
        &handed, agpu__build_with(&at, "llvm.mlir.addressof", NULL, 0,
                                  agpu__ptr_type(at.context), "global_name",
                                  mlirArrayAttrGetElement(self->constants, i)));
  agpu__insert_operands(self->call, mlirOperationGetNumOperands(self->call),
                        handed.data, handed.count, 0);
}

/// Fails with a diagnostic where kernels with one body differ in how many
/// constants they have.
static MlirLogicalResult check(const blocks *all) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(map) counts = {0}; // by body
  for (size_t i = 0; i < all->count; ++i) {
    const block *self = &all->data[i];
    size_t count = (size_t)constant_count(self);
    size_t known = agpu__map_get(&counts, self->body.ptr);
    if (known == AGPU__MAP_NONE)
      agpu__map_set(&counts, self->body.ptr, count);
    else if (count != known)
      result = agpu__missing_attribute(agpu__parent_of(self->call, "llvm.func"),
                                       AGPU__ALIKE_CONSTANTS,
                                       "async-gpu-kernel-targets");
  }
  return result;
}

static MlirLogicalResult run(MlirOperation gpu_module) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  blocks all = find_blocks(gpu_module);
  MlirLogicalResult result = check(&all);
  if (mlirLogicalResultIsFailure(result))
    all.count = 0;
  for (size_t i = 0; i < all.count; ++i)
    hand_on(&all.data[i]);
  for (size_t i = 0; i < all.count; ++i)
    if (all.data[i].is_first)
      take_constants(&all, &all.data[i]);
  AGPU__SCOPED(ops) functions = {0};
  agpu__simt_functions(gpu_module, false, &functions);
  for (size_t i = 0; i < functions.count; ++i) {
    agpu__remove_attr(functions.data[i], AGPU__ALIKE_CONSTANTS);
    agpu__remove_attr(functions.data[i], AGPU__ALIKE_TO);
  }
  mlirSymbolTableDestroy(all.symbols);
  free(all.data);
  return result;
}

const agpu_pass agpu__pass_native_share = {
    .argument = AGPU__SIMT_PASS("share"),
    .anchor = "gpu.module",
    .summary = "Hand constants on to bodies that several kernels have",
    .run = run,
};
