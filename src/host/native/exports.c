//===- exports.c - Functions called by the address of values --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled functions take memrefs as a parameter for each field of their
// descriptors, and give several results as one structure. A caller that knows a
// function only by its signature calls another, which is built here once the
// program is in the LLVM dialect: it takes the addresses of arguments and
// results, loads the ones, stores the others. Which functions get one is noted
// in the module before, when their signatures are known. One that is to be
// awaited is spawned by a function of its own, which the passes lower like any
// other.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Of an element of AGPU__EXPORTS_ATTR.
enum { EXPORT_NAME, EXPORT_CALLEE, EXPORT_WIDTHS, EXPORT_RESULTS };

char *agpu__exports_symbol(const char *name) {
  return agpu__format("agpu_call.%s", name);
}

static char *string_of(MlirAttribute attribute) {
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  return agpu__format("%.*s", AGPU__STR(text));
}

//===----------------------------------------------------------------------===//
// Regions that call a function
//===----------------------------------------------------------------------===//

static MlirRegion build_region(agpu__builder *at, const char *callee,
                               MlirType type, const agpu__values *arguments) {
  MlirBlock block;
  MlirRegion region = agpu__build_region(&block);
  agpu__builder inside = agpu__builder_at_end(block, at->location);
  size_t count = (size_t)mlirFunctionTypeGetNumResults(type);
  AGPU__OWNED MlirType *results = agpu__allocate(count, sizeof(*results));
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);
  MlirOperation made = agpu__build_call_of(
      &inside, "func.call", agpu__symbol_attr(at->context, callee),
      arguments->data, arguments->count, results, count);
  AGPU__SCOPED(values) values = agpu__results(made, 0);
  agpu__build_effect(&inside, "async.yield", values.data, values.count);
  return region;
}

/// Makes the function that spawns `function`, and returns its name, which the
/// caller frees.
static char *build_awaitable(MlirOperation module, MlirOperation function,
                             const char *name) {
  MlirContext context = mlirOperationGetContext(module);
  MlirType type = agpu__function_type(function);
  size_t result_count;
  AGPU__OWNED MlirType *results = agpu__region_types(type, &result_count);
  intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
  AGPU__OWNED MlirType *inputs = agpu__function_inputs(type);

  AGPU__OWNED char *wanted = agpu__format("%s.awaitable", name);
  char *symbol = agpu__unique_symbol(module, wanted);
  agpu__builder at = agpu__builder_at_end(agpu__module_body(module),
                                          mlirOperationGetLocation(function));
  agpu__function_spec spec = {
      .op = "func.func",
      .name = symbol,
      .type = mlirFunctionTypeGet(context, input_count, inputs,
                                  (intptr_t)result_count, results),
      .with_body = true,
      .is_public = true};
  MlirBlock body = agpu__entry_block(agpu__build_function(&at, &spec));
  agpu__values values = agpu__arguments(body, 0), none = {0};
  agpu__builder inside = agpu__builder_at_end(body, at.location);
  AGPU__OWNED char *callee = string_of(agpu__attr(function, "sym_name"));
  MlirRegion region = build_region(&inside, callee, type, &values);
  AGPU__SCOPED(values) spawned = agpu__results(
      agpu__build_execute(&inside, &none, results, result_count, region), 0);
  agpu__build_effect(&inside, "func.return", spawned.data, spawned.count);
  agpu__set_attr(function, AGPU__NON_BLOCKING, mlirUnitAttrGet(context));
  agpu__values_free(&values);
  return symbol;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

void agpu__exports_add(MlirOperation module, MlirOperation function,
                       const agpu_signature *signature) {
  MlirContext context = mlirOperationGetContext(module);
  // Nothing may drop it while nobody calls it.
  agpu__remove_attr(function, "sym_visibility");
  AGPU__OWNED char *callee =
      signature->is_awaitable
          ? build_awaitable(module, function, signature->name)
          : string_of(agpu__attr(function, "sym_name"));
  AGPU__OWNED int64_t *widths =
      agpu__allocate(signature->argument_count + 1, sizeof(*widths));
  for (size_t i = 0; i < signature->argument_count; ++i)
    widths[i] = agpu__type_parameters(&signature->arguments[i]);
  MlirAttribute parts[] = {
      [EXPORT_NAME] = agpu__string_attr(context, signature->name),
      [EXPORT_CALLEE] = agpu__string_attr(context, callee),
      [EXPORT_WIDTHS] = mlirDenseI64ArrayGet(
          context, (intptr_t)signature->argument_count, widths),
      [EXPORT_RESULTS] =
          agpu__i64_attr(context, (int64_t)signature->result_count)};
  MlirAttribute before = agpu__attr(module, AGPU__EXPORTS_ATTR);
  intptr_t count =
      mlirAttributeIsNull(before) ? 0 : mlirArrayAttrGetNumElements(before);
  AGPU__OWNED MlirAttribute *all =
      agpu__allocate((size_t)count + 1, sizeof(*all));
  for (intptr_t i = 0; i < count; ++i)
    all[i] = mlirArrayAttrGetElement(before, i);
  all[count] = mlirArrayAttrGet(context, 4, parts);
  agpu__set_attr(module, AGPU__EXPORTS_ATTR,
                 mlirArrayAttrGet(context, count + 1, all));
}

//===----------------------------------------------------------------------===//
// Packed functions
//===----------------------------------------------------------------------===//

/// The address that is element `index` of the array `values`.
static MlirValue address_of(agpu__builder *at, MlirValue values,
                            int64_t index) {
  MlirType ptr = agpu__ptr_type(at->context);
  return agpu__llvm_load(
      at, agpu__llvm_element_at(at, values, ptr, (int32_t)index), ptr);
}

/// Loads the parameters of all arguments. Each field of a descriptor is a word.
static void load_arguments(agpu__builder *at, MlirValue values,
                           MlirType function, MlirAttribute widths,
                           agpu__values *out) {
  intptr_t parameter = 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(widths); ++i) {
    MlirValue from = address_of(at, values, i);
    int64_t width = mlirDenseI64ArrayGetElement(widths, i);
    for (int64_t k = 0; k < width; ++k)
      agpu__values_push(
          out,
          agpu__llvm_load(at, agpu__llvm_byte(at, from, 8 * k),
                          mlirLLVMFunctionTypeGetInput(function, parameter++)));
  }
}

