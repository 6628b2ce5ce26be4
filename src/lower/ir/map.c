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

//===----------------------------------------------------------------------===//
// Sets of ops, and ops by a key
//
// A set is a list, and the number of each op in it by the op's address; a key
// has the number of its list.
//===----------------------------------------------------------------------===//

bool agpu__op_set_has(const agpu__op_set *set, MlirOperation op) {
  return agpu__map_get(&set->numbers, op.ptr) != AGPU__MAP_NONE;
}

bool agpu__op_set_add(agpu__op_set *set, MlirOperation op) {
  if (agpu__op_set_has(set, op))
    return false;
  agpu__map_set(&set->numbers, op.ptr, set->all.count);
  agpu__ops_push(&set->all, op);
  return true;
}

void agpu__op_set_free(agpu__op_set *set) {
  agpu__ops_free(&set->all);
  agpu__map_free(&set->numbers);
}

void agpu__op_lists_add(agpu__op_lists *lists, const void *key,
                        MlirOperation op) {
  size_t number = agpu__map_get(&lists->numbers, key);
  if (number == AGPU__MAP_NONE) {
    AGPU__GROW(lists->lists, lists->count, lists->capacity);
    number = lists->count++;
    lists->lists[number] = (agpu__ops){0};
    agpu__map_set(&lists->numbers, key, number);
  }
  agpu__ops_push(&lists->lists[number], op);
}

agpu__ops agpu__op_lists_get(const agpu__op_lists *lists, const void *key) {
  size_t number = agpu__map_get(&lists->numbers, key);
  return number == AGPU__MAP_NONE ? (agpu__ops){0} : lists->lists[number];
}

void agpu__op_lists_free(agpu__op_lists *lists) {
  for (size_t i = 0; i < lists->count; ++i)
    agpu__ops_free(&lists->lists[i]);
  free(lists->lists);
  agpu__map_free(&lists->numbers);
}
