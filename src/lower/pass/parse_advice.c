//===- parse_advice.c - What to do where the parser gives up --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes by the words of MLIR's messages, which are all that a handler sees of an
// error. MLIR lists no ops: names that differ in one letter are tried.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/ir/ir.h"
#include "lower/ir/nearest.h"

#include <stdlib.h>

/// Dialects of front ends, and what makes of them what this compiler knows.
static const struct {
  const char *dialect, *advice;
} front_ends[] = {
    {"stablehlo", "stablehlo-opt --stablehlo-legalize-to-linalg"},
    {"chlo", "stablehlo-opt --chlo-legalize-to-stablehlo "
             "--stablehlo-legalize-to-linalg"},
    {"vhlo", "stablehlo-opt --vhlo-to-version=target=current "
             "--vhlo-legalize-to-stablehlo --stablehlo-legalize-to-linalg"},
    {"mhlo", "stablehlo's tools, from StableHLO"},
    {"torch", "torch-mlir-opt "
              "--torch-backend-to-linalg-on-tensors-backend-pipeline"},
    {"torch_c", "torch-mlir-opt "
                "--torch-backend-to-linalg-on-tensors-backend-pipeline"},
    {"onnx", "onnx-mlir, or torch-mlir-opt with its ONNX pipelines"},
    {"tf", "TensorFlow's converter to StableHLO"},
    {"tfl", "TensorFlow's converter to StableHLO or TOSA"},
    {"tt", "Triton's own compiler"},
};
enum { FRONT_END_COUNT = AGPU__COUNT(front_ends) };

static const struct {
  const char *ending, *language;
} foreign[] = {
    {".cu", "CUDA C++"}, {".cuh", "CUDA C++"}, {".c", "C"},
    {".h", "C"},         {".cc", "C++"},       {".cpp", "C++"},
    {".hpp", "C++"},     {".py", "Python"},    {".ptx", "PTX"},
    {".ll", "LLVM IR"},  {".onnx", "ONNX"},    {".cl", "OpenCL C"},
};

/// What stands between `before` and the next `end` in `message`: a new string,
/// or NULL.
static char *between(const char *message, const char *before, const char *end) {
  const char *begin = strstr(message, before);
  if (!begin)
    return NULL;
  begin += strlen(before);
  size_t size = strcspn(begin, end);
  return begin[size] && size ? strndup(begin, size) : NULL;
}

static bool is_op(MlirContext context, const char *name) {
  return mlirContextIsRegisteredOperation(context, agpu__str(name));
}

/// `name` with one letter left out, two exchanged, one replaced or one put in
/// at `at`, if that is an op: a new string.
static char *find_edit(MlirContext context, const char *name, size_t at) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789.";
  size_t size = strlen(name);
  char *text = malloc(size + 2);
  if (!text)
    agpu__out_of_memory();
  if (at + 1 < size) {
    memcpy(text, name, size + 1);
    text[at] = name[at + 1];
    text[at + 1] = name[at];
    if (is_op(context, text))
      return text;
  }
  if (at < size) {
    memcpy(text, name, at);
    memcpy(text + at, name + at + 1, size - at);
    if (is_op(context, text))
      return text;
  }
  for (const char *letter = letters; *letter; ++letter) {
    memcpy(text, name, size + 1);
    text[at] = *letter;
    text[at < size ? size : size + 1] = '\0';
    if (is_op(context, text))
      return text;
    memcpy(text + at + 1, name + at, size - at + 1);
    text[at] = *letter;
    if (is_op(context, text))
      return text;
  }
  free(text);
  return NULL;
}

static char *find_op(MlirContext context, const char *name) {
  const char *dot = strchr(name, '.');
  // Ops of func had no prefix once.
  char *longer = dot ? NULL : agpu__format("func.%s", name);
  if (longer && is_op(context, longer))
    return longer;
  free(longer);
  char *found = NULL;
  for (size_t at = dot ? (size_t)(dot - name) + 1 : 0;
       at <= strlen(name) && !found; ++at)
    found = find_edit(context, name, at);
  return found;
}

static bool advise_op(MlirContext context, const char *message,
                      const char *name, agpu__text *out) {
  char *found = find_op(context, name);
  if (found)
    agpu__text_printf(out, "%s; did you mean '%s'?", message, found);
  free(found);
  return found;
}

static bool advise_front_end(const char *dialect, agpu__text *out) {
  for (size_t i = 0; i < FRONT_END_COUNT; ++i)
    if (strcmp(front_ends[i].dialect, dialect) == 0) {
      agpu__text_printf(out,
                        "the dialect '%s' is a front end's: lower it to linalg "
                        "first, with %s",
                        dialect, front_ends[i].advice);
      return true;
    }
  return false;
}

/// An op of a dialect that does not exist.
static bool advise_dialect(MlirDiagnostic error, const char *dialect,
                           const char *name, agpu__text *out) {
  if (advise_front_end(dialect, out))
    return true;
  AGPU__SCOPED(text) note = {0}, names = {0};
  if (mlirDiagnosticGetNumNotes(error) > 0)
    mlirDiagnosticPrint(mlirDiagnosticGetNote(error, 0), agpu__text_callback,
                        &note);
  agpu__compat_listed_dialects(agpu__text_get(&note), &names);
  const char *best = NULL;
  size_t distance = (size_t)-1;
  char *rest = names.data;
  for (char *known; (known = strsep(&rest, ","));)
    agpu__nearest_name(dialect, known, &best, &distance);
  const char *dot = strchr(name, '.');
  if (best && dot)
    agpu__text_printf(out,
                      "there is no dialect '%s', of the op '%s'; did you mean "
                      "'%s%s'?",
                      dialect, name, best, dot);
  return best && dot;
}

bool agpu__parse_advice(MlirContext context, MlirDiagnostic error,
                        const char *message, agpu__text *out) {
  bool advised = false;
  AGPU__OWNED char *dialect = between(message, "Dialect `", "'");
  AGPU__OWNED char *op = between(message, "custom op '", "'");
  AGPU__OWNED char *generic = between(message, "unregistered operation '", "'");
  AGPU__OWNED char *type = between(message, "`!\"", "\"");
  if (dialect && op)
    advised = advise_dialect(error, dialect, op, out);
  else if (op && strstr(message, "' is unknown"))
    advised = advise_op(context, message, op, out);
  else if (generic)
    advised = advise_op(context, message, generic, out);
  else if (type && strstr(message, "unregistered dialect"))
    advised = advise_front_end(type, out);
  return advised;
}

const char *agpu__parse_foreign(const char *file) {
  const char *dot = strrchr(file, '.');
  for (size_t i = 0; dot && i < AGPU__COUNT(foreign); ++i)
    if (strcmp(foreign[i].ending, dot) == 0)
      return foreign[i].language;
  return NULL;
}