static void store_results(agpu__builder *at, MlirValue values, int64_t first,
                          int64_t count, MlirValue result) {
  if (count == 1)
    agpu__llvm_store(at, result, address_of(at, values, first));
  for (int64_t i = 0; count > 1 && i < count; ++i) {
    MlirValue address = address_of(at, values, first + i);
    agpu__llvm_store(
        at,
        agpu__llvm_extract(
            at, result,
            mlirLLVMStructTypeGetElementType(mlirValueGetType(result), i), i),
        address);
  }
}

static int64_t sum(MlirAttribute widths) {
  int64_t all = 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(widths); ++i)
    all += mlirDenseI64ArrayGetElement(widths, i);
  return all;
}

/// True if `type` has the parameters and results that `entry` says.
static bool fits(MlirType type, MlirAttribute entry) {
  int64_t results = mlirIntegerAttrGetValueInt(
      mlirArrayAttrGetElement(entry, EXPORT_RESULTS));
  MlirType result = mlirLLVMFunctionTypeGetReturnType(type);
  bool is_void =
      mlirTypeEqual(result, mlirLLVMVoidTypeGet(mlirTypeGetContext(type)));
  return mlirLLVMFunctionTypeGetNumInputs(type) ==
             sum(mlirArrayAttrGetElement(entry, EXPORT_WIDTHS)) &&
         is_void == (results == 0) &&
         (results < 2 ||
          (mlirTypeIsALLVMStructType(result) &&
           mlirLLVMStructTypeGetNumElementTypes(result) == results));
}

static MlirLogicalResult build_packed(MlirOperation module, MlirAttribute entry,
                                      const char *name, const char *callee) {
  MlirContext context = mlirOperationGetContext(module);
  MlirOperation function = agpu__lookup(module, callee);
  if (mlirOperationIsNull(function))
    return agpu__error(mlirOperationGetLocation(module),
                       "the passes have removed '%s', which is to be called",
                       name);
  MlirLocation location = mlirOperationGetLocation(function);
  if (!agpu__op_is(function, "llvm.func"))
    return agpu__error(location,
                       "the entry point '%s' is not in the LLVM dialect: "
                       "passes named on the command line need "
                       "--async-gpu-lower behind them",
                       name);
  MlirType type = agpu__function_type(function);
  if (!fits(type, entry))
    return agpu__error(location,
                       "the passes have changed the arguments or results of "
                       "'%s' since its signature was asked for",
                       name);
  AGPU__OWNED char *symbol = agpu__exports_symbol(name);
  MlirType ptr = agpu__ptr_type(context);
  MlirType result = mlirLLVMFunctionTypeGetReturnType(type);
  MlirType nothing = mlirLLVMVoidTypeGet(context);
  agpu__builder at = agpu__builder_at_end(agpu__module_body(module), location);
  agpu__function_spec spec = {
      .op = "llvm.func",
      .name = symbol,
      .type = mlirLLVMFunctionTypeGet(nothing, 1, &ptr, false),
      .with_body = true};
  MlirBlock body = agpu__entry_block(agpu__build_function(&at, &spec));
  agpu__builder inside = agpu__builder_at_end(body, location);
  MlirValue values = mlirBlockGetArgument(body, 0);
  MlirAttribute widths = mlirArrayAttrGetElement(entry, EXPORT_WIDTHS);
  AGPU__SCOPED(values) arguments = {0};
  load_arguments(&inside, values, type, widths, &arguments);
  MlirValue given = agpu__llvm_call(
      &inside, callee, arguments.data, arguments.count,
      mlirTypeEqual(result, nothing) ? (MlirType){NULL} : result);
  store_results(&inside, values, mlirDenseArrayGetNumElements(widths),
                mlirIntegerAttrGetValueInt(
                    mlirArrayAttrGetElement(entry, EXPORT_RESULTS)),
                given);
  agpu__llvm_return(&inside, (MlirValue){NULL});
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__exports_build(MlirOperation module) {
  MlirAttribute exports = agpu__attr(module, AGPU__EXPORTS_ATTR);
  if (mlirAttributeIsNull(exports))
    return mlirLogicalResultSuccess();
  bool ok = true;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(exports); ++i) {
    MlirAttribute entry = mlirArrayAttrGetElement(exports, i);
    AGPU__OWNED char *name =
        string_of(mlirArrayAttrGetElement(entry, EXPORT_NAME));
    AGPU__OWNED char *callee =
        string_of(mlirArrayAttrGetElement(entry, EXPORT_CALLEE));
    AGPU__OWNED char *symbol = agpu__exports_symbol(name);
    if (mlirOperationIsNull(agpu__lookup(module, symbol)))
      ok = mlirLogicalResultIsSuccess(
               build_packed(module, entry, name, callee)) &&
           ok;
  }
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
