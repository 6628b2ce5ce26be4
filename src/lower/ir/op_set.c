//===- op_set.c - Sets of ops, and ops by a key -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set is a list, and the number of each op in it by the op's address; a key
// has the number of its list.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include <stdlib.h>

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
