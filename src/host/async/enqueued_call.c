//===- enqueued_call.c - Calls once operands are enqueued -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most regions with a stream wait for nothing but their operands, and only
// until these are ENQUEUED; then they enqueue something themselves and end.
// That takes no coroutine: the runtime waits, and calls a function. To LLVM it
// is a tenth of the code.
//
//   async.func @f(%d: token, %m: memref) -> token
//     stream_acquire; stream_wait %d; launch %m; return
//
// becomes, here,
//
//   func @f(%d, %m) -> token
//     %t = create; call @agpu_enqueued.f(%t, %d, %m) {results = 1, awaited = 1}
//     return %t
//   func @agpu_enqueued.f(%t, %d, %m) {results = 1}
//     stream_acquire; stream_depend %d; launch %m; set_enqueued %t; return
//
// and, once references have been counted,
//
//   func @f: %frame = call @agpu_frame_alloc; store %t, %d, %m
//            call @agpu_call_enqueued(%frame, @agpu_enqueued.f, 1, 1, 2)
//   func @agpu_enqueued.f(%frame): load %t, %d, %m
//
// The call takes a reference of each object but the results, of which it takes
// the producer's. If an operand fails, the runtime passes the error on to the
// results and drops the others; there is no way by error in compiled code.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// From async functions
//===----------------------------------------------------------------------===//

/// What may as well come after the awaits.
static bool may_wait(MlirOperation op) {
  return agpu__op_is_any(op, "agpu.stream_acquire agpu.default_device "
                             "agpu.enter_device llvm.alloca") ||
         (agpu__row_of(op)->class == AGPU__OP_PURE &&
          !mlirOperationGetNumOperands(op)); // a constant
}

/// Whether `op` awaits argument `number` of the function.
static bool awaits_operand(MlirOperation op, MlirBlock entry, intptr_t number) {
  return agpu__op_is(op, "agpu.stream_wait") &&
         number < mlirBlockGetNumArguments(entry) &&
         mlirValueEqual(mlirOperationGetOperand(op, 1),
                        mlirBlockGetArgument(entry, number));
}

/// How many arguments are awaited in order before anything else is done.
static intptr_t count_awaited(MlirBlock entry) {
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(entry);;
       op = mlirOperationGetNextInBlock(op))
    if (awaits_operand(op, entry, count))
      ++count;
    else if (!may_wait(op))
      return count;
}

bool agpu__waits_for_operands(const agpu__async_body *body) {
  MlirBlock entry = agpu__entry_block(body->function);
  if (mlirValueIsNull(body->stream))
    return false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (mlirTypeIsNull(agpu__payload_type(
            mlirValueGetType(mlirBlockGetArgument(entry, i)))))
      return false;
  AGPU__SCOPED(ops) ops = {0};
  intptr_t awaits = 0;
  agpu__collect(body->function, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i)
    awaits += agpu__is_await(ops.data[i]);
  return awaits == count_awaited(entry);
}

/// An empty function of the results and then the operands, after `function`.
static MlirOperation build_callee(MlirOperation function, MlirType type) {
  agpu__builder at = agpu__builder_after(function);
  intptr_t results = mlirFunctionTypeGetNumResults(type);
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
  AGPU__OWNED MlirType *types =
      agpu__allocate((size_t)(results + inputs), sizeof(*types));
  for (intptr_t i = 0; i < results; ++i)
    types[i] = mlirFunctionTypeGetResult(type, i);
  for (intptr_t i = 0; i < inputs; ++i)
    types[results + i] = mlirFunctionTypeGetInput(type, i);
  MlirStringRef name = agpu__get_string(function, "sym_name");
  AGPU__OWNED char *callee =
      agpu__format("agpu_enqueued.%.*s", AGPU__STR(name));
  MlirOperation made = agpu__build_function(
      &at,
      &(agpu__function_spec){.op = "func.func",
                             .name = callee,
                             .type = mlirFunctionTypeGet(
                                 at.context, results + inputs, types, 0, NULL),
                             .is_internal = true});
  agpu__set_attr(made, AGPU__RESULTS_ATTR,
                 agpu__i64_attr(at.context, (int64_t)results));
  agpu__set_same_region(made, function);
  return made;
}

agpu__async_body agpu__enqueued_call_create(agpu__async_body body,
                                            MlirType type) {
  MlirOperation function = body.function;
  MlirBlock entry = agpu__entry_block(function);
  intptr_t results = mlirFunctionTypeGetNumResults(type);
  intptr_t awaited = count_awaited(entry);
  body.function = build_callee(function, type);
  mlirRegionTakeBody(mlirOperationGetRegion(body.function, 0),
                     mlirOperationGetRegion(function, 0));

  // What is left of the function.
  MlirLocation location = mlirOperationGetLocation(function);
  MlirBlock block = agpu__append_block(mlirOperationGetRegion(function, 0));
  agpu__builder at = agpu__builder_at_end(block, location);
  AGPU__SCOPED(values) operands = {0};
  for (intptr_t i = 0; i < results; ++i)
    agpu__values_push(&operands,
                      agpu__build_value(&at, "async.runtime.create", NULL, 0,
                                        mlirFunctionTypeGetResult(type, i)));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    agpu__values_push(
        &operands,
        mlirBlockAddArgument(
            block, mlirValueGetType(mlirBlockGetArgument(entry, i)), location));
  MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "callee",
                  mlirFlatSymbolRefAttrGet(
                      at.context, agpu__get_string(body.function, "sym_name"))),
      agpu__named(at.context, AGPU__RESULTS_ATTR,
                  agpu__i64_attr(at.context, results)),
      agpu__named(at.context, AGPU__AWAITED_ATTR,
                  agpu__i64_attr(at.context, awaited))};
  agpu__build_op(&at, "func.call", operands.data, operands.count,
                 (MlirType){NULL}, attributes, 3);
  agpu__build_effect(&at, "func.return", operands.data, (size_t)results);

  // The body.
  for (intptr_t i = 0; i < results; ++i)
    agpu__values_push(
        &body.results,
        mlirBlockInsertArgument(entry, i, mlirFunctionTypeGetResult(type, i),
                                location));
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(entry); awaited > 0;
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!agpu__is_await(op))
      continue;
    at = agpu__builder_before(op);
    agpu__build_awaited(&at, op, mlirOperationGetOperand(op, 1));
    --awaited;
  }
  return body;
}

