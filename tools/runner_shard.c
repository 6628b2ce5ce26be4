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

#include <stdlib.h>
#include <string.h>

#define TOOL AGPU_RUNNER_NAME

/// One of the words between commas of '--shard'.
static bool parse_shard_word(agpu__runner_options *o, const char *word,
                             size_t length) {
  static const char *const words[] = {"batch", "rows", "interior=auto",
                                      "interior=always", "interior=never"};
  static const char pieces[] = "pieces=";
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); ++i)
    if (strlen(words[i]) == length && !strncmp(words[i], word, length)) {
      *(i < 2 ? &o->shard : &o->shard_interior) =
          words[i] + (i < 2 ? 0 : strlen("interior="));
      return true;
    }
  char *end = NULL;
  if (!strncmp(word, pieces, strlen(pieces)))
    o->shard_pieces = strtol(word + strlen(pieces), &end, 10);
  return end == word + length && end[-1] != '=' && o->shard_pieces >= 0 &&
         o->shard_pieces <= 64;
}

bool agpu__runner_shard_parse(agpu__runner_options *o, const char *value) {
  o->shard = "none";
  o->shard_interior = "auto";
  o->shard_pieces = 0;
  for (const char *word = value; word;) {
    size_t length = strcspn(word, ",");
    if (!parse_shard_word(o, word, length)) {
      agpu__tool_error(TOOL,
                       "option '--shard' takes batch or rows, "
                       "interior=auto|always|never and pieces=0 to 64, with "
                       "commas between, not '%.*s'",
                       (int)length, word);
      return false;
    }
    word = word[length] ? word + length + 1 : NULL;
  }
  return true;
}
