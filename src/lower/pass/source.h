//===- source.h - Input text and its modules --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API gives a name to text only when it reads the file itself. Input
// also comes from stdin, pipes and pieces of a file, so it is read here and
// the locations get their file name after parsing.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_SOURCE_H
#define ASYNC_GPU_LOWER_SOURCE_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"

/// The file name in locations of text that has no name. Diagnostics of the
/// parser itself carry it.
#define AGPU_SOURCE_UNNAMED "-"

/// Appends the contents of the file `path`, or of stdin for "-". On failure:
/// false, and a message is appended to `error`.
bool agpu__source_read(const char *path, agpu__text *contents,
                       agpu__text *error);

/// The same of a file that is expected to have at most `limit` bytes: one that
/// has more is an error, and is not read to its end, which may never come.
bool agpu__source_read_up_to(const char *path, size_t limit,
                             agpu__text *contents, agpu__text *error);

/// The name that diagnostics and locations use for `path`: "<stdin>" for "-".
const char *agpu__source_name(const char *path);

/// True if the text holds nothing but white space and comments.
bool agpu__source_is_blank(const char *text, size_t size);

/// The error that a blank input is: a diagnostic at its beginning. (MLIR itself
/// takes it for an empty module, which no one has meant.)
void agpu__source_report_blank(MlirContext context, const char *name);

/// Parses and verifies `text` (NUL-terminated beyond `size`, or bytecode) as a
/// module whose locations are in the file `name`. Null after an error, which
/// went to the context's diagnostic handlers.
MlirModule agpu__source_parse(MlirContext context, const char *name,
                              const char *text, size_t size);

#endif // ASYNC_GPU_LOWER_SOURCE_H
