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
#include <stdlib.h>
#include <string.h>

#define TOOL AGPU_RUNNER_NAME

enum { MOST_PIECES = 64, MOST_RANKS = 1 << 20 };

/// A number, in digits, of `most` at most; negative: it is none, or larger.
static long parse_number(const char *text, size_t length, long most) {
  long number = length ? 0 : -1;
  for (size_t i = 0; i < length && number >= 0; ++i) {
    number =
        isdigit((unsigned char)text[i]) ? number * 10 + (text[i] - '0') : -1;
    if (number > most)
      number = -1;
  }
  return number;
}

/// How many ranks the launcher has started; 0: it does not say.
static long started_ranks(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i) {
    const char *size = secure_getenv(names[i]);
    long ranks = size ? parse_number(size, strlen(size), MOST_RANKS) : 0;
    if (ranks > 0)
      return ranks;
  }
  return 0;
}

/// Reads "NAME=number" of `most` at most; negative: it is not that.
static long parse_named(const char *word, size_t length, const char *name,
                        long most) {
  size_t start = strlen(name);
  return length <= start || strncmp(word, name, start) || word[start] != '='
             ? -1
             : parse_number(word + start + 1, length - start - 1, most);
}

/// One of the words between commas of '--shard', each kind of which may be
/// there once.
static bool parse_shard_word(agpu__runner_options *o, const char *word,
                             size_t length, bool is_given[4]) {
  static const char *const words[] = {"batch", "rows", "interior=auto",
                                      "interior=always", "interior=never"};
  size_t kind = 4;
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); ++i)
    if (strlen(words[i]) == length && !strncmp(words[i], word, length)) {
      kind = i >= 2;
      *(kind ? &o->shard_interior : &o->shard) =
          words[i] + (kind ? strlen("interior=") : 0);
    }
  long pieces = parse_named(word, length, "pieces", MOST_PIECES);
  long ranks = parse_named(word, length, "ranks", MOST_RANKS);
  if (pieces >= 0) {
    kind = 2;
    o->shard_pieces = pieces;
  } else if (ranks >= 0) {
    kind = 3;
    o->shard_ranks = ranks;
  }
  if (kind == 4 || is_given[kind])
    return false;
  is_given[kind] = true;
  return true;
}

bool agpu__runner_shard_parse(agpu__runner_options *o, const char *value) {
  o->shard = "none";
  o->shard_interior = "auto";
  o->shard_pieces = 0;
  o->shard_ranks = started_ranks();
  bool is_given[4] = {false};
  for (const char *word = value; word;) {
    size_t length = strcspn(word, ",");
    if (!parse_shard_word(o, word, length, is_given)) {
      agpu__tool_error(TOOL,
                       "option '--shard' takes batch or rows, "
                       "interior=auto|always|never, pieces=0 to 64 and "
                       "ranks=NUMBER, each once, with commas between, not "
                       "'%.*s'",
                       (int)length, word);
      return false;
    }
    word = word[length] ? word + length + 1 : NULL;
  }
  return true;
}
