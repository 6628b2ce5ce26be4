//===- upstream.c - Upstream's passes inside of ours ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/upstream.h"

#include "lower/context.h"
#include "lower/ir.h"
#include "lower/text.h"

#include "mlir-c/Pass.h"

#include <string.h>

MlirLogicalResult agpu__upstream_run(MlirOperation module,
                                     const char *pipeline) {
  size_t size = strlen(pipeline);
  if (!size)
    return mlirLogicalResultSuccess();
  agpu__context_register_passes();
  agpu__text error = {0};
  MlirPassManager manager = mlirPassManagerCreateOnOperation(
      mlirOperationGetContext(module), agpu__str("builtin.module"));
  mlirPassManagerEnableVerifier(manager, false);
  // Without the comma at the end.
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(manager),
      mlirStringRefCreate(pipeline, size - 1), agpu__text_callback, &error);
  if (mlirLogicalResultIsFailure(result))
    result = agpu__error(mlirOperationGetLocation(module),
                         "upstream does not take its own pipeline: %s",
                         agpu__text_get(&error));
  else
    result = mlirPassManagerRunOnOp(manager, module);
  mlirPassManagerDestroy(manager);
  agpu__text_free(&error);
  return result;
}
