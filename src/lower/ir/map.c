//===- map.c - Numbers for addresses -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Open addressing with linear probing, at most half full. A NULL key is a free
// slot; nothing is ever taken out.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include <stdlib.h>

/// Where `key` is, or would be.
static size_t find_slot(const agpu__map *map, const void *key) {
  // The low bits of addresses say little.
  size_t slot = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20;
  while (map->keys[slot % map->capacity] &&
         map->keys[slot % map->capacity] != key)
    ++slot;
  return slot % map->capacity;
}

size_t agpu__map_get(const agpu__map *map, const void *key) {
  if (!map->capacity)
    return AGPU__MAP_NONE;
  size_t slot = find_slot(map, key);
  return map->keys[slot] ? map->numbers[slot] : AGPU__MAP_NONE;
}

static void grow(agpu__map *map) {
  AGPU__SCOPED(map) old = *map;
  size_t capacity = old.capacity ? 2 * old.capacity : 64;
  *map = (agpu__map){.keys = agpu__allocate(capacity, sizeof(*map->keys)),
                     .numbers = agpu__allocate(capacity, sizeof(*map->numbers)),
                     .capacity = capacity};
  for (size_t i = 0; i < old.capacity; ++i)
    if (old.keys[i])
      agpu__map_set(map, old.keys[i], old.numbers[i]);
}

void agpu__map_set(agpu__map *map, const void *key, size_t number) {
  if (2 * map->count >= map->capacity)
    grow(map);
  size_t slot = find_slot(map, key);
  map->count += !map->keys[slot];
  map->keys[slot] = key;
  map->numbers[slot] = number;
}

void agpu__map_free(agpu__map *map) {
  free(map->keys);
  free(map->numbers);
  *map = (agpu__map){0};
}
