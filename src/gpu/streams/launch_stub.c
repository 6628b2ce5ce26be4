//===- launch_stub.c - The function that launches a kernel -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/launch_stub.h"

#include "gpu/kernels/bare_pointers.h"
#include "gpu/kernels/symbols.h"
#include "gpu/streams/stub.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/memref_parts.h"
#include "lower/ir/payload.h"
#include "lower/ir/text.h"

#include <stdlib.h>

/// Operands of agpu.launch are the stream, grid and block sizes, shared bytes,
/// and the kernel's arguments in one; agpu.launch_with has three more sizes and
/// a stream of the program's own. What stands ahead of the arguments goes to
/// the runtime as it is. The stub has the arguments one by one, and the
/// location behind.
typedef struct launch_form {
  const char *op, *function;
  size_t arguments; ///< operands ahead of them
} launch_form;

static const launch_form forms[] = {
    {"agpu.launch", "agpu_launch", 8},
    {"agpu.launch_with", "agpu_launch_with", 12},
};

/// A stub that is being filled.
typedef struct stub_state {
  MlirOperation module;
  agpu__builder at;
  MlirValue stream, location;
  bool bare_pointers;
  agpu__values addresses;   ///< of the kernel's parameters
  agpu__values descriptors; ///< to free behind the launch
} stub_state;

static MlirValue to_i64(agpu__builder *at, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirType i64 = agpu__i64_type(at->context);
  if (mlirTypeEqual(type, i64))
    return value;
  if (!mlirTypeIsAIndex(type) && !mlirTypeIsAInteger(type))
    return value; // a stream
  // Sizes are indices; shared bytes are an unsigned i32.
  const char *name =
      mlirTypeIsAIndex(type) ? "arith.index_cast" : "arith.extui";
  return agpu__result(agpu__build_op(at, name, &value, 1, i64, NULL, 0), 0);
}

static MlirLogicalResult report_argument(const stub_state *self, MlirType type,
                                         size_t number) {
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  MlirLogicalResult result =
      agpu__error(self->at.location,
                  "kernel argument %zu has type %s, which cannot be passed to "
                  "a kernel",
                  number, agpu__text_get(&text));
  agpu__text_free(&text);
  return result;
}

/// A ranked memref makes one parameter for each part of its descriptor, which
/// lies at `memory`.
static void push_descriptor(stub_state *self, MlirType type, MlirValue memory) {
  MlirType lowered = agpu__payload_type(type);
  for (int32_t field = 0; field < 3; ++field) // allocated, aligned, offset
    agpu__values_push(&self->addresses,
                      agpu__stub_field(&self->at, lowered, memory, field, -1));
  int32_t rank = (int32_t)mlirShapedTypeGetRank(type);
  for (int32_t field = 3; field < 5; ++field) // sizes, strides
    for (int32_t i = 0; i < rank; ++i)
      agpu__values_push(&self->addresses,
                        agpu__stub_field(&self->at, lowered, memory, field, i));
}

/// A memref without a rank is its rank and the address of its descriptor, which
/// the device has to be able to read.
static void push_unranked(stub_state *self, MlirValue value, MlirType type,
                          MlirValue memory) {
  agpu__builder *at = &self->at;
  MlirType ptr = agpu__ptr_type(at->context);
  MlirValue operands[] = {
      self->stream,
      agpu__extract(at, value, 0, -1, agpu__i64_type(at->context)),
      agpu__extract(at, value, 1, -1, ptr), self->location};
  MlirValue copy = agpu__call_runtime(at, self->module, "agpu_descriptor_copy",
                                      operands, 4, ptr);
  MlirType lowered = agpu__payload_type(type);
  MlirValue address = agpu__stub_field(at, lowered, memory, 1, -1);
  agpu__llvm_store(at, copy, address);
  agpu__values_push(&self->addresses,
                    agpu__stub_field(at, lowered, memory, 0, -1));
  agpu__values_push(&self->addresses, address);
  agpu__values_push(&self->descriptors, copy);
}

