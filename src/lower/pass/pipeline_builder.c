//===- pipeline_builder.c - From a pipeline's text to passes --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a parsed pipeline into passes. What is not ours goes to upstream's
// parser as text, in runs as long as possible; named pipelines of ours are
// expanded first.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/ir/ir.h"
#include "lower/pass/progress.h"

#include <stdlib.h>

/// Named pipelines that name each other deeper than this name themselves.
enum { MAX_EXPANSIONS = 16 };

typedef struct builder {
  const agpu__pipeline_settings *settings;
  const agpu__instruments *watch;
  agpu__text
      nest;  ///< the ops around what is built: "builtin.module(func.func("
  int depth; ///< how many
  agpu__text *error;
  agpu__text run; ///< upstream elements not yet handed over
  int expansions;
  bool module_checked; ///< a pass checks the attributes of the whole module
  char **behind;       ///< where to say what the upstream passes next added are
} builder;

/// What this thread's latest pipeline begins with, if that is upstream's.
static _Thread_local char *first_run;

const agpu_pass *agpu__find_pass(const char *argument) {
  for (size_t i = 0; i < agpu__pass_count; ++i)
    if (strcmp(agpu__passes[i]->argument, argument) == 0)
      return agpu__passes[i];
  return NULL;
}

const agpu_pipeline *agpu__find_pipeline(const char *argument) {
  for (size_t i = 0; i < agpu__pipeline_count; ++i)
    if (strcmp(agpu__pipelines[i]->argument, argument) == 0)
      return agpu__pipelines[i];
  return NULL;
}

bool agpu__pass_exists(MlirContext context, const char *name) {
  if (agpu__find_pass(name) || agpu__find_pipeline(name))
    return true;
  // Upstream tells by whether a pipeline of this one name can be built.
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(context, agpu__str("builtin.module"));
  AGPU__SCOPED(text) message = {0};
  bool exists = mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
                    mlirPassManagerGetAsOpPassManager(manager), agpu__str(name),
                    agpu__text_callback, &message)) ||
                !agpu__compat_is_unknown_pass(agpu__text_get(&message));
  mlirPassManagerDestroy(manager);
  return exists;
}

/// True if upstream can take the element as it stands.
static bool is_upstream(const builder *b, const agpu__pipeline_node *node) {
  if (!node->nested)
    return !agpu__find_pass(node->name) && !agpu__find_pipeline(node->name) &&
           !b->watch->on_pass &&
           !agpu__name_list_has(&b->watch->before, node->name) &&
           !agpu__name_list_has(&b->watch->after, node->name);
  // Its parser alone knows how to nest under any op.
  if (b->watch->on_pass && strcmp(node->name, "any"))
    return false;
  for (size_t i = 0; i < node->children.count; ++i)
    if (!is_upstream(b, &node->children.nodes[i]))
      return false;
  return true;
}

/// Notes an element, or the beginning of one that holds others.
static void note(builder *b, const char *element) {
  agpu__text *out = b->settings->expanded;
  if (!out)
    return;
  if (out->size && out->data[out->size - 1] != '(')
    agpu__text_puts(out, ",");
  agpu__text_puts(out, element);
}

/// Has the observer notified before `element` runs in `manager`; `anchor` is
/// the op that it is nested under besides, or NULL. What makes it silent again
/// is the result; NULL: there is no observer.
static bool *tell_before(builder *b, MlirOpPassManager manager,
                         const char *element, const char *anchor) {
  if (!b->watch->on_pass)
    return NULL;
  AGPU__SCOPED(text) text = {0};
  agpu__text_puts(&text, "builtin.module(");
  agpu__text_puts(&text, agpu__text_get(&b->nest));
  agpu__text_printf(&text, anchor ? "%s(%s)" : "%s%s", anchor ? anchor : "",
                    element);
  for (int i = 0; i < b->depth + 1; ++i)
    agpu__text_puts(&text, ")");
  bool *silent;
  mlirOpPassManagerAddOwnedPass(manager,
                                agpu__tell_pass_create(text.data, &silent));
  return silent;
}

