//===- template.h - IR that is written as text -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op expands to is easier to read as MLIR than as calls that build it.
// A template is a function in a file templates/*.mlir beside its user, with
// named holes, {{type}}, for what is known when it is used. The file's top says
// of each hole what it may be filled with:
//
//     // {{type}}: f32, vector<4xf16>
//
// A unit test parses each function with the holes so filled.
//
// A function has one block. A call in it, of another function of the file, is
// replaced by that one's body; where that is only declared (on one line), it is
// a place that the user of the template fills.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TEMPLATE_H
#define ASYNC_GPU_LOWER_TEMPLATE_H

#include "lower/ir/build.h"

/// What holes are filled with. Zero-initialise; free with agpu__holes_free.
typedef struct agpu__holes {
  struct {
    const char *name;
    char *text;
  } data[20];
  size_t count;
} agpu__holes;

/// Fills hole `name`, in printf form, or with a type as MLIR prints it. What it
/// was filled with before is gone.
void agpu__hole(agpu__holes *holes, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void agpu__hole_type(agpu__holes *holes, const char *name, MlirType type);
void agpu__holes_free(agpu__holes *holes);

/// A function of a file, and what is put in its holes and places.
typedef struct agpu__template {
  const char *file;     ///< "shuffles.mlir"
  const char *function; ///< without the @
  const agpu__holes *holes;
  /// NULL, or the functions themselves, without holes, in place of a file's.
  const char *text;
  /// Replaces `call`, which names `place`: builds at `at`, in front of it, and
  /// stores as many values as it has results. NULL: there are no such calls.
  void (*fill)(agpu__builder *at, const char *place, MlirOperation call,
               MlirValue *out_results, void *data);
  void *data;
} agpu__template;

/// Builds the function's body at `at`. It takes `arguments`; what it returns is
/// stored. All ops get the builder's location. Fails with a diagnostic there
/// where the text is malformed: what it is filled with has to be looked at
/// before. An unknown function and a hole that is not filled end the process.
MlirLogicalResult agpu__template_build(agpu__builder *at,
                                       const agpu__template *template,
                                       const MlirValue *arguments,
                                       MlirValue *out_results);

/// Replaces `op` by the function's body, which takes op's operands, then the
/// `extra_count` values of `extra`, and returns op's results. Where it fails,
/// `op` stays.
MlirLogicalResult agpu__template_replace(MlirOperation op,
                                         const agpu__template *template,
                                         const MlirValue *extra,
                                         size_t extra_count);

/// What was parsed of templates on one thread.
typedef struct agpu__templates agpu__templates;

/// Until the end, each text that a template is filled to is parsed once on this
/// thread. A beginning may stand between another and its end. Contexts have to
/// live until the end, which gives the number of texts that were parsed well.
agpu__templates *agpu__templates_begin(void);
size_t agpu__templates_end(agpu__templates *self);

/// The text of `template` with its holes filled; the caller frees it.
char *agpu__template_text(const agpu__template *template);

#endif // ASYNC_GPU_LOWER_TEMPLATE_H
