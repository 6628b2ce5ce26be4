//===- object_types.c - Object types become pointers -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects are told apart by type until this has run; afterwards all are
// pointers. Casts that connected the two have gone.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include "lower/ir/llvm_compat.h"

#include "mlir-c/Dialect/GPU.h"

static MlirType object_to_pointer(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  MlirStringRef dialect = mlirDialectGetNamespace(mlirTypeGetDialect(type));
  bool is_async = mlirStringRefEqual(dialect, agpu__str("async"));
  if (agpu__type_is_object(type) ||
      mlirStringRefEqual(dialect, agpu__str("agpu")) ||
      (is_async && agpu__type_has_prefix(type, "!async.coro.handle")))
    return agpu__ptr_type(context);
  if (is_async) // coro.id, coro.state
    return agpu__compat_coroutine_token(context);
  return type;
}

static MlirType gpu_token_to_token(MlirType type) {
  if (mlirTypeIsAGPUAsyncTokenType(type))
    return agpu__token_type(mlirTypeGetContext(type));
  MlirType payload = agpu__async_value_payload(type);
  if (mlirTypeIsNull(payload))
    return type;
  MlirType converted = agpu__retype_leaves(payload, gpu_token_to_token);
  return mlirTypeEqual(payload, converted) ? type
                                           : agpu__async_value_get(converted);
}

MlirType agpu__convert_object_type(MlirType type) {
  return agpu__retype_leaves(type, object_to_pointer);
}

static MlirType convert_gpu_token(MlirType type) {
  return agpu__retype_leaves(type, gpu_token_to_token);
}

void agpu__convert_object_types(MlirOperation module) {
  agpu__retype(module, agpu__convert_object_type);
  agpu__drop_idle_casts(module, "builtin.unrealized_conversion_cast");
}

void agpu__unify_token_types(MlirOperation module) {
  agpu__retype(module, convert_gpu_token);
  agpu__drop_idle_casts(module, "builtin.unrealized_conversion_cast");
}
