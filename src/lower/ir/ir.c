//===- ir.c - Building and walking IR through the C API -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include "lower/ir/object_types.h"
#include "lower/ir/text.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Memory and text
//===----------------------------------------------------------------------===//

static void *grow(void *data, size_t *capacity, size_t element_bytes) {
  *capacity = *capacity ? *capacity * 2 : 16;
  void *grown = realloc(data, *capacity * element_bytes);
  if (!grown)
    abort();
  return grown;
}

char *agpu__format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    abort();
  return text;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool agpu__op_is(MlirOperation op, const char *name) {
  if (mlirOperationIsNull(op))
    return false;
  MlirStringRef actual = mlirIdentifierStr(mlirOperationGetName(op));
  return mlirStringRefEqual(actual, agpu__str(name));
}

bool agpu__op_in_dialect(MlirOperation op, const char *dialect) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = strlen(dialect);
  return name.length > length && !memcmp(name.data, dialect, length) &&
         name.data[length] == '.';
}

bool agpu__type_has_prefix(MlirType type, const char *prefix) {
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  bool matches = !strncmp(agpu__text_get(&text), prefix, strlen(prefix));
  agpu__text_free(&text);
  return matches;
}

MlirStringRef agpu__get_string(MlirOperation op, const char *name) {
  MlirAttribute attribute =
      mlirOperationGetAttributeByName(op, agpu__str(name));
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringAttrGetValue(attribute);
}

bool agpu__has_attr(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(
      mlirOperationGetAttributeByName(op, agpu__str(name)));
}

//===----------------------------------------------------------------------===//
// Collections
//===----------------------------------------------------------------------===//

void agpu__ops_push(agpu__ops *ops, MlirOperation op) {
  if (ops->count == ops->capacity)
    ops->data = grow(ops->data, &ops->capacity, sizeof(*ops->data));
  ops->data[ops->count++] = op;
}

void agpu__ops_free(agpu__ops *ops) {
  free(ops->data);
  memset(ops, 0, sizeof(*ops));
}

void agpu__values_push(agpu__values *values, MlirValue value) {
  if (values->count == values->capacity)
    values->data = grow(values->data, &values->capacity, sizeof(*values->data));
  values->data[values->count++] = value;
}

intptr_t agpu__values_find(const agpu__values *values, MlirValue value) {
  for (size_t i = 0; i < values->count; ++i)
    if (mlirValueEqual(values->data[i], value))
      return (intptr_t)i;
  return -1;
}

void agpu__values_free(agpu__values *values) {
  free(values->data);
  memset(values, 0, sizeof(*values));
}

typedef struct {
  MlirOperation root;
  const char *name;
  agpu__ops *ops;
} collect_state;

static MlirWalkResult collect_one(MlirOperation op, void *user_data) {
  collect_state *state = user_data;
  if (!mlirOperationEqual(op, state->root) &&
      (!state->name || agpu__op_is(op, state->name)))
    agpu__ops_push(state->ops, op);
  return MlirWalkResultAdvance;
}

