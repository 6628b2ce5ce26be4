//===- outline.c - Regions become async functions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-outline`.
//
// Each `async.execute` becomes an async function and a call of it: what the
// region uses of its surroundings becomes arguments, constants are copied.
// Inner regions come first. The picture stands above `outline`.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Constants are cloned into the region instead of being captured.
static bool is_constant(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  return agpu__op_is_any(op, "arith.constant index.constant complex.constant "
                             "func.constant llvm.mlir.constant");
}

/// Replaces uses of `from` in `op` and the ops nested in it.
static void replace_uses(MlirOperation op, MlirValue from, MlirValue to) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), from))
      mlirOperationSetOperand(op, i, to);
}

static void replace_uses_inside(const agpu__ops *body, MlirValue from,
                                MlirValue to) {
  for (size_t i = 0; i < body->count; ++i)
    replace_uses(body->data[i], from, to);
}

/// Values from outside that the ops of `body` use; constants are cloned to the
/// start of `block` on the way.
static void capture(MlirOperation execute, MlirBlock block, agpu__ops *body,
                    agpu__values *captures) {
  AGPU__SCOPED(values) constants = {0};
  for (size_t i = 0; i < body->count; ++i) {
    MlirOperation op = body->data[i];
    for (intptr_t n = 0; n < mlirOperationGetNumOperands(op); ++n) {
      MlirValue value = mlirOperationGetOperand(op, n);
      if (agpu__defined_inside(value, execute))
        continue;
      agpu__values *list = is_constant(value) ? &constants : captures;
      if (agpu__values_find(list, value) < 0)
        agpu__values_push(list, value);
    }
  }
  for (size_t i = 0; i < constants.count; ++i) {
    MlirOperation clone =
        mlirOperationClone(mlirOpResultGetOwner(constants.data[i]));
    mlirBlockInsertOwnedOperation(block, 0, clone);
    replace_uses_inside(body, constants.data[i], agpu__result(clone, 0));
  }
}

/// "<function>_region_<n>": the enclosing function names its regions, by the
/// plan's numbers where there was one. The caller frees it.
static char *region_name(MlirOperation execute, size_t number) {
  MlirStringRef function = {NULL, 0};
  for (MlirOperation op = mlirOperationGetParentOperation(execute);
       !mlirOperationIsNull(op) && !function.data;
       op = mlirOperationGetParentOperation(op))
    function = agpu__get_string(op, "sym_name");
  return agpu__format(
      "%.*s_region_%lld", AGPU__STR(function),
      (long long)agpu__get_int(execute, AGPU__REGION_ATTR, (int64_t)number));
}

/// An empty `async.func private @name` after the module's other ops; another
/// name where there is a symbol of that name.
static MlirOperation build_function(MlirOperation module,
                                    MlirSymbolTable symbols,
                                    MlirOperation execute, const char *name,
                                    MlirType type) {
  MlirContext context = mlirOperationGetContext(module);
  MlirAttribute kind = agpu__attr(execute, AGPU__KIND_ATTR);
  if (mlirAttributeIsNull(kind))
    kind = agpu__string_attr(context, "host");
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "function_type", mlirTypeAttrGet(type)),
      agpu__named(context, "sym_visibility",
                  agpu__string_attr(context, "private")),
      agpu__named(context, AGPU__KIND_ATTR, kind),
      // Only the call below knows it: LLVM may inline it and drop it.
      agpu__named(context, "llvm.linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal)),
  };
  agpu__builder builder = agpu__builder_at_end(
      agpu__module_body(module), mlirOperationGetLocation(execute));
  MlirRegion region = mlirRegionCreate();
  agpu__op_spec spec = {.name = "async.func",
                        .attributes = attributes,
                        .attribute_count = 5,
                        .regions = &region,
                        .region_count = 1};
  MlirOperation function = agpu__build(&builder, &spec);
  // What else is known of the region, such as its device.
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(execute);
       ++i) {
    MlirNamedAttribute attribute =
        mlirOperationGetDiscardableAttribute(execute, i);
    MlirStringRef known = mlirIdentifierStr(attribute.name);
    if (agpu__attribute_is_of_host(known))
      mlirOperationSetDiscardableAttributeByName(function, known,
                                                 attribute.attribute);
  }
  mlirSymbolTableInsert(symbols, function);
  return function;
}