/// Hands the collected run to upstream's parser.
static bool flush(builder *b, MlirOpPassManager manager) {
  if (!b->run.size)
    return true;
  AGPU__OWNED char *before = *b->behind;
  *b->behind = before ? agpu__format("%s,%s", before, b->run.data)
                      : agpu__format("it ran upstream's %s", b->run.data);
  agpu__text message = {0};
  bool *silent = tell_before(b, manager, b->run.data, NULL);
  bool ok = mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
      manager, agpu__str(b->run.data), agpu__text_callback, &message));
  AGPU__OWNED char *anchor = NULL;
  if (!ok && b->settings->nest_implicitly &&
      (anchor = agpu__compat_required_anchor(agpu__text_get(&message)))) {
    agpu__text_free(&message);
    manager = mlirOpPassManagerGetNestedUnder(manager, agpu__str(anchor));
    if (silent)
      *silent = true;
    tell_before(b, manager, b->run.data, anchor);
    ok = mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
        manager, agpu__str(b->run.data), agpu__text_callback, &message));
  }
  AGPU__OWNED char *nested =
      anchor ? agpu__format("%s(%s)", anchor, b->run.data) : NULL;
  note(b, nested ? nested : b->run.data);
  if (!ok) {
    AGPU__SCOPED(text) reason = {0};
    agpu__compat_pipeline_error(agpu__text_get(&message), &reason);
    agpu__text_printf(b->error, "%s\nin the pipeline '%s'",
                      agpu__text_get(&reason), b->run.data);
  }
  agpu__text_free(&message);
  b->run.size = 0;
  return ok;
}

static bool build_list(builder *b, const agpu__pipeline_list *list,
                       MlirOpPassManager manager, const char *anchor);

/// The op that a pass or pipeline of ours runs on.
static const char *anchor_of(const agpu_pass *pass,
                             const agpu_pipeline *pipeline) {
  const char *anchor = pass ? pass->anchor : pipeline ? pipeline->anchor : NULL;
  return anchor ? anchor : "builtin.module";
}

static bool check_anchor(builder *b, const char *name, const char *wanted,
                         const char *anchor) {
  if (strcmp(anchor, wanted) == 0)
    return true;
  agpu__text_printf(b->error, "'%s' runs on '%s', but stands inside '%s(...)'",
                    name, wanted, anchor);
  return false;
}

static bool expand(builder *b, const agpu_pipeline *pipeline,
                   const agpu__pipeline_node *node, MlirOpPassManager manager,
                   const char *anchor) {
  if (!check_anchor(b, node->name, anchor_of(NULL, pipeline), anchor))
    return false;
  agpu_pass_values *values =
      agpu__pass_values_create(pipeline->argument, pipeline->options,
                               pipeline->option_count, node->options, b->error);
  if (!values)
    return false;
  AGPU__OWNED char *text = agpu__pass_values_fill(values, pipeline->text);
  agpu__pass_values_release(values);
  agpu__pipeline_list list = {0};
  bool ok = agpu__pipeline_parse(text, &list, b->error);
  ++b->expansions;
  if (ok && b->expansions > MAX_EXPANSIONS) {
    agpu__text_printf(b->error, "the pipeline '%s' contains itself",
                      node->name);
    ok = false;
  }
  ok = ok && build_list(b, &list, manager, anchor);
  --b->expansions;
  agpu__pipeline_free(&list);
  return ok;
}

static bool add_own_pass(builder *b, const agpu_pass *pass,
                         const agpu__pipeline_node *node,
                         MlirOpPassManager manager, const char *anchor) {
  if (!check_anchor(b, node->name, anchor_of(pass, NULL), anchor))
    return false;
  agpu_pass_values *values =
      agpu__pass_values_create(pass->argument, pass->options,
                               pass->option_count, node->options, b->error);
  if (!values)
    return false;
  AGPU__SCOPED(text) element = {0};
  agpu__pipeline_print(node, &element);
  tell_before(b, manager, element.data, NULL);
  note(b, element.data);
  mlirOpPassManagerAddOwnedPass(
      manager,
      agpu__external_pass_create(pass, values, !b->module_checked, &b->behind));
  b->module_checked |= !pass->anchor;
  return true;
}

/// Adds the elements of `list`, which run on ops called `anchor`, in `manager`.
static bool build_nested(builder *b, const agpu__pipeline_list *list,
                         MlirOpPassManager manager, const char *anchor) {
  size_t size = b->nest.size;
  AGPU__OWNED char *begin = agpu__format("%s(", anchor);
  agpu__text_puts(&b->nest, begin);
  ++b->depth;
  note(b, begin);
  bool ok = build_list(
      b, list, mlirOpPassManagerGetNestedUnder(manager, agpu__str(anchor)),
      anchor);
  --b->depth;
  b->nest.size = size;
  b->nest.data[size] = '\0';
  if (b->settings->expanded)
    agpu__text_puts(b->settings->expanded, ")");
  return ok;
}

