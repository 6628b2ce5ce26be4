//===- call_stub.c - Calls that graphs may have ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each function that is called so, and mode, there is a stub (stub.c), which
// puts the arguments' values into memory one behind the other, and calls:
//
//     agpu_call.NAME(%stream, %arguments..., %location):
//       if agpu_graph_call_begin(%stream, %call)
//         do call @NAME(%arguments...)
//         while agpu_graph_call_end(%stream, %call)
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

/// Fields of agpu_graph_call.
enum { LOCATION, FUNCTION, ARGUMENTS, BYTES, MODE, STATE, FIELDS };
#define STATE_WORDS 6

/// An unranked memref's value is where its descriptor lies, which says nothing
/// of what that holds.
static bool may_be_compared(MlirType type) {
  return !mlirTypeIsNull(agpu__payload_type(type)) &&
         !mlirTypeIsAUnrankedMemRef(type) && !agpu__type_is_object(type);
}

/// The structure of the values' types, without bytes between them.
static MlirType packed_type(MlirContext context, const agpu__values *values) {
  AGPU__OWNED MlirType *types =
      agpu__allocate(values->count + 1, sizeof(*types));
  for (size_t i = 0; i < values->count; ++i)
    types[i] = agpu__payload_type(mlirValueGetType(values->data[i]));
  return mlirLLVMStructTypeLiteralGet(context, (intptr_t)values->count, types,
                                      true);
}

/// Of an access to such a structure, whose fields lie anywhere.
static MlirNamedAttribute unaligned(const agpu__builder *at) {
  return agpu__named(at->context, "alignment", agpu__i64_attr(at->context, 1));
}

/// The values in memory, one behind the other.
static MlirValue pack(agpu__builder *at, MlirType packed,
                      const agpu__values *values) {
  MlirValue memory = agpu__llvm_alloca(at, packed, agpu__llvm_i64(at, 1), 8);
  for (size_t i = 0; i < values->count; ++i) {
    MlirType payload = agpu__payload_type(mlirValueGetType(values->data[i]));
    MlirValue value = agpu__build_cast(at, values->data[i], payload);
    MlirValue place = agpu__stub_field(at, packed, memory, (int32_t)i, -1);
    MlirNamedAttribute alignment = unaligned(at);
    agpu__build_op(at, "llvm.store", (MlirValue[]){value, place}, 2, no_type,
                   &alignment, 1);
  }
  return memory;
}

/// The structure agpu_graph_call in memory.
static MlirValue build_description(agpu__builder *at, MlirOperation module,
                                   const char *callee, int64_t mode,
                                   const agpu__values *arguments,
                                   MlirValue location) {
  MlirType ptr = agpu__ptr_type(at->context), i64 = agpu__i64_type(at->context);
  MlirType packed = packed_type(at->context, arguments);
  MlirValue memory = pack(at, packed, arguments);
  MlirType type = mlirLLVMStructTypeLiteralGet(
      at->context, FIELDS,
      (MlirType[]){ptr, ptr, ptr, i64, i64,
                   mlirLLVMArrayTypeGet(ptr, STATE_WORDS)},
      false);
  MlirValue values[] = {[LOCATION] = location,
                        [FUNCTION] = agpu__string_constant(at, module, callee),
                        [ARGUMENTS] = memory,
                        [BYTES] = agpu__llvm_size_of(at, packed),
                        [MODE] = agpu__llvm_i64(at, mode)};
  MlirValue call = agpu__llvm_alloca(at, type, agpu__llvm_i64(at, 1), 0);
  for (int32_t i = 0; i < STATE; ++i)
    agpu__llvm_store(at, values[i], agpu__stub_field(at, type, call, i, -1));
  return call;
}

static void fill(MlirOperation module, MlirOperation stub, MlirOperation call,
                 const char *callee) {
  MlirBlock entry = agpu__entry_block(stub);
  MlirRegion region = mlirOperationGetRegion(stub, 0);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  MlirBlock end = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, body);
  mlirRegionAppendOwnedBlock(region, end);
  agpu__builder at =
      agpu__builder_at_end(entry, mlirOperationGetLocation(stub));
  intptr_t last = mlirBlockGetNumArguments(entry) - 1;
  AGPU__SCOPED(values) arguments = {0};
  for (intptr_t i = 1; i < last; ++i)
    agpu__values_push(&arguments, mlirBlockGetArgument(entry, i));
  MlirType i1 = agpu__i1_type(at.context);
  MlirValue operands[] = {
      mlirBlockGetArgument(entry, 0),
      build_description(&at, module, callee, agpu__get_int(call, "mode", 1),
                        &arguments, mlirBlockGetArgument(entry, last))};
  MlirValue begins =
      agpu__call_runtime(&at, module, "agpu_graph_call_begin", operands, 2, i1);
  agpu__llvm_branch_if(&at, begins, body, NULL, 0, end);
  agpu__builder in = agpu__builder_at_end(body, at.location);
  agpu__build_call(&in, callee, arguments.data, arguments.count, no_type);
  MlirValue again =
      agpu__call_runtime(&in, module, "agpu_graph_call_end", operands, 2, i1);
  agpu__llvm_branch_if(&in, again, body, NULL, 0, end);
  agpu__builder out = agpu__builder_at_end(end, at.location);
  agpu__build_effect(&out, "func.return", NULL, 0);
}

