//===- upstream.c - Upstream's passes inside of ours ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's passes inside one of ours, each in a pass manager of its own, so
// that a crash can name the one that ran.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/upstream.h"

#include "lower/ir/ir.h"
#include "lower/ir/text.h"
#include "lower/pass/context.h"
#include "lower/pass/progress.h"

#include <stdlib.h>

/// What agpu__upstream_on_manager was told.
static _Thread_local struct {
  void (*setup)(MlirPassManager manager, void *data);
  void *data;
} on_manager;

void agpu__upstream_on_manager(void (*setup)(MlirPassManager manager,
                                             void *data),
                               void *data) {
  on_manager.setup = setup;
  on_manager.data = data;
}

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
  if (on_manager.setup)
    on_manager.setup(manager, on_manager.data);
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