/// Stores an argument and appends the addresses of the kernel parameters that
/// it makes.
static MlirLogicalResult spill(stub_state *self, MlirValue argument,
                               size_t number) {
  agpu__builder *at = &self->at;
  MlirType type = mlirValueGetType(argument);
  MlirType lowered = agpu__payload_type(type);
  if (mlirTypeIsNull(lowered) || agpu__type_is_object(type))
    return report_argument(self, type, number);
  MlirValue value =
      mlirTypeEqual(type, lowered)
          ? argument
          : agpu__result(agpu__build_op(at,
                                        "builtin.unrealized_conversion_cast",
                                        &argument, 1, lowered, NULL, 0),
                         0);
  MlirValue memory = agpu__stub_alloca(at, lowered);
  agpu__llvm_store(at, value, memory);
  if (self->bare_pointers &&
      mlirLogicalResultIsFailure(agpu__check_bare_pointer(
          at->location, "kernel argument", number, type)))
    return mlirLogicalResultFailure();
  if (self->bare_pointers && mlirTypeIsAMemRef(type))
    agpu__values_push(&self->addresses,
                      agpu__stub_field(at, lowered, memory, 1, -1));
  else if (mlirTypeIsAMemRef(type))
    push_descriptor(self, type, memory);
  else if (mlirTypeIsAUnrankedMemRef(type))
    push_unranked(self, value, type, memory);
  else
    agpu__values_push(&self->addresses, memory);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult fill_stub(MlirOperation module, MlirOperation stub,
                                   const launch_form *form,
                                   const char *kernel_symbol,
                                   bool bare_pointers) {
  MlirLocation location = mlirOperationGetLocation(stub);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(stub, 0));
  intptr_t count = mlirBlockGetNumArguments(block);
  stub_state self = {.module = module,
                     .at = agpu__builder_at_end(block, location),
                     .stream = mlirBlockGetArgument(block, 0),
                     .location = mlirBlockGetArgument(block, count - 1),
                     .bare_pointers = bare_pointers};
  agpu__builder *at = &self.at;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (intptr_t i = (intptr_t)form->arguments; i + 1 < count; ++i)
    if (mlirLogicalResultIsFailure(spill(&self, mlirBlockGetArgument(block, i),
                                         (size_t)i - form->arguments)))
      result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result)) {
    agpu__values operands = {0};
    agpu__values_push(&operands, self.stream);
    agpu__values_push(&operands, agpu__llvm_address(at, kernel_symbol));
    for (intptr_t i = 1; i < (intptr_t)form->arguments; ++i)
      agpu__values_push(&operands, mlirBlockGetArgument(block, i));
    agpu__values_push(
        &operands, agpu__stub_array(at, agpu__ptr_type(at->context),
                                    self.addresses.data, self.addresses.count));
    agpu__values_push(&operands, self.location);
    agpu__call_runtime(at, module, form->function, operands.data,
                       operands.count, (MlirType){NULL});
    for (size_t i = 0; i < self.descriptors.count; ++i) {
      MlirValue freed[] = {self.stream, self.descriptors.data[i],
                           self.location};
      agpu__call_runtime(at, module, "agpu_dealloc", freed, 3,
                         (MlirType){NULL});
    }
    agpu__values_free(&operands);
  }
  agpu__build_op(at, "func.return", NULL, 0, (MlirType){NULL}, NULL, 0);
  agpu__values_free(&self.addresses);
  agpu__values_free(&self.descriptors);
  return result;
}

MlirLogicalResult agpu__lower_launch(MlirOperation module,
                                     MlirSymbolTable symbols,
                                     MlirOperation launch, bool bare_pointers) {
  MlirLocation location = mlirOperationGetLocation(launch);
  char *kernel = agpu__kernel_symbol(
      mlirOperationGetAttributeByName(launch, agpu__str("kernel")));
  if (!kernel ||
      mlirOperationIsNull(mlirSymbolTableLookup(symbols, agpu__str(kernel)))) {
    free(kernel);
    return agpu__error(location, "the kernel of this launch is not in the "
                                 "program: run --async-gpu-kernels first");
  }

  const launch_form *form = &forms[0];
  while (!agpu__op_is(launch, form->op))
    ++form;
  intptr_t count = (intptr_t)form->arguments;
  agpu__builder at = agpu__builder_before(launch);
  agpu__values inputs = {0};
  for (intptr_t i = 0; i < count; ++i)
    agpu__values_push(&inputs, to_i64(&at, mlirOperationGetOperand(launch, i)));
  MlirOperation arguments =
      mlirOpResultGetOwner(mlirOperationGetOperand(launch, count));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(arguments); ++i)
    agpu__values_push(&inputs, mlirOperationGetOperand(arguments, i));
  agpu__values_push(&inputs, agpu__location_constant(&at, module));

  char *name = agpu__format("%s.%s", form->function, kernel);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (mlirOperationIsNull(mlirSymbolTableLookup(symbols, agpu__str(name)))) {
    MlirOperation stub = agpu__stub_create(module, location, name, &inputs);
    mlirSymbolTableInsert(symbols, stub);
    result = fill_stub(module, stub, form, kernel, bare_pointers);
  }
  agpu__stub_call(&at, name, &inputs);
  mlirOperationDestroy(launch);
  mlirOperationDestroy(arguments);
  agpu__values_free(&inputs);
  free(name);
  free(kernel);
  return result;
}
