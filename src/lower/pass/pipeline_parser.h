//===- pipeline_parser.h - The text of a pass pipeline ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads mlir-opt's textual pipelines into a tree, without asking what the
// names mean:
//
//     pipeline ::= element (',' element)*
//     element  ::= name '{' options '}'  |  name '(' pipeline ')'  |  name
//
// Braces nest inside options, and text in quotes is taken as it stands.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PIPELINE_PARSER_H
#define ASYNC_GPU_LOWER_PIPELINE_PARSER_H

#include "lower/ir/text.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif // ASYNC_GPU_LOWER_PIPELINE_PARSER_H