MlirLogicalResult agpu__lower_call(MlirOperation module,
                                   MlirSymbolTable symbols,
                                   MlirOperation call) {
  MlirLocation location = mlirOperationGetLocation(call);
  if (mlirOperationIsNull(agpu__find_callee(symbols, call)))
    return agpu__error(location, "the function of this call is not in the "
                                 "program");
  MlirOperation list = mlirOpResultGetOwner(mlirOperationGetOperand(call, 1));
  agpu__builder at = agpu__builder_before(call);
  AGPU__SCOPED(values) inputs = {0};
  agpu__values_push(&inputs, mlirOperationGetOperand(call, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(list); ++i) {
    MlirValue argument = mlirOperationGetOperand(list, i);
    if (!may_be_compared(mlirValueGetType(argument))) {
      AGPU__OWNED char *text = agpu__type_text(mlirValueGetType(argument));
      (void)agpu__error(location,
                        "argument %d has type %s, whose values cannot be "
                        "compared: such a call cannot be captured",
                        (int)i, text);
      return mlirLogicalResultFailure();
    }
    agpu__values_push(&inputs, argument);
  }
  agpu__values_push(&inputs, agpu__location_constant(&at, module));
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(agpu__attr(call, "callee"));
  AGPU__OWNED char *callee = agpu__format("%.*s", AGPU__STR(name));
  AGPU__OWNED char *stub = agpu__format("agpu_call.%s.%d", callee,
                                        (int)agpu__get_int(call, "mode", 1));
  if (mlirOperationIsNull(agpu__lookup(module, stub)))
    fill(module,
         agpu__stub_create(module, mlirLocationUnknownGet(at.context), stub,
                           agpu__stub_type(&inputs)),
         call, callee);
  agpu__build_call(&at, stub, inputs.data, inputs.count, no_type);
  mlirOperationDestroy(call);
  mlirOperationDestroy(list);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Code of the host
//===----------------------------------------------------------------------===//

/// agpu_host_run.NAME(%memory): call @NAME(the values there)
static MlirOperation build_runner(MlirOperation module, const char *callee,
                                  MlirType packed, const agpu__values *values) {
  MlirContext context = mlirOperationGetContext(module);
  MlirType ptr = agpu__ptr_type(context);
  AGPU__OWNED char *name = agpu__format("agpu_host_run.%s", callee);
  MlirOperation made =
      agpu__stub_create(module, mlirLocationUnknownGet(context), name,
                        mlirFunctionTypeGet(context, 1, &ptr, 0, NULL));
  MlirBlock entry = agpu__entry_block(made);
  agpu__builder at =
      agpu__builder_at_end(entry, mlirLocationUnknownGet(context));
  AGPU__SCOPED(values) given = {0};
  for (size_t i = 0; i < values->count; ++i) {
    MlirType type = mlirValueGetType(values->data[i]);
    MlirValue place = agpu__stub_field(
        &at, packed, mlirBlockGetArgument(entry, 0), (int32_t)i, -1);
    MlirNamedAttribute alignment = unaligned(&at);
    MlirOperation load = agpu__build_op(
        &at, "llvm.load", &place, 1, agpu__payload_type(type), &alignment, 1);
    agpu__values_push(&given,
                      agpu__build_cast(&at, agpu__result(load, 0), type));
  }
  agpu__build_call(&at, callee, given.data, given.count, no_type);
  agpu__build_effect(&at, "func.return", NULL, 0);
  return made;
}

void agpu__lower_host_call(MlirOperation module, MlirOperation call) {
  MlirOperation list = mlirOpResultGetOwner(mlirOperationGetOperand(call, 1));
  agpu__builder at = agpu__builder_before(call);
  AGPU__SCOPED(values) inputs = {0}, arguments = {0};
  agpu__values_push(&inputs, mlirOperationGetOperand(call, 0));
  agpu__values_push_operands(&inputs, list, 0);
  agpu__values_push(&inputs, agpu__location_constant(&at, module));
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(agpu__attr(call, "callee"));
  AGPU__OWNED char *callee = agpu__format("%.*s", AGPU__STR(name));
  AGPU__OWNED char *stub_name = agpu__format("agpu_host_call.%s", callee);
  MlirOperation stub =
      agpu__stub_create(module, mlirLocationUnknownGet(at.context), stub_name,
                        agpu__stub_type(&inputs));
  MlirBlock entry = agpu__entry_block(stub);
  agpu__builder in =
      agpu__builder_at_end(entry, mlirOperationGetLocation(stub));
  for (size_t i = 1; i + 1 < inputs.count; ++i)
    agpu__values_push(&arguments, mlirBlockGetArgument(entry, (intptr_t)i));
  MlirType packed = packed_type(at.context, &arguments);
  MlirOperation runner = build_runner(module, callee, packed, &arguments);
  MlirValue function = agpu__build_with(
      &in, "func.constant", NULL, 0, agpu__function_type(runner), "value",
      mlirFlatSymbolRefAttrGet(at.context,
                               agpu__get_string(runner, "sym_name")));
  const MlirValue operands[] = {
      mlirBlockGetArgument(entry, 0),
      agpu__build_cast(&in, function, agpu__ptr_type(at.context)),
      pack(&in, packed, &arguments), agpu__llvm_size_of(&in, packed),
      mlirBlockGetArgument(entry, (intptr_t)inputs.count - 1)};
  agpu__call_runtime(&in, module, "agpu_host_call", operands, 5, no_type);
  agpu__build_effect(&in, "func.return", NULL, 0);
  agpu__build_call(&at, stub_name, inputs.data, inputs.count, no_type);
  mlirOperationDestroy(call);
  mlirOperationDestroy(list);
}
