//===- shard_calls.c - Calls that ranks make together ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Until tensors are in memory, what ranks do together is calls of functions
// without a body, which upstream's bufferization takes as they are: they read a
// tensor, and write into memory that becomes one. (A bufferization.to_buffer in
// front of them would have no effect that anybody sees, and so could be moved.)
// shard_messages.c makes ops of them.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/Func.h"

#include <stdlib.h>

/// Bufferization gives the tensor's buffer as it is, of any layout.
static void read_in_place(MlirOperation function, intptr_t argument,
                          MlirType tensor) {
  MlirContext context = mlirTypeGetContext(tensor);
  int64_t unknown[AGPU__SHARD_RANK];
  for (int i = 0; i < AGPU__SHARD_RANK; ++i)
    unknown[i] = mlirShapedTypeGetDynamicStrideOrOffset();
  mlirFuncSetArgAttr(function, argument, agpu__str("bufferization.access"),
                     agpu__string_attr(context, "read"));
  mlirFuncSetArgAttr(
      function, argument, agpu__str("bufferization.buffer_layout"),
      mlirStridedLayoutAttrGet(context, unknown[0],
                               mlirShapedTypeGetRank(tensor), unknown));
}

MlirValue agpu__shard_call(agpu__shard *self, agpu__builder *at,
                           const char *name, const int64_t *numbers,
                           size_t number_count, const MlirValue *operands,
                           size_t operand_count, MlirType result) {
  MlirType inputs[4];
  for (size_t i = 0; i < operand_count; ++i)
    inputs[i] = mlirValueGetType(operands[i]);
  AGPU__OWNED char *base = agpu__format("shard.call.%zu", self->call_count++);
  AGPU__OWNED char *symbol = agpu__unique_symbol(self->module, base);
  agpu__builder top =
      agpu__builder_at_start(agpu__module_body(self->module), at->location);
  bool has_result = !mlirTypeIsNull(result);
  MlirOperation function = agpu__build_function(
      &top, &(agpu__function_spec){.op = "func.func",
                                   .name = symbol,
                                   .type = mlirFunctionTypeGet(
                                       self->context, (intptr_t)operand_count,
                                       inputs, has_result, &result)});
  agpu__set_attr(function, AGPU__SHARD_OP_ATTR,
                 agpu__string_attr(self->context, name));
  agpu__set_attr(
      function, AGPU__SHARD_NUMBERS_ATTR,
      mlirDenseI64ArrayGet(self->context, (intptr_t)number_count, numbers));
  for (size_t i = 0; i < operand_count; ++i)
    if (mlirTypeIsATensor(inputs[i]))
      read_in_place(function, (intptr_t)i, inputs[i]);
  MlirOperation call = agpu__build_call_of(
      at, "func.call", agpu__symbol_attr(self->context, symbol), operands,
      operand_count, &result, has_result);
  return has_result ? agpu__result(call, 0) : (MlirValue){NULL};
}
