//===- launch_stub.c - The function that launches a kernel -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/launch_stub.h"

#include "gpu/embed.h"
#include "gpu/stub.h"
#include "lower/llvm_ops.h"
#include "lower/payload.h"
#include "lower/text.h"

#include <stdlib.h>

/// Operands of agpu.launch: stream, grid and block sizes, shared bytes, and
/// the kernel's arguments in one. The stub has them one by one, and the
/// location behind.
enum { SIZES = 1, SHARED = 7, ARGUMENTS = 8 };

static MlirValue to_i64(agpu__builder *at, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirType i64 = agpu__i64_type(at->context);
  if (mlirTypeEqual(type, i64))
    return value;
  // Grid and block sizes are indices; shared bytes are an unsigned i32.
  const char *name =
      mlirTypeIsAIndex(type) ? "arith.index_cast" : "arith.extui";
  return agpu__result(agpu__build_op(at, name, &value, 1, i64, NULL, 0), 0);
}

/// Stores an argument and appends the addresses of the kernel parameters that
/// it makes: a memref makes one for each part of its descriptor.
static MlirLogicalResult spill(agpu__builder *at, MlirValue argument,
                               size_t number, agpu__values *addresses) {
  MlirType type = mlirValueGetType(argument);
  MlirType lowered = agpu__payload_type(type);
  if (mlirTypeIsNull(lowered) || mlirTypeIsAUnrankedMemRef(type) ||
      agpu__type_is_object(type)) {
    agpu__text text = {0};
    mlirTypePrint(type, agpu__text_callback, &text);
    MlirLogicalResult result = agpu__error(
        at->location,
        "kernel argument %zu has type %s, which cannot be passed "
        "to a kernel%s",
        number, agpu__text_get(&text),
        mlirTypeIsAUnrankedMemRef(type) ? ": cast it to a ranked memref first"
                                        : "");
    agpu__text_free(&text);
    return result;
  }
  MlirValue value =
      mlirTypeEqual(type, lowered)
          ? argument
          : agpu__result(agpu__build_op(at,
                                        "builtin.unrealized_conversion_cast",
                                        &argument, 1, lowered, NULL, 0),
                         0);
  MlirValue memory = agpu__stub_alloca(at, lowered);
  agpu__llvm_store(at, value, memory);
  if (!mlirTypeIsAMemRef(type)) {
    agpu__values_push(addresses, memory);
    return mlirLogicalResultSuccess();
  }
  for (int32_t field = 0; field < 3; ++field) // allocated, aligned, offset
    agpu__values_push(addresses,
                      agpu__stub_field(at, lowered, memory, field, -1));
  int32_t rank = (int32_t)mlirShapedTypeGetRank(type);
  for (int32_t field = 3; field < 5; ++field) // sizes, strides
    for (int32_t i = 0; i < rank; ++i)
      agpu__values_push(addresses,
                        agpu__stub_field(at, lowered, memory, field, i));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult fill_stub(MlirOperation module, MlirOperation stub,
                                   const char *kernel_symbol) {
  MlirLocation location = mlirOperationGetLocation(stub);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(stub, 0));
  agpu__values arguments = {0}, addresses = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    agpu__values_push(&arguments, mlirBlockGetArgument(block, i));
  agpu__builder at = agpu__builder_at_end(block, location);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = ARGUMENTS; i + 1 < arguments.count; ++i)
    if (mlirLogicalResultIsFailure(
            spill(&at, arguments.data[i], i - ARGUMENTS, &addresses)))
      result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result)) {
    MlirValue operands[] = {
        arguments.data[0],
        agpu__llvm_address(&at, kernel_symbol),
        arguments.data[SIZES],
        arguments.data[SIZES + 1],
        arguments.data[SIZES + 2],
        arguments.data[SIZES + 3],
        arguments.data[SIZES + 4],
        arguments.data[SIZES + 5],
        arguments.data[SHARED],
        agpu__stub_array(&at, agpu__ptr_type(at.context), addresses.data,
                         addresses.count),
        arguments.data[arguments.count - 1],
    };
    agpu__call_runtime(&at, module, "agpu_launch", operands,
                       sizeof(operands) / sizeof(*operands), (MlirType){NULL});
  }
  agpu__build_op(&at, "func.return", NULL, 0, (MlirType){NULL}, NULL, 0);
  agpu__values_free(&arguments);
  agpu__values_free(&addresses);
  return result;
}

MlirLogicalResult agpu__lower_launch(MlirOperation module,
                                     MlirOperation launch) {
  MlirLocation location = mlirOperationGetLocation(launch);
  char *kernel = agpu__kernel_symbol(
      mlirOperationGetAttributeByName(launch, agpu__str("kernel")));
  if (!kernel || mlirOperationIsNull(agpu__lookup(module, kernel))) {
    free(kernel);
    return agpu__error(location, "the kernel of this launch is not in the "
                                 "program: run --async-gpu-kernels first");
  }

  agpu__builder at = agpu__builder_before(launch);
  agpu__values inputs = {0};
  agpu__values_push(&inputs, mlirOperationGetOperand(launch, 0));
  for (intptr_t i = SIZES; i < ARGUMENTS; ++i)
    agpu__values_push(&inputs, to_i64(&at, mlirOperationGetOperand(launch, i)));
  MlirOperation arguments =
      mlirOpResultGetOwner(mlirOperationGetOperand(launch, ARGUMENTS));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(arguments); ++i)
    agpu__values_push(&inputs, mlirOperationGetOperand(arguments, i));
  agpu__values_push(&inputs, agpu__location_constant(&at, module));

  char *name = agpu__format("agpu_launch.%s", kernel);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (mlirOperationIsNull(agpu__lookup(module, name)))
    result = fill_stub(
        module, agpu__stub_create(module, location, name, &inputs), kernel);
  agpu__stub_call(&at, name, &inputs);
  mlirOperationDestroy(launch);
  mlirOperationDestroy(arguments);
  agpu__values_free(&inputs);
  free(name);
  free(kernel);
  return result;
}
