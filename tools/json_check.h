//===- json_check.h - Is this JSON? -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_JSON_CHECK_H
#define ASYNC_GPU_TOOLS_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/// What is found in a text that should be one value of JSON (RFC 8259).
typedef struct agpu__json_check {
  /// NULL: it is one. Else what is wrong, where `line` and `column` say.
  const char *error;
  size_t line, column;
  bool is_array, is_object; ///< the value
  /// The member of the outermost object that was looked for: where its value
  /// begins in the text; NULL: there is none.
  const char *member;
} agpu__json_check;

/// Reads `text`, and looks for the member called `name`.
agpu__json_check agpu__json_check_text(const char *text, size_t size,
                                       const char *name);

#endif // ASYNC_GPU_TOOLS_JSON_CHECK_H
