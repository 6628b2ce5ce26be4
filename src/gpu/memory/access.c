//===- access.c - What is read and written -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes and lists of accesses. What is not known of a box makes it larger, and
// of an access makes it one that reads and writes: never the other way.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include <stdlib.h>

/// Accesses of one object that a list tells apart.
#define PARTS 16

bool agpu__boxes_meet(const agpu__box *a, const agpu__box *b) {
  if (a->rank != b->rank || a->rank < 0)
    return true;
  for (int i = 0; i < a->rank; ++i)
    if (a->high[i] <= b->low[i] || b->high[i] <= a->low[i])
      return false;
  return true;
}

bool agpu__box_contains(const agpu__box *outer, const agpu__box *inner) {
  if (outer->rank < 0)
    return true;
  if (outer->rank != inner->rank)
    return false;
  for (int i = 0; i < outer->rank; ++i)
    if (inner->low[i] < outer->low[i] || inner->high[i] > outer->high[i])
      return false;
  return true;
}

agpu__box agpu__box_join(const agpu__box *a, const agpu__box *b) {
  if (a->rank != b->rank || a->rank < 0)
    return AGPU__WHOLE;
  agpu__box all = *a;
  for (int i = 0; i < a->rank; ++i) {
    if (b->low[i] < all.low[i])
      all.low[i] = b->low[i];
    if (b->high[i] > all.high[i])
      all.high[i] = b->high[i];
  }
  return all;
}

/// True if the covering write `before` kills all that `access`, which follows
/// it, could depend on.
static bool is_killed_by(const agpu__access *before,
                         const agpu__access *access) {
  return before->covers && agpu__box_contains(&before->box, &access->box);
}

static void join(agpu__access *into, const agpu__access *access) {
  // Together they cover what one of them does, if that is all of it.
  bool covers =
      (into->covers && agpu__box_contains(&into->box, &access->box)) ||
      (access->covers && agpu__box_contains(&access->box, &into->box));
  into->box = agpu__box_join(&into->box, &access->box);
  into->reads |= access->reads;
  into->writes |= access->writes;
  into->covers = covers;
}

void agpu__accesses_add(agpu__accesses *list, agpu__access access) {
  const void *key = agpu__number_key(access.object);
  size_t first = agpu__map_get(&list->firsts, key), same = 0, last = 0;
  for (size_t i = first; i != AGPU__MAP_NONE; ++same) {
    agpu__access *other = &list->data[i];
    if (is_killed_by(other, &access))
      return;
    bool equal = agpu__box_contains(&other->box, &access.box) &&
                 agpu__box_contains(&access.box, &other->box);
    if (equal) {
      join(other, &access);
      return;
    }
    last = i;
    i = other->next ? other->next : AGPU__MAP_NONE;
  }
  if (same >= PARTS) {
    join(&list->data[last], &access);
    return;
  }
  if (same)
    list->data[last].next = list->count;
  else
    agpu__map_set(&list->firsts, key, list->count);
  AGPU__GROW(list->data, list->count, list->capacity);
  access.next = 0;
  list->data[list->count++] = access;
}

void agpu__accesses_add_all(agpu__accesses *list, const agpu__accesses *more) {
  for (size_t i = 0; i < more->count; ++i)
    agpu__accesses_add(list, more->data[i]);
}

void agpu__accesses_free(agpu__accesses *list) {
  free(list->data);
  agpu__map_free(&list->firsts);
  memset(list, 0, sizeof(*list));
}
