//===- access_test.c - Parts of memory, and lists of accesses -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes meet if they share an element in every dimension; what is not known
// meets everything. Lists keep what matters to an order.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include "check.h"

static agpu__box box2(int64_t a, int64_t b, int64_t c, int64_t d) {
  return (agpu__box){.rank = 2, .low = {a, c}, .high = {b, d}};
}

static void check_boxes(void) {
  agpu__box left = box2(0, 4, 0, 8), right = box2(4, 8, 0, 8);
  agpu__box across = box2(3, 5, 7, 9), whole = AGPU__WHOLE;
  agpu__box line = {.rank = 1, .low = {100}, .high = {101}};
  CHECK(!agpu__boxes_meet(&left, &right));
  CHECK(agpu__boxes_meet(&left, &across));
  CHECK(agpu__boxes_meet(&right, &across));
  CHECK(agpu__boxes_meet(&left, &whole));
  // Of another rank, it is not known how they lie.
  CHECK(agpu__boxes_meet(&left, &line));
  CHECK(agpu__box_contains(&whole, &left));
  CHECK(!agpu__box_contains(&left, &whole));
  CHECK(!agpu__box_contains(&left, &across));
  agpu__box both = agpu__box_join(&left, &across);
  agpu__box hull = box2(0, 5, 0, 9);
  CHECK(agpu__box_contains(&both, &hull) && agpu__box_contains(&hull, &both));
  CHECK_EQ(agpu__box_join(&left, &line).rank, -1);
}

static void check_lists(void) {
  agpu__accesses list = {0};
  agpu__access read = {.object = 2, .box = AGPU__WHOLE, .reads = true};
  agpu__access fill = {
      .object = 2, .box = AGPU__WHOLE, .writes = true, .covers = true};
  // Read, then filled: both count, of one part.
  agpu__accesses_add(&list, read);
  agpu__accesses_add(&list, fill);
  CHECK_EQ(list.count, 1);
  CHECK(list.data[0].reads && list.data[0].writes);
  agpu__accesses_free(&list);
  // Filled, then read: what is read is not from before.
  agpu__accesses_add(&list, fill);
  agpu__accesses_add(&list, read);
  CHECK_EQ(list.count, 1);
  CHECK(!list.data[0].reads && list.data[0].covers);
  agpu__accesses_free(&list);
  // However many parts there are, none is lost.
  for (int64_t i = 0; i < 100; ++i)
    agpu__accesses_add(&list, (agpu__access){.object = 3,
                                             .box = box2(i, i + 1, 0, 1),
                                             .writes = true});
  CHECK(list.count < 100);
  for (int64_t i = 0; i < 100; ++i) {
    agpu__box part = box2(i, i + 1, 0, 1);
    bool found = false;
    for (size_t k = 0; k < list.count; ++k)
      found |= agpu__box_contains(&list.data[k].box, &part);
    CHECK(found);
  }
  agpu__accesses_free(&list);
}

int main(void) {
  check_boxes();
  check_lists();
  return 0;
}
