//===- alias.c - What may be the same memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, arguments that are said not to alias, and what a call has
// allocated are memory of their own as long as their addresses stay in the
// function.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

bool agpu__object_is_private(const agpu__objects *objects, size_t object) {
  const agpu__object *it = &objects->data[object];
  return !it->reach && !it->escapes;
}

bool agpu__objects_may_alias(const agpu__objects *objects, size_t a, size_t b) {
  if (a == b)
    return true;
  if (agpu__object_is_private(objects, a) ||
      agpu__object_is_private(objects, b))
    return false;
  unsigned x = objects->data[a].reach, y = objects->data[b].reach;
  return (x | y) & AGPU__REACH_ANY ||
         (x && y && (x | y) & AGPU__REACH_ARGUMENT);
}

bool agpu__members_may_meet(const agpu__objects *objects, size_t a, size_t b) {
  const agpu__object *both[] = {&objects->data[a], &objects->data[b]};
  bool is_result = false, is_allocation = false, is_global = true;
  if (both[0]->kind == AGPU__OBJECT_FLOW ||
      both[1]->kind == AGPU__OBJECT_FLOW ||
      both[0]->kind == AGPU__OBJECT_ELSEWHERE ||
      both[1]->kind == AGPU__OBJECT_ELSEWHERE)
    return agpu__objects_may_alias(objects, both[0]->leader, both[1]->leader);
  for (int i = 0; i < 2; ++i) {
    const agpu__object *it = both[i];
    bool is_own = it->kind == AGPU__OBJECT_ALLOCATION || it->noalias;
    if (is_own && !objects->data[it->leader].escapes)
      return a == b;
    is_result |= it->kind == AGPU__OBJECT_RESULT;
    is_allocation |= it->kind == AGPU__OBJECT_ALLOCATION;
    is_global &= it->kind == AGPU__OBJECT_GLOBAL;
  }
  return a == b || is_result ||
         (!is_allocation && !is_global && !both[0]->noalias &&
          !both[1]->noalias);
}