void agpu__collect(MlirOperation root, const char *name, agpu__ops *out_ops) {
  collect_state state = {root, name, out_ops};
  mlirOperationWalk(root, collect_one, &state, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

agpu__builder agpu__builder_before(MlirOperation op) {
  return (agpu__builder){mlirOperationGetContext(op),
                         mlirOperationGetLocation(op),
                         mlirOperationGetBlock(op), op};
}

agpu__builder agpu__builder_after(MlirOperation op) {
  return (agpu__builder){
      mlirOperationGetContext(op), mlirOperationGetLocation(op),
      mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op)};
}

agpu__builder agpu__builder_at_start(MlirBlock block, MlirLocation location) {
  return (agpu__builder){mlirLocationGetContext(location), location, block,
                         mlirBlockGetFirstOperation(block)};
}

agpu__builder agpu__builder_at_end(MlirBlock block, MlirLocation location) {
  return (agpu__builder){mlirLocationGetContext(location), location, block,
                         (MlirOperation){NULL}};
}

MlirOperation agpu__build(agpu__builder *builder, const agpu__op_spec *spec) {
  MlirOperationState state =
      mlirOperationStateGet(agpu__str(spec->name), spec->location);
  mlirOperationStateAddOperands(&state, (intptr_t)spec->operand_count,
                                spec->operands);
  mlirOperationStateAddResults(&state, (intptr_t)spec->result_count,
                               spec->results);
  mlirOperationStateAddAttributes(&state, (intptr_t)spec->attribute_count,
                                  spec->attributes);
  mlirOperationStateAddOwnedRegions(&state, (intptr_t)spec->region_count,
                                    spec->regions);
  mlirOperationStateAddSuccessors(&state, (intptr_t)spec->successor_count,
                                  spec->successors);
  MlirOperation op = mlirOperationCreate(&state);
  if (mlirOperationIsNull(op)) {
    fprintf(stderr, "async-gpu: internal error: cannot build %s\n", spec->name);
    abort();
  }
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
  return op;
}

MlirOperation agpu__build_op(agpu__builder *builder, const char *name,
                             const MlirValue *operands, size_t operand_count,
                             MlirType result,
                             const MlirNamedAttribute *attributes,
                             size_t attribute_count) {
  agpu__op_spec spec = {.name = name,
                        .location = builder->location,
                        .operands = operands,
                        .operand_count = operand_count,
                        .results = &result,
                        .result_count = mlirTypeIsNull(result) ? 0 : 1,
                        .attributes = attributes,
                        .attribute_count = attribute_count};
  return agpu__build(builder, &spec);
}

MlirValue agpu__build_binary(agpu__builder *builder, const char *name,
                             MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  return agpu__result(
      agpu__build_op(builder, name, operands, 2, mlirValueGetType(a), NULL, 0),
      0);
}

MlirValue agpu__index_constant(agpu__builder *builder, int64_t value) {
  MlirType index = agpu__index_type(builder->context);
  MlirNamedAttribute attribute =
      agpu__named(builder->context, "value", mlirIntegerAttrGet(index, value));
  return agpu__result(
      agpu__build_op(builder, "arith.constant", NULL, 0, index, &attribute, 1),
      0);
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

MlirNamedAttribute agpu__named(MlirContext context, const char *name,
                               MlirAttribute attribute) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, agpu__str(name)),
                               attribute);
}

MlirAttribute agpu__string_attr(MlirContext context, const char *text) {
  return mlirStringAttrGet(context, agpu__str(text));
}

MlirAttribute agpu__symbol_attr(MlirContext context, const char *symbol) {
  return mlirFlatSymbolRefAttrGet(context, agpu__str(symbol));
}

MlirAttribute agpu__i64_attr(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(agpu__i64_type(context), value);
}

MlirAttribute agpu__i32_attr(MlirContext context, int32_t value) {
  return mlirIntegerAttrGet(agpu__i32_type(context), value);
}

MlirType agpu__parse_type(MlirContext context, const char *text) {
  MlirType type = mlirTypeParseGet(context, agpu__str(text));
  if (mlirTypeIsNull(type)) {
    fprintf(stderr, "async-gpu: internal error: malformed type %s\n", text);
    abort();
  }
  return type;
}

MlirAttribute agpu__parse_attr(MlirContext context, const char *text) {
  MlirAttribute attribute = mlirAttributeParseGet(context, agpu__str(text));
  if (mlirAttributeIsNull(attribute)) {
    fprintf(stderr, "async-gpu: internal error: malformed attribute %s\n",
            text);
    abort();
  }
  return attribute;
}

MlirType agpu__ptr_type(MlirContext context) {
  return mlirLLVMPointerTypeGet(context, 0);
}

MlirType agpu__i64_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 64);
}

MlirType agpu__i32_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 32);
}

MlirType agpu__i1_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 1);
}

MlirType agpu__index_type(MlirContext context) {
  return mlirIndexTypeGet(context);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

MlirBlock agpu__module_body(MlirOperation module) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
}

