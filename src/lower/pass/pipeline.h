//===- pipeline.h - From a text to passes that run -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the text of a pipeline to passes that run: its syntax, the passes that
// are made of it, their options, and what is watched meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PIPELINE_H
#define ASYNC_GPU_LOWER_PIPELINE_H

#include "lower/ir/llvm_compat.h"
#include "lower/pass/pass.h"

#include "mlir-c/Diagnostics.h"

//===----------------------------------------------------------------------===//
// The text of a pass pipeline
//
// Reads mlir-opt's textual pipelines into a tree, without asking what the
// names mean:
//
//     pipeline ::= element (',' element)*
//     element  ::= name '{' options '}'  |  name '(' pipeline ')'  |  name
//
// Braces nest inside options, and text in quotes is taken as it stands.
//===----------------------------------------------------------------------===//

typedef struct agpu__pipeline_node agpu__pipeline_node;

/// A sequence of elements. Zero-initialise; free with agpu__pipeline_free.
typedef struct agpu__pipeline_list {
  agpu__pipeline_node *nodes;
  size_t count, capacity;
} agpu__pipeline_list;

struct agpu__pipeline_node {
  char *name;    ///< of a pass, a named pipeline or, if nested, an op
  char *options; ///< the text between the braces; NULL without braces
  bool nested;   ///< name(...): `children` run on ops called `name`
  agpu__pipeline_list children;
};

/// Appends the elements of `text` to `list`. On malformed text: false, and a
/// message that ends in the text with a caret is appended to `error`; the list
/// then holds what came before.
bool agpu__pipeline_parse(const char *text, agpu__pipeline_list *list,
                          agpu__text *error);

/// Appends one pass with its options (NULL: none); both are copied.
void agpu__pipeline_append(agpu__pipeline_list *list, const char *name,
                           const char *options);

/// Appends the text of one element, as agpu__pipeline_parse reads it.
void agpu__pipeline_print(const agpu__pipeline_node *node, agpu__text *text);

void agpu__pipeline_free(agpu__pipeline_list *list);

//===----------------------------------------------------------------------===//
// From a pipeline's text to passes
//
// Fills a pass manager from a parsed pipeline: async-gpu's passes become
// external passes, its named pipelines are expanded, and everything else goes
// to upstream's own pipeline parser in runs as long as possible. Upstream's
// passes must be registered (agpu__context_register_passes). What is watched
// while they run is below.
//===----------------------------------------------------------------------===//

/// Upstream's pass that writes a file: the one that its option `filename`
/// names.
#define AGPU__SNAPSHOT_PASS "snapshot-op-locations"

typedef struct agpu__pipeline_settings {
  /// Elements are single passes of a command line: one that runs on another op
  /// than the module is nested under it.
  bool nest_implicitly;
  /// The op that the manager runs on; NULL: builtin.module.
  const char *anchor;
  /// What is built is appended here as text, with pipelines of ours expanded;
  /// NULL: nowhere.
  agpu__text *expanded;
} agpu__pipeline_settings;

/// Adds the elements of `list`, which run on `builtin.module`. False on an
/// unknown pass or a bad option, with a message appended to `error`; the pass
/// manager is then good only for being destroyed.
bool agpu__pipeline_build(const agpu__pipeline_list *list,
                          MlirOpPassManager manager,
                          const agpu__pipeline_settings *settings,
                          agpu__text *error);

/// Runs the pipeline `text` ("a,b{x=1},func.func(c)") on `module` and verifies
/// what comes out. A malformed pipeline leaves `*out_built` false and appends a
/// message to `error`; passes that fail emit diagnostics.
MlirLogicalResult agpu__pipeline_run(MlirOperation module, const char *text,
                                     bool *out_built, agpu__text *error);

/// Runs `manager` on `module`, and makes sure that a failure has a diagnostic
/// and that an error is a failure, whatever the pass that emitted it returned.
MlirLogicalResult agpu__pipeline_run_manager(MlirPassManager manager,
                                             MlirOperation module);

/// True if `name` is a pass or pipeline, ours or upstream's.
bool agpu__pass_exists(MlirContext context, const char *name);

/// The row of the pass or pipeline called `argument`, or NULL.
const agpu_pass *agpu__find_pass(const char *argument);
const agpu_pipeline *agpu__find_pipeline(const char *argument);

//===----------------------------------------------------------------------===//
// Option values of one use of a pass
//
// MLIR's C API gives external passes no options, so async-gpu reads them
// itself, in mlir-opt's syntax: `name=value other={a b} flag`, separated by
// spaces, values in braces or quotes where they hold spaces.
//===----------------------------------------------------------------------===//

/// Reads `text` (may be NULL: all defaults) against `options` into a new
/// object. On an unknown option or a malformed value: NULL, and a message
/// without full stop is appended to `error`. `argument` is the name of the
/// pass, for messages. `options` must outlive the result.
agpu_pass_values *agpu__pass_values_create(const char *argument,
                                           const agpu_pass_option *options,
                                           size_t count, const char *text,
                                           agpu__text *error);

/// A copy with a life of its own.
agpu_pass_values *agpu__pass_values_clone(const agpu_pass_values *values);

/// The text of a pipeline (agpu_pipeline) with these values. The caller frees
/// it.
char *agpu__pass_values_fill(const agpu_pass_values *values, const char *text);

