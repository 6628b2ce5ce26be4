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

#include "lower/ir/embedded.h"
#include "lower/ir/ir.h"
#include "lower/pass/pipeline.h"
#include "lower/pass/progress.h"

#include <stdlib.h>
#include <string.h>

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
                      const char *element, const agpu__name_list *names) {
  AGPU__OWNED char *name = pass_name(element);
  if (agpu__name_list_has(names, name))
    mlirPassManagerAddOwnedPass(
        manager,
        agpu__print_pass_create(
            when, name, agpu__instruments_get()->printing.module_scope));
}

/// Says that `element` is about to run on `op`, which stands right in a module
/// where it is none.
static void tell(const agpu__instruments *watch, MlirOperation op,
                 const char *element) {
  MlirStringRef name = agpu__op_name(op);
  AGPU__OWNED char *alone =
      agpu__op_is(op, "builtin.module")
          ? agpu__format("builtin.module(%s)", element)
          : agpu__format("builtin.module(%.*s(%s))", AGPU__STR(name), element);
  watch->on_pass(op, alone, watch->data);
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
  AGPU__SCOPED(text) error = {0};
  MlirPassManager manager = mlirPassManagerCreateOnOperation(
      mlirOperationGetContext(op), agpu__op_name(op));
  mlirPassManagerEnableVerifier(manager, false);
  const agpu__instruments *watch = agpu__instruments_get();
  agpu__instruments_set_up(manager, true);
  if (watch->on_pass)
    tell(watch, op, element);
  add_print(manager, "Before", element, &watch->before);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(manager), agpu__str(element),
      agpu__text_callback, &error);
  add_print(manager, "After", element, &watch->after);
  agpu__progress_set_detail(element);
  if (mlirLogicalResultIsFailure(result))
    result = agpu__error(mlirOperationGetLocation(op),
                         "upstream rejects its own pipeline: %s",
                         agpu__text_get(&error));
  else
    result = mlirPassManagerRunOnOp(manager, op);
  agpu__progress_set_detail(NULL);
  mlirPassManagerDestroy(manager);
  return result;
}

MlirLogicalResult agpu__upstream_run(MlirOperation op, const char *pipeline) {
  agpu__context_register_passes();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  while (*pipeline && mlirLogicalResultIsSuccess(result)) {
    size_t size = element_size(pipeline);
    AGPU__OWNED char *element = agpu__format("%.*s", (int)size, pipeline);
    result = run_element(op, element);
    pipeline += size + (pipeline[size] == ',');
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Which passes upstream has
//
// MLIR's C API cannot list passes. Their names come from the headers that the
// build uses (cmake/ListPasses.cmake); what the library at hand does not know
// is left out.
//===----------------------------------------------------------------------===//

void agpu__upstream_each_pass(MlirContext context,
                              void (*visit)(const char *name,
                                            const char *description,
                                            void *data),
                              void *data) {
  const char *line = agpu__embedded("upstream-passes.txt");
  while (line && *line) {
    size_t size = strcspn(line, "\n"), name_size = strcspn(line, "\t\n");
    AGPU__OWNED char *name = agpu__format("%.*s", (int)name_size, line);
    AGPU__OWNED char *description =
        agpu__format("%.*s", (int)(size - name_size - (name_size < size)),
                     line + name_size + (name_size < size));
    if (*name && agpu__pass_exists(context, name))
      visit(name, description, data);
    line += size + (line[size] == '\n');
  }
}