MlirOperation agpu__lookup(MlirOperation module, const char *symbol) {
  MlirBlock body = agpu__module_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = agpu__get_string(op, "sym_name");
    if (name.data && mlirStringRefEqual(name, agpu__str(symbol)))
      return op;
  }
  return (MlirOperation){NULL};
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

/// "name_N" becomes "name_N+1", and "name" "name_0". The caller frees it.
static char *next_symbol(MlirStringRef symbol) {
  size_t digits = symbol.length;
  while (digits > 0 && symbol.data[digits - 1] >= '0' &&
         symbol.data[digits - 1] <= '9')
    --digits;
  if (digits == symbol.length || digits == 0 || symbol.data[digits - 1] != '_')
    return agpu__format("%.*s_0", (int)symbol.length, symbol.data);
  unsigned long long number = 0;
  for (size_t i = digits; i < symbol.length; ++i)
    number = number * 10 + (unsigned)(symbol.data[i] - '0');
  return agpu__format("%.*s%llu", (int)digits, symbol.data, number + 1);
}

/// Makes sure that `func.func private @name type` is in the module.
static void declare_function(MlirOperation module, const char *name,
                             MlirType type) {
  if (!mlirOperationIsNull(agpu__lookup(module, name)))
    return;
  MlirContext context = mlirOperationGetContext(module);
  agpu__builder builder = agpu__builder_at_start(
      agpu__module_body(module), mlirLocationUnknownGet(context));
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "function_type", mlirTypeAttrGet(type)),
      agpu__named(context, "sym_visibility",
                  agpu__string_attr(context, "private")),
  };
  MlirRegion region = mlirRegionCreate();
  agpu__op_spec spec = {.name = "func.func",
                        .location = builder.location,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .regions = &region,
                        .region_count = 1};
  agpu__build(&builder, &spec);
}

static MlirValue cast(agpu__builder *builder, MlirValue value, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return agpu__result(agpu__build_op(builder,
                                     "builtin.unrealized_conversion_cast",
                                     &value, 1, type, NULL, 0),
                      0);
}

MlirValue agpu__call_runtime(agpu__builder *builder, MlirOperation module,
                             const char *name, const MlirValue *operands,
                             size_t operand_count, MlirType result) {
  MlirValue arguments[16];
  MlirType inputs[16];
  if (operand_count > 16)
    abort();
  for (size_t i = 0; i < operand_count; ++i) {
    inputs[i] = agpu__convert_object_type(mlirValueGetType(operands[i]));
    arguments[i] = cast(builder, operands[i], inputs[i]);
  }
  bool has_result = !mlirTypeIsNull(result);
  MlirType returned = has_result ? agpu__convert_object_type(result) : result;
  declare_function(module, name,
                   mlirFunctionTypeGet(builder->context,
                                       (intptr_t)operand_count, inputs,
                                       has_result, &returned));
  MlirNamedAttribute callee = agpu__named(
      builder->context, "callee", agpu__symbol_attr(builder->context, name));
  MlirOperation call = agpu__build_op(builder, "func.call", arguments,
                                      operand_count, returned, &callee, 1);
  return has_result ? cast(builder, agpu__result(call, 0), result)
                    : (MlirValue){NULL};
}

/// How many of the latest strings are compared with a new one: ops of one place
/// in the source follow each other. LLVM merges the others.
enum { RECENT_STRINGS = 8 };

/// The first string global of the module, or a null op. Declarations stand in
/// front of the strings, so that neither search grows with the program.
static MlirOperation first_string(MlirOperation module) {
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module));
  while (
      !mlirOperationIsNull(op) && agpu__op_is(op, "func.func") &&
      mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))))
    op = mlirOperationGetNextInBlock(op);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (agpu__has_attr(op, "agpu.string"))
      break;
  return op;
}

