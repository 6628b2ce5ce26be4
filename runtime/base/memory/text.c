//===- text.c - Text that lasts -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One tree of all texts that were kept, under one lock. Nothing is taken out: a
// program has as many places as its source has ops.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"

#include "base/sync/mutex.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static struct {
  agpu__mutex lock;
  void *tree AGPU__GUARDED_BY(lock);
} texts = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TEXTS)};

static int compare(const void *a, const void *b) { return strcmp(a, b); }

const char *agpu__text_keep(const char *text) {
  if (!text)
    return NULL;
  agpu__mutex_lock(&texts.lock);
  char *const *found = tfind(text, &texts.tree, compare);
  char *kept = found ? *found : strdup(text);
  // Without memory for it a message has no place.
  if (!found && kept && !tsearch(kept, &texts.tree, compare)) {
    free(kept);
    kept = NULL;
  }
  agpu__mutex_unlock(&texts.lock);
  return kept;
}

void agpu__text_fork(agpu__fork_step step) {
  agpu__mutex_fork(&texts.lock, step);
}
