//===- context.c - async-gpu-native-context -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels and the functions that they call are given what they read of their
// thread, its block and its grid, and call the emulated device for what a GPU
// does beside. Each function is rewritten by itself.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/native.h"
#include "lower/convert/convert.h"

#include "mlir-c/Dialect/LLVM.h"

/// A body that is being given a context.
typedef struct body {
  MlirOperation gpu_module;
  MlirSymbolTable symbols;
  bool checked; ///< accesses are
  bool counted; ///< instructions are
  MlirValue context[AGPU__SIMT_CONTEXT_COUNT];
} body;

static void add_context(MlirOperation function, MlirValue *out_values) {
  MlirContext context = mlirOperationGetContext(function);
  MlirType types[AGPU__SIMT_CONTEXT_COUNT];
  for (int i = 0; i < AGPU__SIMT_CONTEXT_COUNT; ++i)
    types[i] = i < AGPU__SIMT_ID_COUNT ? agpu__i32_type(context)
                                       : agpu__ptr_type(context);
  intptr_t own = mlirBlockGetNumArguments(agpu__entry_block(function));
  agpu__simt_add_parameters(function, types, AGPU__SIMT_CONTEXT_COUNT,
                            out_values);
  agpu__set_attr(function, AGPU__SIMT_CONTEXT,
                 agpu__i32_attr(context, (int32_t)own));
}

/// Passes the caller's context on to a function that gets one, too.
static void extend_call(MlirOperation call, const MlirValue *context) {
  agpu__insert_operands(call, mlirOperationGetNumOperands(call), context,
                        AGPU__SIMT_CONTEXT_COUNT, 0);
  agpu__remove_attr(call, "arg_attrs");
}

static bool is_shared(MlirOperation symbol) {
  return agpu__has_attr(symbol, AGPU__SIMT_OFFSET) ||
         agpu__has_attr(symbol, AGPU__SIMT_DYNAMIC);
}

/// Replaces `op`, the address of `global` in shared memory.
static void replace_shared(MlirOperation op, MlirOperation global,
                           const MlirValue *context) {
  agpu__builder at = agpu__builder_before(op);
  int64_t offset = agpu__get_int(global, AGPU__SIMT_OFFSET, -1);
  MlirValue address =
      offset < 0 ? context[AGPU__SIMT_DYNAMIC_SHARED]
                 : agpu__llvm_byte(&at, context[AGPU__SIMT_SHARED], offset);
  agpu__replace_op_by_value(op, address);
}

/// The symbol of the gpu.module that attribute `name` of `op` refers to, or a
/// null op.
static MlirOperation find(const body *self, MlirOperation op,
                          const char *name) {
  MlirAttribute symbol = agpu__attr(op, name);
  return mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol)
             ? (MlirOperation){NULL}
             : mlirSymbolTableLookup(self->symbols,
                                     mlirFlatSymbolRefAttrGetValue(symbol));
}

static void rewrite_reference(const body *self, MlirOperation op) {
  if (agpu__op_is(op, "llvm.call")) {
    MlirOperation callee = find(self, op, "callee");
    if (agpu__op_is(callee, "llvm.func") && !agpu__is_declaration(callee))
      extend_call(op, self->context);
  } else if (agpu__op_is(op, "llvm.mlir.addressof")) {
    MlirOperation global = find(self, op, "global_name");
    if (!mlirOperationIsNull(global) && is_shared(global))
      replace_shared(op, global, self->context);
  }
}

static void rewrite_op(const body *self, MlirOperation op) {
  if (agpu__simt_replace_service(op, self->context, self->gpu_module) ||
      (self->checked &&
       agpu__simt_check_access(op, self->context, self->gpu_module)))
    return;
  if (agpu__division_may_fail(op)) {
    if (self->checked)
      agpu__simt_check_division(op, self->context, self->gpu_module);
    agpu__division_define(op);
    return;
  }
  if (!agpu__simt_replace_register(op, self->context))
    rewrite_reference(self, op);
}

static void rewrite(body *self, MlirOperation function) {
  agpu__simt_hoist_allocas(function);
  add_context(function, self->context);
  agpu__simt_replace_failures(function, self->context, self->gpu_module);
  if (self->counted)
    agpu__simt_count_instructions(function, self->gpu_module);
  AGPU__OPS_IN_FOREACH (op, function, NULL)
    rewrite_op(self, op);
}

/// What async-gpu-native-shared-memory has left has to be there: on kernels,
/// and on globals without a value, which shared memory alone has.
static MlirLogicalResult verify(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) kernels = {0}, globals = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i)
    if (agpu__get_int(kernels.data[i], AGPU__SIMT_SHARED_BYTES, -1) < 0)
      result = agpu__missing_attribute(kernels.data[i], AGPU__SIMT_SHARED_BYTES,
                                       AGPU__SIMT_PASS("shared-memory"));
  agpu__collect(gpu_module, "llvm.mlir.global", &globals);
  for (size_t i = 0; i < globals.count; ++i)
    if (!agpu__has_attr(globals.data[i], "value") &&
        agpu__is_declaration(globals.data[i]) &&
        !agpu__has_attr(globals.data[i], AGPU__SIMT_DYNAMIC) &&
        agpu__get_int(globals.data[i], AGPU__SIMT_OFFSET, -1) < 0)
      result = agpu__missing_attribute(globals.data[i], AGPU__SIMT_OFFSET,
                                       AGPU__SIMT_PASS("shared-memory"));
  return result;
}

/// Nothing refers to them any more.
static void drop_shared(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (nested, gpu_module, "llvm.mlir.global")
    if (is_shared(nested))
      mlirOperationDestroy(nested);
}

static MlirLogicalResult run(MlirOperation gpu_module) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(verify(gpu_module)))
    return mlirLogicalResultFailure();
  body self = {.gpu_module = gpu_module,
               .symbols = mlirSymbolTableCreate(gpu_module),
               .checked = agpu__has_attr(gpu_module, AGPU__SIMT_CHECKED),
               .counted = agpu__has_attr(gpu_module, AGPU__SIMT_COUNTED)};
  AGPU__SCOPED(ops) functions = {0};
  agpu__simt_functions(gpu_module, false, &functions);
  for (size_t i = 0; i < functions.count; ++i)
    rewrite(&self, functions.data[i]);
  mlirSymbolTableDestroy(self.symbols);
  drop_shared(gpu_module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_native_context = {
    .argument = AGPU__SIMT_PASS("context"),
    .anchor = "gpu.module",
    .summary = "Pass thread ids, sizes and shared memory as parameters",
    .run = run,
};
