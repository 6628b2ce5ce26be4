//===- pipeline_parser.c - The text of a pass pipeline --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's textual pipelines, by recursive descent, without knowing any pass:
// names, options in braces as they stand, and what is nested in parentheses.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/ir/ops.h"

#include <ctype.h>
#include <stdlib.h>

/// Deeper nesting than any real pipeline has; it bounds the recursion.
enum { MAX_DEPTH = 64 };

typedef struct parser {
  const char *text; ///< the whole pipeline
  const char *at;   ///< the next character
  agpu__text *error;
} parser;

static agpu__pipeline_node *append(agpu__pipeline_list *list) {
  AGPU__GROW(list->nodes, list->count, list->capacity);
  agpu__pipeline_node *node = &list->nodes[list->count++];
  memset(node, 0, sizeof(*node));
  return node;
}

static bool fail(parser *p, const char *where, const char *message) {
  agpu__text_printf(p->error, "pipeline:1:%zu: %s\n%s\n%*s^",
                    (size_t)(where - p->text) + 1, message, p->text,
                    (int)(where - p->text), "");
  return false;
}

static void skip_spaces(parser *p) {
  while (isspace((unsigned char)*p->at))
    ++p->at;
}

/// Past the brace that closes the one at `p->at`. NULL where there is none.
static const char *closing_brace(const parser *p) {
  int depth = 0;
  for (const char *at = p->at; *at; ++at) {
    if (*at == '"' || *at == '\'') {
      at = strchr(at + 1, *at);
      if (!at)
        return NULL;
    } else if (*at == '{') {
      ++depth;
    } else if (*at == '}' && --depth == 0) {
      return at;
    }
  }
  return NULL;
}

static bool parse_list(parser *p, agpu__pipeline_list *list, int depth);

static bool parse_element(parser *p, agpu__pipeline_list *list, int depth) {
  skip_spaces(p);
  const char *begin = p->at;
  while (*p->at && !strchr(",(){}", *p->at) && !isspace((unsigned char)*p->at))
    ++p->at;
  if (p->at == begin)
    return fail(p, begin, "expected the name of a pass, pipeline or op");
  agpu__pipeline_node *node = append(list);
  node->name = agpu__format("%.*s", (int)(p->at - begin), begin);
  skip_spaces(p);
  if (*p->at == '{') {
    const char *close = closing_brace(p);
    if (!close)
      return fail(p, p->at, "expected '}' to close this brace");
    node->options = agpu__format("%.*s", (int)(close - p->at) - 1, p->at + 1);
    p->at = close + 1;
  } else if (*p->at == '(') {
    const char *open = p->at++;
    node->nested = true;
    skip_spaces(p);
    if (depth == MAX_DEPTH)
      return fail(p, open, "pipelines nest too deeply here");
    if (*p->at != ')' && !parse_list(p, &node->children, depth + 1))
      return false;
    if (*p->at != ')')
      return fail(p, *p->at ? p->at : open,
                  *p->at ? "expected ',' or ')'"
                         : "expected ')' to close this parenthesis");
    ++p->at;
  }
  skip_spaces(p);
  return true;
}

static bool parse_list(parser *p, agpu__pipeline_list *list, int depth) {
  if (!parse_element(p, list, depth))
    return false;
  while (*p->at == ',') {
    ++p->at;
    if (!parse_element(p, list, depth))
      return false;
  }
  return true;
}

bool agpu__pipeline_parse(const char *text, agpu__pipeline_list *list,
                          agpu__text *error) {
  parser p = {.text = text, .at = text, .error = error};
  skip_spaces(&p);
  if (!*p.at)
    return true;
  if (!parse_list(&p, list, 0))
    return false;
  if (*p.at)
    return fail(&p, p.at, "expected ',' or the end of the pipeline");
  return true;
}

void agpu__pipeline_append(agpu__pipeline_list *list, const char *name,
                           const char *options) {
  agpu__pipeline_node *node = append(list);
  node->name = agpu__format("%s", name);
  if (options)
    node->options = agpu__format("%s", options);
}

void agpu__pipeline_print(const agpu__pipeline_node *node, agpu__text *text) {
  agpu__text_puts(text, node->name);
  if (node->options)
    agpu__text_printf(text, "{%s}", node->options);
  if (!node->nested)
    return;
  agpu__text_puts(text, "(");
  for (size_t i = 0; i < node->children.count; ++i) {
    if (i)
      agpu__text_puts(text, ",");
    agpu__pipeline_print(&node->children.nodes[i], text);
  }
  agpu__text_puts(text, ")");
}

void agpu__pipeline_free(agpu__pipeline_list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    agpu__pipeline_node *node = &list->nodes[i];
    free(node->name);
    free(node->options);
    agpu__pipeline_free(&node->children);
  }
  free(list->nodes);
  memset(list, 0, sizeof(*list));
}
