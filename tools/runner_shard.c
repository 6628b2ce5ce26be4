//===- runner_shard.c - How async-gpu-runner splits a program -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of --shard: a list of what the options of async-gpu-shard are.
//
//===----------------------------------------------------------------------===//

#include "runner_options.h"

#include <ctype.h>
#include <string.h>

#define TOOL AGPU_RUNNER_NAME

enum { MOST_PIECES = 64 };

/// A number of pieces, in digits; negative: it is none, or too large.
static long parse_pieces(const char *text, size_t length) {
  long number = length ? 0 : -1;
  for (size_t i = 0; i < length && number >= 0; ++i) {
    number =
        isdigit((unsigned char)text[i]) ? number * 10 + (text[i] - '0') : -1;
    if (number > MOST_PIECES)
      number = -1;
  }
  return number;
}

/// One of the words between commas of '--shard', each kind of which may be
/// there once.
static bool parse_shard_word(agpu__runner_options *o, const char *word,
                             size_t length, bool is_given[3]) {
  static const char *const words[] = {"batch", "rows", "interior=auto",
                                      "interior=always", "interior=never"};
  static const char pieces[] = "pieces=";
  size_t kind = 2;
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); ++i)
    if (strlen(words[i]) == length && !strncmp(words[i], word, length)) {
      kind = i >= 2;
      *(kind ? &o->shard_interior : &o->shard) =
          words[i] + (kind ? strlen("interior=") : 0);
    }
  if (kind == 2) {
    size_t start = strlen(pieces);
    if (strncmp(word, pieces, start))
      return false;
    o->shard_pieces = parse_pieces(word + start, length - start);
  }
  bool is_second = is_given[kind];
  is_given[kind] = true;
  return !is_second && o->shard_pieces >= 0;
}

bool agpu__runner_shard_parse(agpu__runner_options *o, const char *value) {
  o->shard = "none";
  o->shard_interior = "auto";
  o->shard_pieces = 0;
  bool is_given[3] = {false};
  for (const char *word = value; word;) {
    size_t length = strcspn(word, ",");
    if (!parse_shard_word(o, word, length, is_given)) {
      agpu__tool_error(TOOL,
                       "option '--shard' takes batch or rows, "
                       "interior=auto|always|never and pieces=0 to 64, each "
                       "once, with commas between, not '%.*s'",
                       (int)length, word);
      return false;
    }
    word = word[length] ? word + length + 1 : NULL;
  }
  return true;
}