/// The results of a region that its function gives: those that are used, and
/// the token where none is, since an error has to be seen somewhere. What is
/// done on a device has all of them, and for upstream's runtime each has its
/// token: a call that spawns does not say there which objects it gives, and
/// ours takes a token and what follows it for them.
static void find_results(MlirOperation module, MlirOperation execute,
                         agpu__values *kept) {
  bool upstream = mlirStringRefEqual(agpu__get_string(module, AGPU__ABI_ATTR),
                                     agpu__str(AGPU__ABI_UPSTREAM));
  MlirStringRef kind = agpu__get_string(execute, AGPU__KIND_ATTR);
  bool all = kind.data && !mlirStringRefEqual(kind, agpu__str("host"));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(execute); ++i) {
    MlirValue result = agpu__result(execute, i);
    if (all || (upstream && i == 0) ||
        !mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
      agpu__values_push(kept, result);
  }
  if (!kept->count)
    agpu__values_push(kept, agpu__result(execute, 0));
}

/// Before:                             After:
///   %t, %v = async.execute [%dep]       async.func @f(%dep, %x, %c) {
///       (%x as %p: !async.value<f32>)     async.await %dep
///       -> !async.value<f32> {            %p = async.await %x
///     ... %p ... %c                       ... %p ... %c
///     async.yield %r : f32                async.return %r : f32
///   }                                   }
///                                       %t, %v = async.call @f(%dep, %x, %c)
static void outline(MlirOperation module, MlirSymbolTable symbols,
                    MlirOperation execute, size_t number) {
  MlirContext context = mlirOperationGetContext(module);
  MlirLocation location = mlirOperationGetLocation(execute);
  MlirRegion source = mlirOperationGetRegion(execute, 0);
  MlirBlock block = mlirRegionGetFirstBlock(source);

  AGPU__SCOPED(ops) body = agpu__ops_in(execute, NULL);

  // Operands first (tokens, then values), captures after them.
  AGPU__SCOPED(values) arguments = agpu__operands(execute, 0);
  size_t operand_count = arguments.count;
  AGPU__SCOPED(values) captures = {0};
  capture(execute, block, &body, &captures);
  agpu__values_push_all(&arguments, &captures);

  AGPU__SCOPED(values) kept = {0};
  find_results(module, execute, &kept);
  size_t argument_count = arguments.count;
  intptr_t result_count = (intptr_t)kept.count;
  AGPU__OWNED MlirType *types =
      agpu__allocate(argument_count + (size_t)result_count, sizeof(*types));
  for (size_t i = 0; i < argument_count; ++i)
    types[i] = mlirValueGetType(arguments.data[i]);
  MlirType *result_types = types + argument_count;
  for (intptr_t i = 0; i < result_count; ++i)
    result_types[i] = mlirValueGetType(kept.data[i]);

  AGPU__OWNED char *name = region_name(execute, number);
  MlirType type = mlirFunctionTypeGet(context, (intptr_t)argument_count, types,
                                      result_count, result_types);
  MlirOperation function = build_function(module, symbols, execute, name, type);

  // The call takes the op's place.
  agpu__builder at = agpu__builder_before(execute);
  MlirOperation call = agpu__build_call_of(
      &at, "async.call",
      mlirFlatSymbolRefAttrGet(context, agpu__get_string(function, "sym_name")),
      arguments.data, argument_count, result_types, (size_t)result_count);

  // The body moves into the function; its payload arguments become awaits.
  mlirRegionTakeBody(mlirOperationGetRegion(function, 0), source);
  size_t payload_count = (size_t)mlirBlockGetNumArguments(block);
  agpu__builder entry = agpu__builder_at_start(block, location);
  for (size_t i = 0; i < argument_count; ++i) {
    MlirValue argument = mlirBlockAddArgument(block, types[i], location);
    if (i >= operand_count) {
      replace_uses_inside(&body, arguments.data[i], argument);
      continue;
    }
    MlirType payload = agpu__async_value_payload(types[i]);
    MlirOperation await =
        agpu__build_op(&entry, "async.await", &argument, 1, payload, NULL, 0);
    if (!mlirTypeIsNull(payload)) {
      // Payload arguments are in the order of the value operands.
      size_t payload_number = i - (operand_count - payload_count);
      mlirValueReplaceAllUsesOfWith(
          mlirBlockGetArgument(block, (intptr_t)payload_number),
          agpu__result(await, 0));
    }
  }
  for (size_t i = 0; i < payload_count; ++i)
    mlirBlockEraseArgument(block, 0);

  MlirOperation yield = mlirBlockGetTerminator(block);
  AGPU__SCOPED(values) results = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (agpu__values_find(&kept, agpu__result(execute, i + 1)) >= 0)
      agpu__values_push(&results, mlirOperationGetOperand(yield, i));
  agpu__builder end = agpu__builder_before(yield);
  agpu__build_effect(&end, "async.return", results.data, results.count);
  mlirOperationDestroy(yield);

  for (intptr_t i = 0; i < result_count; ++i)
    mlirValueReplaceAllUsesOfWith(kept.data[i], agpu__result(call, i));
  mlirOperationDestroy(execute);
}

