//===- upstream.c - Upstream's passes inside of ours ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/pass/upstream.h"

#include "lower/ir/ir.h"
#include "lower/ir/text.h"
#include "lower/pass/context.h"
#include "lower/pass/progress.h"

#include "mlir-c/Pass.h"

#include <stdlib.h>

/// The length of the first element of `pipeline`, up to a comma that is in no
/// brackets.
static size_t element_size(const char *pipeline) {
  int depth = 0;
  size_t size = 0;
  for (; pipeline[size] && (depth || pipeline[size] != ','); ++size)
    depth += (pipeline[size] == '{' || pipeline[size] == '(') -
             (pipeline[size] == '}' || pipeline[size] == ')');
  return size;
}

static MlirLogicalResult run_element(MlirOperation module,
                                     const char *element) {
  agpu__text error = {0};
  MlirPassManager manager = mlirPassManagerCreateOnOperation(
      mlirOperationGetContext(module), agpu__str("builtin.module"));
  mlirPassManagerEnableVerifier(manager, false);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(manager), agpu__str(element),
      agpu__text_callback, &error);
  agpu__progress_set_detail(element);
  if (mlirLogicalResultIsFailure(result))
    result = agpu__error(mlirOperationGetLocation(module),
                         "upstream does not take its own pipeline: %s",
                         agpu__text_get(&error));
  else
    result = mlirPassManagerRunOnOp(manager, module);
  agpu__progress_set_detail(NULL);
  mlirPassManagerDestroy(manager);
  agpu__text_free(&error);
  return result;
}

MlirLogicalResult agpu__upstream_run(MlirOperation module,
                                     const char *pipeline) {
  agpu__context_register_passes();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  while (*pipeline && mlirLogicalResultIsSuccess(result)) {
    size_t size = element_size(pipeline);
    char *element = agpu__format("%.*s", (int)size, pipeline);
    result = run_element(module, element);
    free(element);
    pipeline += size + (pipeline[size] == ',');
  }
  return result;
}
