//===- written.c - Bits of bytes that were written ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/check/written.h"
#include "check.h"

enum { BYTES = 41 };

/// Checks copies of each length, from and to each place, of bits with a
/// pattern, against copies of bytes.
static void check_copies(bool same) {
  for (size_t from = 0; from < BYTES; ++from)
    for (size_t to = 0; to < BYTES; ++to)
      for (size_t count = 0; from + count <= BYTES && to + count <= BYTES;
           count += 3) {
        agpu__emu_written *source = agpu__emu_written_create(BYTES);
        agpu__emu_written *target =
            same ? source : agpu__emu_written_create(BYTES);
        char before[BYTES] = {0}, after[BYTES] = {0};
        for (size_t i = 0; i < BYTES; ++i) {
          before[i] = i * i % 7 < 3;
          if (before[i])
            agpu__emu_written_set(source, i, 1);
        }
        if (same)
          memcpy(after, before, sizeof after);
        memcpy(after + to, before + from, count);
        agpu__emu_written_copy(target, to, source, from, count);
        for (size_t i = 0; i < BYTES; ++i)
          CHECK_EQ(agpu__emu_written_is_set(target, i, 1), after[i]);
        free(source);
        if (!same)
          free(target);
      }
}

static void check_ranges(void) {
  for (size_t from = 0; from < BYTES; ++from)
    for (size_t count = 0; from + count <= BYTES; ++count) {
      agpu__emu_written *bits = agpu__emu_written_create(BYTES);
      agpu__emu_written_set(bits, from, count);
      for (size_t i = 0; i < BYTES; ++i)
        CHECK_EQ(agpu__emu_written_is_set(bits, i, 1),
                 i >= from && i < from + count);
      CHECK(agpu__emu_written_is_set(bits, from, count));
      if (from + count < BYTES)
        CHECK(!agpu__emu_written_is_set(bits, from, count + 1));
      free(bits);
    }
}

int main(void) {
  check_ranges();
  check_copies(false);
  check_copies(true);
  // What is not followed counts as written.
  agpu__emu_written *bits = agpu__emu_written_create(BYTES);
  CHECK(agpu__emu_written_is_set(NULL, 5, 5));
  agpu__emu_written_set(NULL, 5, 5);
  agpu__emu_written_copy(NULL, 0, bits, 0, 5);
  agpu__emu_written_copy(bits, 2, NULL, 0, 5);
  CHECK(agpu__emu_written_is_set(bits, 2, 5));
  CHECK(!agpu__emu_written_is_set(bits, 7, 1));
  free(bits);
  return 0;
}
