//===- map.c - Numbers for addresses --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has been put into a map is found again however it has grown, and nothing
// else is.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include "check.h"

enum { COUNT = 1000 };

int main(void) {
  static uint64_t things[2 * COUNT];
  agpu__map map = {0};
  CHECK(agpu__map_get(&map, &things[0]) == AGPU__MAP_NONE);
  for (size_t i = 0; i < COUNT; ++i)
    agpu__map_set(&map, &things[2 * i], i);
  agpu__map_set(&map, &things[0], COUNT);
  CHECK_EQ(map.count, COUNT);
  CHECK_EQ(agpu__map_get(&map, &things[0]), COUNT);
  for (size_t i = 0; i < COUNT; ++i) {
    CHECK(i == 0 || agpu__map_get(&map, &things[2 * i]) == i);
    CHECK(agpu__map_get(&map, &things[2 * i + 1]) == AGPU__MAP_NONE);
  }
  agpu__map_free(&map);
  CHECK(agpu__map_get(&map, &things[0]) == AGPU__MAP_NONE);
  return 0;
}
