//===- symbols.c - Functions, globals and calls -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are looked up by walking the module's body, which is short beside
// what functions hold; for many look-ups build a symbol table of MLIR's.
// Declarations and strings stand in front of all else.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/symbols.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

MlirBlock agpu__module_body(MlirOperation module) {
  return agpu__entry_block(module);
}

MlirOperation agpu__lookup(MlirOperation module, const char *symbol) {
  MlirBlock body = agpu__module_body(module);
  AGPU__OPS_FOREACH (op, body) {
    MlirStringRef name = agpu__get_string(op, "sym_name");
    if (name.data && mlirStringRefEqual(name, agpu__str(symbol)))
      return op;
  }
  return (MlirOperation){NULL};
}

MlirOperation agpu__find_callee(MlirSymbolTable symbols, MlirOperation call) {
  MlirAttribute name = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAFlatSymbolRef(name))
    return (MlirOperation){NULL};
  return mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(name));
}

char *agpu__unique_symbol(MlirOperation module, const char *base) {
  char *candidate = agpu__format("%s", base);
  for (unsigned n = 0; !mlirOperationIsNull(agpu__lookup(module, candidate));
       ++n) {
    free(candidate);
    candidate = agpu__format("%s_%u", base, n);
  }
  return candidate;
}

//===----------------------------------------------------------------------===//
// Functions and globals
//===----------------------------------------------------------------------===//

intptr_t agpu__function_type_inputs(MlirType type) {
  return mlirTypeIsAFunction(type) ? mlirFunctionTypeGetNumInputs(type)
                                   : mlirLLVMFunctionTypeGetNumInputs(type);
}

MlirType agpu__function_type_input(MlirType type, intptr_t index) {
  return mlirTypeIsAFunction(type) ? mlirFunctionTypeGetInput(type, index)
                                   : mlirLLVMFunctionTypeGetInput(type, index);
}

MlirOperation agpu__build_function(agpu__builder *at,
                                   const agpu__function_spec *spec) {
  MlirContext context = at->context;
  bool is_llvm = !mlirTypeIsAFunction(spec->type);
  MlirNamedAttribute attributes[4] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, spec->name)),
      agpu__named(context, "function_type", mlirTypeAttrGet(spec->type))};
  size_t count = 2;
  if (!is_llvm && !spec->is_public)
    attributes[count++] = agpu__named(context, "sym_visibility",
                                      agpu__string_attr(context, "private"));
  if (spec->is_internal)
    attributes[count++] =
        agpu__named(context, is_llvm ? "linkage" : "llvm.linkage",
                    mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal));
  MlirRegion region = mlirRegionCreate();
  if (spec->with_body) {
    MlirBlock entry = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t i = 0; i < agpu__function_type_inputs(spec->type); ++i)
      mlirBlockAddArgument(entry, agpu__function_type_input(spec->type, i),
                           at->location);
    mlirRegionAppendOwnedBlock(region, entry);
  }
  agpu__op_spec op = {.name = spec->op,
                      .attributes = attributes,
                      .attribute_count = count,
                      .regions = &region,
                      .region_count = 1};
  return agpu__build(at, &op);
}

MlirOperation agpu__build_global(agpu__builder *at, const char *name,
                                 MlirType type, bool is_private,
                                 const MlirNamedAttribute *attributes,
                                 size_t attribute_count) {
  MlirContext context = at->context;
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute own[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "global_type", mlirTypeAttrGet(type)),
      agpu__named(context, "linkage",
                  mlirLLVMLinkageAttrGet(context,
                                         is_private ? MlirLLVMLinkagePrivate
                                                    : MlirLLVMLinkageExternal)),
      agpu__named(context, "addr_space", agpu__i32_attr(context, 0))};
  agpu__op_spec spec = {.name = "llvm.mlir.global",
                        .attributes = own,
                        .attribute_count = AGPU__COUNT(own),
                        .regions = &region,
                        .region_count = 1};
  MlirOperation global = agpu__build(at, &spec);
  for (size_t i = 0; i < attribute_count; ++i)
    mlirOperationSetAttributeByName(
        global, mlirIdentifierStr(attributes[i].name), attributes[i].attribute);
  return global;
}

MlirOperation agpu__build_memref_global(agpu__builder *at, const char *name,
                                        MlirType type) {
  MlirContext context = at->context;
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "sym_visibility",
                  agpu__string_attr(context, "private")),
      agpu__named(context, "type", mlirTypeAttrGet(type)),
      agpu__named(context, "initial_value", mlirUnitAttrGet(context))};
  return agpu__build_op(at, "memref.global", NULL, 0, (MlirType){NULL},
                        attributes, 4);
}