//===----------------------------------------------------------------------===//
// To runtime calls
//===----------------------------------------------------------------------===//

/// Where the operands of a call are in its frame: objects first.
typedef struct layout {
  MlirType type;
  int32_t *fields; ///< [operand]
  size_t objects;
} layout;

static layout lay_out(MlirOperation call) {
  MlirContext context = mlirOperationGetContext(call);
  intptr_t count = mlirOperationGetNumOperands(call);
  layout frame = {.fields =
                      agpu__allocate((size_t)count, sizeof(*frame.fields))};
  AGPU__OWNED MlirType *types =
      agpu__allocate((size_t)count + 3, sizeof(*types));
  intptr_t next = 0;
  types[next++] = agpu__ptr_type(context); // agpu_enqueued_call
  types[next++] = agpu__i64_type(context);
  types[next++] = agpu__i64_type(context);
  for (int is_object = 1; is_object >= 0; --is_object)
    for (intptr_t i = 0; i < count; ++i) {
      MlirType type = mlirValueGetType(mlirOperationGetOperand(call, i));
      if (agpu__type_is_object(type) != is_object)
        continue;
      frame.objects += (size_t)is_object;
      frame.fields[i] = (int32_t)next;
      types[next++] = agpu__payload_type(type);
    }
  frame.type = mlirLLVMStructTypeLiteralGet(context, next, types, false);
  return frame;
}

static MlirValue field(agpu__builder *at, const layout *frame, MlirValue memory,
                       intptr_t operand) {
  const int32_t path[] = {0, frame->fields[operand]};
  return agpu__llvm_member(at, memory, frame->type, path, 2);
}

/// Arguments become what is in the frame, the only argument.
static void take_frame(const layout *frame, MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  MlirType ptr = agpu__ptr_type(context);
  MlirBlock entry = agpu__entry_block(function);
  agpu__builder at =
      agpu__builder_at_start(entry, mlirOperationGetLocation(function));
  intptr_t count = mlirBlockGetNumArguments(entry);
  MlirValue memory = mlirBlockAddArgument(entry, ptr, at.location);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, 0);
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(argument))) {
      MlirType type = mlirValueGetType(argument);
      MlirValue loaded = agpu__llvm_load(&at, field(&at, frame, memory, i),
                                         agpu__payload_type(type));
      mlirValueReplaceAllUsesOfWith(argument,
                                    agpu__build_cast(&at, loaded, type));
    }
    mlirBlockEraseArgument(entry, 0);
  }
  agpu__set_attr(
      function, "function_type",
      mlirTypeAttrGet(mlirFunctionTypeGet(context, 1, &ptr, 0, NULL)));
  agpu__remove_attr(function, AGPU__RESULTS_ATTR);
}

void agpu__enqueued_call_lower(MlirOperation module, MlirSymbolTable symbols,
                               MlirOperation call) {
  layout frame = lay_out(call);
  MlirAttribute name = agpu__attr(call, "callee");
  MlirOperation callee = agpu__find_callee(symbols, call);
  take_frame(&frame, callee);

  agpu__builder at = agpu__builder_before(call);
  MlirType ptr = agpu__ptr_type(at.context);
  MlirValue sizes[] = {agpu__llvm_size_of(&at, frame.type),
                       agpu__llvm_align_of(&at, frame.type)};
  MlirValue memory =
      agpu__call_runtime(&at, module, "agpu_frame_alloc", sizes, 2, ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    MlirValue to = field(&at, &frame, memory, i);
    agpu__llvm_store(
        &at,
        agpu__build_cast(&at, operand,
                         agpu__payload_type(mlirValueGetType(operand))),
        to);
  }
  MlirValue function =
      agpu__build_with(&at, "func.constant", NULL, 0,
                       agpu__function_type(callee), "value", name);
  MlirValue operands[] = {
      memory, agpu__build_cast(&at, function, ptr),
      agpu__llvm_i32(&at, (int32_t)agpu__get_int(call, AGPU__RESULTS_ATTR, 0)),
      agpu__llvm_i32(&at, (int32_t)agpu__get_int(call, AGPU__AWAITED_ATTR, 0)),
      agpu__llvm_i32(&at, (int32_t)frame.objects)};
  agpu__call_runtime(&at, module, "agpu_call_enqueued", operands, 5,
                     (MlirType){NULL});
  mlirOperationDestroy(call);
  free(frame.fields);
}