/// The symbol of a global that holds `value`; made when no recent one does.
/// Each new string comes before the others, numbered one higher.
static MlirStringRef string_global(agpu__builder *builder, MlirOperation module,
                                   MlirAttribute value, size_t bytes) {
  MlirContext context = builder->context;
  MlirOperation first = first_string(module);
  MlirOperation op = first;
  for (int i = 0; i < RECENT_STRINGS && !mlirOperationIsNull(op) &&
                  agpu__has_attr(op, "agpu.string");
       ++i, op = mlirOperationGetNextInBlock(op))
    if (mlirAttributeEqual(
            mlirOperationGetAttributeByName(op, agpu__str("value")), value))
      return agpu__get_string(op, "sym_name");

  agpu__builder at;
  char *name;
  if (mlirOperationIsNull(first)) {
    at = agpu__builder_at_start(agpu__module_body(module), builder->location);
    name = agpu__unique_symbol(module, "agpu_string");
  } else {
    at = agpu__builder_before(first);
    at.location = builder->location;
    name = next_symbol(agpu__get_string(first, "sym_name"));
  }
  MlirType type =
      mlirLLVMArrayTypeGet(mlirIntegerTypeGet(context, 8), (unsigned)bytes);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "global_type", mlirTypeAttrGet(type)),
      agpu__named(context, "linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkagePrivate)),
      agpu__named(context, "constant", mlirUnitAttrGet(context)),
      agpu__named(context, "addr_space", agpu__i32_attr(context, 0)),
      // Nobody compares its address: equal strings may become one.
      agpu__named(context, "unnamed_addr",
                  mlirIntegerAttrGet(agpu__i64_type(context), 2)),
      agpu__named(context, "value", value),
      agpu__named(context, "agpu.string", mlirUnitAttrGet(context)),
  };
  MlirRegion region = mlirRegionCreate();
  agpu__op_spec spec = {.name = "llvm.mlir.global",
                        .location = builder->location,
                        .attributes = attributes,
                        .attribute_count =
                            sizeof(attributes) / sizeof(*attributes),
                        .regions = &region,
                        .region_count = 1};
  MlirStringRef symbol = agpu__get_string(agpu__build(&at, &spec), "sym_name");
  free(name);
  return symbol;
}

MlirValue agpu__string_constant(agpu__builder *builder, MlirOperation module,
                                const char *text) {
  MlirContext context = builder->context;
  size_t bytes = strlen(text) + 1; // with the final NUL
  MlirAttribute value =
      mlirStringAttrGet(context, mlirStringRefCreate(text, bytes));
  MlirStringRef symbol = string_global(builder, module, value, bytes);
  MlirNamedAttribute global = agpu__named(
      context, "global_name", mlirFlatSymbolRefAttrGet(context, symbol));
  return agpu__result(agpu__build_op(builder, "llvm.mlir.addressof", NULL, 0,
                                     agpu__ptr_type(context), &global, 1),
                      0);
}

//===----------------------------------------------------------------------===//
// Locations and diagnostics
//===----------------------------------------------------------------------===//

/// The file location that `location` stands for, or itself.
static MlirLocation file_location(MlirLocation location) {
  for (;;) {
    if (mlirLocationIsACallSite(location)) {
      location = mlirLocationCallSiteGetCallee(location);
    } else if (mlirLocationIsAName(location)) {
      location = mlirLocationNameGetChildLoc(location);
    } else if (mlirLocationIsAFused(location) &&
               mlirLocationFusedGetNumLocations(location) > 0) {
      unsigned count = mlirLocationFusedGetNumLocations(location);
      MlirLocation *all = calloc(count, sizeof(*all));
      if (!all)
        abort();
      mlirLocationFusedGetLocations(location, all);
      location = all[0];
      free(all);
    } else {
      return location;
    }
  }
}

char *agpu__location_text(MlirLocation location) {
  location = file_location(location);
  if (!mlirLocationIsAFileLineColRange(location))
    return agpu__format("%s", "");
  MlirStringRef file =
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  return agpu__format("%.*s:%d:%d", (int)file.length, file.data,
                      mlirLocationFileLineColRangeGetStartLine(location),
                      mlirLocationFileLineColRangeGetStartColumn(location));
}

MlirLogicalResult agpu__error(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0)
    abort();
  va_end(arguments);
  mlirEmitError(location, text);
  free(text);
  return mlirLogicalResultFailure();
}