/// The dialect's verifier takes an async value for its payload in a yield.
static MlirLogicalResult check_yield(MlirOperation execute) {
  MlirOperation yield = mlirBlockGetTerminator(agpu__entry_block(execute));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirType payload = agpu__async_value_payload(
        mlirValueGetType(agpu__result(execute, i + 1)));
    MlirType yielded = mlirValueGetType(mlirOperationGetOperand(yield, i));
    if (!mlirTypeEqual(payload, yielded))
      return agpu__error(mlirOperationGetLocation(yield),
                         "operand %lld is an async value, not its payload: "
                         "await it first",
                         (long long)i);
  }
  return mlirLogicalResultSuccess();
}

/// A region becomes a function beside the one that it stands in.
static MlirLogicalResult check_place(MlirOperation module,
                                     MlirOperation execute) {
  MlirOperation top = mlirOperationGetParentOperation(execute);
  bool in_function = false, in_other_module = false;
  for (; !mlirOperationEqual(top, module);
       top = mlirOperationGetParentOperation(top)) {
    in_function |= agpu__has_attr(top, "function_type");
    in_other_module |=
        agpu__op_is(top, "builtin.module") || agpu__op_is(top, "gpu.module");
  }
  if (in_function && !in_other_module)
    return mlirLogicalResultSuccess();
  return agpu__error(mlirOperationGetLocation(execute),
                     "async.execute must stand in a function of the program's "
                     "own module, not in a kernel or a nested module");
}

/// The passes after this one define and call functions by these names. In the
/// LLVM dialect they are those passes' own, of an earlier run.
static MlirLogicalResult check_reserved_names(MlirOperation module) {
  static const char *const prefixes[] = {"agpu_", "mlirAsyncRuntime"};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
    MlirStringRef name = agpu__get_string(op, "sym_name");
    bool defines =
        (agpu__op_is(op, "func.func") || agpu__op_is(op, "async.func")) &&
        !mlirBlockIsNull(agpu__entry_block(op));
    for (size_t i = 0; name.data && defines && i < 2; ++i)
      if (name.length >= strlen(prefixes[i]) &&
          !memcmp(name.data, prefixes[i], strlen(prefixes[i])))
        result = agpu__error(mlirOperationGetLocation(op),
                             "'%.*s' cannot be the name of a function here: "
                             "names that begin with %s are the runtime's",
                             AGPU__STR(name), prefixes[i]);
  }
  return result;
}

static MlirLogicalResult run(MlirOperation module) {
  if (mlirLogicalResultIsFailure(check_reserved_names(module)))
    return mlirLogicalResultFailure();
  AGPU__SCOPED(ops) regions = agpu__ops_in(module, "async.execute");
  for (size_t i = 0; i < regions.count; ++i) {
    if (mlirLogicalResultIsSuccess(check_yield(regions.data[i])) &&
        mlirLogicalResultIsSuccess(check_place(module, regions.data[i])))
      continue;
    return mlirLogicalResultFailure();
  }
  // Inner regions first, so that each body is outlined once; the numbers are
  // those of the program's order.
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t i = regions.count; i-- > 0;)
    outline(module, symbols, regions.data[i], i);

  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) functions = agpu__ops_in(module, "async.func");
  for (size_t i = 0; i < functions.count; ++i)
    if (mlirLogicalResultIsFailure(
            agpu__hoist_allocas(symbols, functions.data[i])))
      result = mlirLogicalResultFailure();
  mlirSymbolTableDestroy(symbols);
  functions.count = 0;
  agpu__collect(module, "func.func", &functions);
  for (size_t i = 0; i < functions.count; ++i)
    agpu__inline_stack_scopes(functions.data[i]);
  return result;
}

const agpu_pass agpu__pass_outline = {
    .argument = "async-gpu-outline",
    .summary = "Turn async.execute regions into async functions",
    .run = run,
};