/// NULL is allowed.
void agpu__pass_values_release(agpu_pass_values *values);

//===----------------------------------------------------------------------===//
// Rows of the pass table as MLIR passes
//===----------------------------------------------------------------------===//

/// A pass on the op that `pass` is for that runs it with `values` (taken over).
/// The caller adds it to a pass manager, which owns it then. With `checks` it
/// first checks the attributes of all that the op holds (attributes.h). What is
/// to be said of upstream's passes after it (progress.h) can be put into
/// `**out_behind`, a string of malloc's that the pass then owns.
MlirPass agpu__external_pass_create(const agpu_pass *pass,
                                    agpu_pass_values *values, bool checks,
                                    char ***out_behind);

/// A pass on any op that prints the IR to stderr under a line that says when:
/// `when` ("Before" or "After") and the name of the pass beside it.
MlirPass agpu__print_pass_create(const char *when, const char *argument,
                                 bool module_scope);

/// A pass on any op that notifies the observer that `pipeline`,
/// of one pass, is about to run on the op, unless `**out_silent` has been set
/// before.
MlirPass agpu__tell_pass_create(const char *pipeline, bool **out_silent);

//===----------------------------------------------------------------------===//
// What is watched while passes run
//
// Times, statistics, the IR around passes: what a tool's user asks for holds
// for all pass managers of the thread, those inside of our passes too.
//===----------------------------------------------------------------------===//

typedef struct agpu__name_list {
  char **names;
  size_t count;
} agpu__name_list;

typedef struct agpu__instruments {
  bool timing;
  bool statistics;
  bool statistics_as_list; ///< not as passes are nested
  agpu__ir_printing printing;
  agpu__name_list before, after; ///< passes around which the IR is printed
  /// Told before each pass of ours and of upstream's, outside and inside: the
  /// op that it is about to run on, and a pipeline of it alone, for a module.
  /// NULL: nobody is.
  void (*on_pass)(MlirOperation op, const char *pipeline, void *data);
  void *data;
} agpu__instruments;

/// From now on this thread's pass managers follow `instruments`, which the
/// caller keeps; NULL: none.
void agpu__instruments_use(const agpu__instruments *instruments);

/// What this thread's follow; never NULL.
const agpu__instruments *agpu__instruments_get(void);

/// Sets a new pass manager up. `inside`: it is one of a pass of ours.
void agpu__instruments_set_up(MlirPassManager manager, bool inside);

/// True if one of the names, separated by anything but letters, digits and
/// dashes, in `text` is in the list: `text` is an element of a pipeline.
bool agpu__name_list_has(const agpu__name_list *list, const char *text);

//===----------------------------------------------------------------------===//
// An MLIR context that knows everything
//===----------------------------------------------------------------------===//

/// A new context, without threads of its own, with all of upstream's dialects,
/// extensions and translations to LLVM IR registered, the ones that our passes
/// build loaded, and the `agpu` dialect. The caller destroys it with
/// mlirContextDestroy.
MlirContext agpu__context_create(void);

/// Loads the same dialects in a context that is another's, which has upstream's
/// registered. Once for each context.
void agpu__context_load_dialects(MlirContext context);

/// Registers upstream's passes, once for the process; further calls do
/// nothing. Thread safe.
void agpu__context_register_passes(void);

//===----------------------------------------------------------------------===//
// Which passes upstream has
//===----------------------------------------------------------------------===//

/// Calls `visit` for each pass of upstream's that is registered
/// (agpu__context_register_passes), in the order of their names, which live
/// during the call.
void agpu__upstream_each_pass(MlirContext context,
                              void (*visit)(const char *name,
                                            const char *description,
                                            void *data),
                              void *data);

//===----------------------------------------------------------------------===//
// What the source calls a result
//
// MLIR's parser forgets the names of values. Regions keep one, so that remarks,
// pictures and traces can call them by it.
//===----------------------------------------------------------------------===//

/// The name of the last result, of those that have one that is no number, of
/// the op that stands at `op` in `text`: "squares" of `%0, %squares =
/// async.execute`. It is in the text; empty where there is none.
MlirStringRef agpu__result_name(const char *text, const char *op);

//===----------------------------------------------------------------------===//
// What to do where the parser gives up
//===----------------------------------------------------------------------===//

/// For `error` of MLIR's parser, which says `message`, about an op, a type or a
/// dialect that it does not know: the message with what may have been meant, or
/// what has to be done before, in `out`. False where nothing better is known;
/// then `out` is as it was.
bool agpu__parse_advice(MlirContext context, MlirDiagnostic error,
                        const char *message, agpu__text *out);

/// What a file is by the end of its name, if that is no MLIR: "CUDA C++". NULL:
/// it may be MLIR.
const char *agpu__parse_foreign(const char *file);

//===----------------------------------------------------------------------===//
// torch-mlir's ops as MLIR can read them
//===----------------------------------------------------------------------===//

/// True if the program has ops of torch-mlir's dialect tm_tensor, which has to
/// be parsed as an unregistered one.
bool agpu__has_tm_tensor(const char *text, size_t size);

/// Appends the program, in which ops of tm_tensor stand in MLIR's generic form.
/// Each is on the line that it was on. What is not well formed stays as it is,
/// for the parser to report.
void agpu__tm_tensor_rewrite(const char *text, size_t size, agpu__text *out);

#endif // ASYNC_GPU_LOWER_PIPELINE_H
