//===- leaks.c - Device memory that was not freed -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up what is left by the places that allocated it, as far as these are
// few, and says so of each. Behind an error of the program nothing is said.
//
//===----------------------------------------------------------------------===//

#include "emu/base/client.h"
#include "emu/check/checks.h"

#include "base/os/write.h"
#include "emu/memory/allocation.h"

#include <stdio.h>

/// Places that are distinguished.
#define MOST_PLACES 32u

typedef struct place {
  const char *location; // or NULL
  size_t count, bytes;  // of its allocations
} place;

typedef struct places {
  place of[MOST_PLACES];
  unsigned count;
  size_t others; // allocations of further places
} places;

static void add(const char *location, size_t bytes, void *argument) {
  places *found = argument;
  unsigned i = 0;
  while (i < found->count && found->of[i].location != location)
    ++i;
  if (i == MOST_PLACES) {
    ++found->others;
    return;
  }
  if (i == found->count)
    found->of[found->count++] = (place){.location = location};
  ++found->of[i].count;
  found->of[i].bytes += bytes;
}

void agpu__emu_leaks_list(CUcontext context) {
  // A program that failed did not get as far as freeing.
  if (agpu__emu_client_now->is_ending())
    return;
  places found = {.count = 0};
  agpu__emu_memory_each(context, add, &found);
  char line[512];
  for (unsigned i = 0; i < found.count; ++i) {
    const place *at = &found.of[i];
    int length =
        snprintf(line, sizeof line,
                 "%.300s%swarning: %zu bytes of device memory, of %zu "
                 "allocation%s, were not freed\n",
                 at->location ? at->location : "", at->location ? ": " : "",
                 at->bytes, at->count, at->count > 1 ? "s" : "");
    agpu__write_stderr(line, (size_t)length);
  }
  if (found.others) {
    int length = snprintf(
        line, sizeof line,
        "warning: %zu allocations from other places were not freed either\n",
        found.others);
    agpu__write_stderr(line, (size_t)length);
  }
}
