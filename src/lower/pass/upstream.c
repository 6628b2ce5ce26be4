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
#include "lower/pass/external_pass.h"
#include "lower/pass/progress.h"

#include <stdlib.h>
#include <string.h>

/// What agpu__upstream_on_manager was told.
static _Thread_local struct {
  void (*setup)(MlirPassManager manager, void *data);
  void *data;
  const agpu__pipeline_settings *settings;
} on_manager;

void agpu__upstream_on_manager(void (*setup)(MlirPassManager manager,
                                             void *data),
                               void *data,
                               const agpu__pipeline_settings *settings) {
  on_manager.setup = setup;
  on_manager.data = data;
  on_manager.settings = settings;
}

/// The name of the pass of `element`, which may be nested under an op. The
/// caller frees it.
static char *pass_name(const char *element) {
  const char *begin = element;
  size_t size;
  while (size = strcspn(begin, "({)"), begin[size] == '(')
    begin += size + 1;
  return agpu__format("%.*s", (int)size, begin);
}

static void add_print(MlirPassManager manager, const char *when,
                      const char *element, const char *const *names,
                      size_t count) {
  char *name = pass_name(element);
  for (size_t i = 0; i < count; ++i)
    if (!strcmp(names[i], name))
      mlirPassManagerAddOwnedPass(
          manager, agpu__print_pass_create(
                       when, name, on_manager.settings->print_module_scope));
  free(name);
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

static MlirLogicalResult run_element(MlirOperation op, const char *element) {
  const agpu__pipeline_settings *s = on_manager.settings;
  agpu__text error = {0};
  MlirPassManager manager = mlirPassManagerCreateOnOperation(
      mlirOperationGetContext(op), agpu__op_name(op));
  mlirPassManagerEnableVerifier(manager, false);
  if (on_manager.setup)
    on_manager.setup(manager, on_manager.data);
  if (s)
    add_print(manager, "Before", element, s->print_before,
              s->print_before_count);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(manager), agpu__str(element),
      agpu__text_callback, &error);
  if (s)
    add_print(manager, "After", element, s->print_after, s->print_after_count);
  agpu__progress_set_detail(element);
  if (mlirLogicalResultIsFailure(result))
    result = agpu__error(mlirOperationGetLocation(op),
                         "upstream rejects its own pipeline: %s",
                         agpu__text_get(&error));
  else
    result = mlirPassManagerRunOnOp(manager, op);
  agpu__progress_set_detail(NULL);
  mlirPassManagerDestroy(manager);
  agpu__text_free(&error);
  return result;
}

MlirLogicalResult agpu__upstream_run(MlirOperation op, const char *pipeline) {
  agpu__context_register_passes();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  while (*pipeline && mlirLogicalResultIsSuccess(result)) {
    size_t size = element_size(pipeline);
    char *element = agpu__format("%.*s", (int)size, pipeline);
    result = run_element(op, element);
    free(element);
    pipeline += size + (pipeline[size] == ',');
  }
  return result;
}