/// Adds one element that upstream cannot take as it stands.
static bool build_node(builder *b, const agpu__pipeline_node *node,
                       MlirOpPassManager manager, const char *anchor) {
  if (node->nested)
    return build_nested(b, &node->children, manager, node->name);
  const agpu_pass *pass = agpu__find_pass(node->name);
  const agpu_pipeline *pipeline = agpu__find_pipeline(node->name);
  const char *wanted = anchor_of(pass, pipeline);
  if (b->settings->nest_implicitly && (pass || pipeline) &&
      strcmp(wanted, anchor)) {
    agpu__pipeline_list alone = {(agpu__pipeline_node *)node, 1, 1};
    return build_nested(b, &alone, manager, wanted);
  }
  bool whole = b->watch->printing.module_scope;
  if (agpu__name_list_has(&b->watch->before, node->name))
    mlirOpPassManagerAddOwnedPass(
        manager, agpu__print_pass_create("Before", node->name, whole));
  bool ok;
  if (pass) {
    ok = add_own_pass(b, pass, node, manager, anchor);
  } else if (pipeline) {
    ok = expand(b, pipeline, node, manager, anchor);
  } else {
    agpu__pipeline_print(node, &b->run);
    ok = flush(b, manager);
  }
  if (ok && agpu__name_list_has(&b->watch->after, node->name))
    mlirOpPassManagerAddOwnedPass(
        manager, agpu__print_pass_create("After", node->name, whole));
  return ok;
}

static bool build_list(builder *b, const agpu__pipeline_list *list,
                       MlirOpPassManager manager, const char *anchor) {
  for (size_t i = 0; i < list->count; ++i) {
    const agpu__pipeline_node *node = &list->nodes[i];
    if (!is_upstream(b, node)) {
      if (!flush(b, manager) || !build_node(b, node, manager, anchor))
        return false;
      continue;
    }
    if (b->run.size)
      agpu__text_puts(&b->run, ",");
    agpu__pipeline_print(node, &b->run);
    // Only a pass on its own can be nested where it belongs.
    if (b->settings->nest_implicitly && !flush(b, manager))
      return false;
  }
  return flush(b, manager);
}

/// Without a name, upstream makes a temporary file that nobody removes.
static bool check_snapshots(const agpu__pipeline_list *list,
                            agpu__text *error) {
  for (size_t i = 0; i < list->count; ++i) {
    const agpu__pipeline_node *node = &list->nodes[i];
    if (!check_snapshots(&node->children, error))
      return false;
    if (strcmp(node->name, AGPU__SNAPSHOT_PASS) != 0 ||
        (node->options && strstr(node->options, "filename=")))
      continue;
    agpu__text_puts(error, "'" AGPU__SNAPSHOT_PASS
                           "' writes a file: name it, as in '" //
                    AGPU__SNAPSHOT_PASS "{filename=FILE.mlir}'");
    return false;
  }
  return true;
}

bool agpu__pipeline_build(const agpu__pipeline_list *list,
                          MlirOpPassManager manager,
                          const agpu__pipeline_settings *settings,
                          agpu__text *error) {
  builder b = {.settings = settings,
               .watch = agpu__instruments_get(),
               .error = error,
               .behind = &first_run};
  free(first_run);
  first_run = NULL;
  bool ok = check_snapshots(list, error) &&
            build_list(&b, list, manager,
                       settings->anchor ? settings->anchor : "builtin.module");
  agpu__text_free(&b.run);
  agpu__text_free(&b.nest);
  return ok;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Notices errors and leaves them to the handlers attached before.
static MlirLogicalResult note_error(MlirDiagnostic diagnostic, void *data) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError)
    *(bool *)data = true;
  return mlirLogicalResultFailure();
}

MlirLogicalResult agpu__pipeline_run_manager(MlirPassManager manager,
                                             MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  bool has_error = false;
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, note_error, &has_error, NULL);
  const char *before = agpu__progress_set(first_run);
  MlirLogicalResult result = mlirPassManagerRunOnOp(manager, module);
  (void)agpu__progress_set(before);
  mlirContextDetachDiagnosticHandler(context, handler);
  if (mlirLogicalResultIsFailure(result) && !has_error)
    mlirEmitError(mlirOperationGetLocation(module),
                  "a pass failed on this module without a diagnostic");
  // A reader of an error does not expect code.
  return has_error ? mlirLogicalResultFailure() : result;
}

MlirLogicalResult agpu__pipeline_run(MlirOperation module, const char *text,
                                     bool *out_built, agpu__text *error) {
  agpu__context_register_passes();
  MlirPassManager manager = mlirPassManagerCreateOnOperation(
      mlirOperationGetContext(module), agpu__str("builtin.module"));
  agpu__pipeline_list list = {0};
  agpu__pipeline_settings settings = {0};
  *out_built =
      agpu__pipeline_parse(text, &list, error) &&
      agpu__pipeline_build(&list, mlirPassManagerGetAsOpPassManager(manager),
                           &settings, error);
  agpu__pipeline_free(&list);
  agpu__instruments_set_up(manager, false);
  // Verifying after each pass costs more than the passes: once must do.
  mlirPassManagerEnableVerifier(manager, false);
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (*out_built)
    result = agpu__pipeline_run_manager(manager, module);
  if (mlirLogicalResultIsSuccess(result) && !mlirOperationVerify(module))
    result = mlirLogicalResultFailure();
  mlirPassManagerDestroy(manager);
  return result;
}