MlirValue agpu__build_memref(agpu__builder *at, const char *global,
                             MlirType type) {
  return agpu__build_with(at, "memref.get_global", NULL, 0, type, "name",
                          agpu__symbol_attr(at->context, global));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

MlirOperation agpu__build_call_of(agpu__builder *at, const char *name,
                                  MlirAttribute callee,
                                  const MlirValue *operands,
                                  size_t operand_count, const MlirType *results,
                                  size_t result_count) {
  MlirNamedAttribute attribute = agpu__named(at->context, "callee", callee);
  agpu__op_spec spec = {.name = name,
                        .operands = operands,
                        .operand_count = operand_count,
                        .results = results,
                        .result_count = result_count,
                        .attributes = &attribute,
                        .attribute_count = 1};
  return agpu__build(at, &spec);
}

MlirValue agpu__build_call(agpu__builder *at, const char *callee,
                           const MlirValue *operands, size_t operand_count,
                           MlirType result) {
  bool has_result = !mlirTypeIsNull(result);
  MlirOperation call = agpu__build_call_of(
      at, "func.call", agpu__symbol_attr(at->context, callee), operands,
      operand_count, &result, has_result);
  return has_result ? agpu__result(call, 0) : (MlirValue){NULL};
}

MlirValue agpu__llvm_call(agpu__builder *at, const char *callee,
                          const MlirValue *operands, size_t operand_count,
                          MlirType result) {
  MlirContext context = at->context;
  const int32_t segments[] = {(int32_t)operand_count, 0};
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "callee", agpu__symbol_attr(context, callee)),
      agpu__segments(context, segments, 2),
      agpu__named(context, "op_bundle_sizes",
                  mlirDenseI32ArrayGet(context, 0, NULL))};
  MlirOperation call = agpu__build_op(at, "llvm.call", operands, operand_count,
                                      result, attributes, 3);
  return mlirTypeIsNull(result) ? (MlirValue){NULL} : agpu__result(call, 0);
}

/// Makes sure that `func.func private @name type` is in the module.
static void declare_function(MlirOperation module, const char *name,
                             MlirType type) {
  if (!mlirOperationIsNull(agpu__lookup(module, name)))
    return;
  agpu__builder at = agpu__builder_at_start(
      agpu__module_body(module),
      mlirLocationUnknownGet(mlirOperationGetContext(module)));
  agpu__build_function(&at, &(agpu__function_spec){
                                .op = "func.func", .name = name, .type = type});
}

MlirType agpu__function_type_add(MlirType type, MlirType added,
                                 bool is_result) {
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t results = mlirFunctionTypeGetNumResults(type);
  AGPU__OWNED MlirType *types =
      agpu__allocate((size_t)(inputs + results + 1), sizeof(*types));
  for (intptr_t i = 0; i < inputs; ++i)
    types[i] = mlirFunctionTypeGetInput(type, i);
  types[inputs] = added;
  for (intptr_t i = 0; i < results; ++i)
    types[inputs + 1 + i] = mlirFunctionTypeGetResult(type, i);
  intptr_t first_result = inputs + !is_result;
  return mlirFunctionTypeGet(mlirTypeGetContext(type), first_result, types,
                             results + is_result, types + first_result);
}

MlirValue agpu__build_call_declared(agpu__builder *at, MlirOperation module,
                                    const char *callee,
                                    const MlirValue *operands,
                                    size_t operand_count, MlirType result) {
  AGPU__OWNED MlirType *inputs = agpu__types_of(operands, operand_count);
  declare_function(module, callee,
                   mlirFunctionTypeGet(at->context, (intptr_t)operand_count,
                                       inputs, !mlirTypeIsNull(result),
                                       &result));
  return agpu__build_call(at, callee, operands, operand_count, result);
}

MlirValue agpu__call_runtime(agpu__builder *builder, MlirOperation module,
                             const char *name, const MlirValue *operands,
                             size_t operand_count, MlirType result) {
  enum { MOST = 24 };
  MlirValue arguments[MOST];
  MlirType inputs[MOST];
  if (operand_count > MOST)
    abort();
  for (size_t i = 0; i < operand_count; ++i) {
    inputs[i] = agpu__convert_object_type(mlirValueGetType(operands[i]));
    arguments[i] = agpu__build_cast(builder, operands[i], inputs[i]);
  }
  bool has_result = !mlirTypeIsNull(result);
  MlirType returned = has_result ? agpu__convert_object_type(result) : result;
  declare_function(module, name,
                   mlirFunctionTypeGet(builder->context,
                                       (intptr_t)operand_count, inputs,
                                       has_result, &returned));
  MlirValue value =
      agpu__build_call(builder, name, arguments, operand_count, returned);
  return has_result ? agpu__build_cast(builder, value, result) : value;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

/// "name_N" becomes "name_N+1", and "name" "name_0". The caller frees it.
static char *next_symbol(MlirStringRef symbol) {
  size_t digits = symbol.length;
  while (digits > 0 && symbol.data[digits - 1] >= '0' &&
         symbol.data[digits - 1] <= '9')
    --digits;
  if (digits == symbol.length || digits == 0 || symbol.data[digits - 1] != '_')
    return agpu__format("%.*s_0", AGPU__STR(symbol));
  unsigned long long number = 0;
  for (size_t i = digits; i < symbol.length; ++i)
    number = number * 10 + (unsigned)(symbol.data[i] - '0');
  return agpu__format("%.*s%llu", (int)digits, symbol.data, number + 1);
}

/// How many of the latest strings are compared with a new one: ops of one place
/// in the source follow each other. LLVM merges the others.
enum { RECENT_STRINGS = 8 };

/// Whether the op stands in front of the strings: what is declared, and what
/// passes make once for all functions.
static bool stands_in_front(MlirOperation op) {
  return (agpu__op_is(op, "func.func") && agpu__is_declaration(op)) ||
         agpu__op_is(op, "llvm.func") ||
         (agpu__op_is(op, "llvm.mlir.global") && !agpu__has_attr(op, "value"));
}

/// The first string global of the module; if there is none, where it goes: so
/// neither a search for a string nor one for what is in front of them grows
/// with the program.
static MlirOperation first_string(MlirOperation module) {
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module));
  while (!mlirOperationIsNull(op) && stands_in_front(op))
    op = mlirOperationGetNextInBlock(op);
  MlirOperation first = op;
  while (!mlirOperationIsNull(first) && !agpu__has_attr(first, AGPU__STRING))
    first = mlirOperationGetNextInBlock(first);
  return mlirOperationIsNull(first) ? op : first;
}

/// The symbol of a global that holds `value`; made when no recent one does.
/// Each new string comes before the others, numbered one higher.
static MlirStringRef string_global(agpu__builder *builder, MlirOperation module,
                                   MlirAttribute value, size_t bytes) {
  MlirContext context = builder->context;
  MlirOperation first = first_string(module);
  MlirOperation op = first;
  for (int i = 0; i < RECENT_STRINGS && !mlirOperationIsNull(op) &&
                  agpu__has_attr(op, AGPU__STRING);
       ++i, op = mlirOperationGetNextInBlock(op))
    if (mlirAttributeEqual(agpu__attr(op, "value"), value))
      return agpu__get_string(op, "sym_name");

  agpu__builder at =
      agpu__builder_at_end(agpu__module_body(module), builder->location);
  at.before = first;
  char *name;
  if (mlirOperationIsNull(first) || !agpu__has_attr(first, AGPU__STRING)) {
    // Those of a gpu.module may come into the program later.
    MlirStringRef own = agpu__op_is(module, "gpu.module")
                            ? agpu__get_string(module, "sym_name")
                            : mlirStringRefCreate(NULL, 0);
    AGPU__OWNED char *base = agpu__format(
        own.length ? "agpu_string.%.*s.s" : "agpu_string", AGPU__STR(own));
    name = agpu__unique_symbol(module, base);
  } else {
    name = next_symbol(agpu__get_string(first, "sym_name"));
  }
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "constant", mlirUnitAttrGet(context)),
      // Nobody compares its address: equal strings may become one.
      agpu__named(context, "unnamed_addr", agpu__i64_attr(context, 2)),
      agpu__named(context, "value", value),
      agpu__named(context, AGPU__STRING, mlirUnitAttrGet(context)),
  };
  MlirType type = mlirLLVMArrayTypeGet(agpu__i8_type(context), (unsigned)bytes);
  MlirOperation made = agpu__build_global(&at, name, type, true, attributes,
                                          AGPU__COUNT(attributes));
  free(name);
  return agpu__get_string(made, "sym_name");
}

MlirValue agpu__string_constant(agpu__builder *builder, MlirOperation module,
                                const char *text) {
  size_t bytes = strlen(text) + 1; // with the final NUL
  MlirAttribute value =
      mlirStringAttrGet(builder->context, mlirStringRefCreate(text, bytes));
  // The context keeps strings with a NUL after them.
  return agpu__llvm_address(builder,
                            string_global(builder, module, value, bytes).data);
}

MlirValue agpu__location_constant(agpu__builder *at, MlirOperation module) {
  AGPU__OWNED char *text = agpu__location_text(at->location);
  return *text ? agpu__string_constant(at, module, text) : agpu__llvm_null(at);
}
